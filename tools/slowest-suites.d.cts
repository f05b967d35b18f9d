/** For each test file: its path, its times in milliseconds since 1970, its tests. */
export interface SuiteResults {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly object[];
  }[];
}

export function slowestSuites(results: SuiteResults, count: number): string[];

export function costliestSuites(times: string, count: number): string[];
