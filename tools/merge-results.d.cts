/** The part of a Jest result that is added up. */
export interface RunResults {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly object[];
}

export function mergeResults(runs: readonly (RunResults | undefined)[]): RunResults;
