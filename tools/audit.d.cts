/** An advisory that is taken for a while: one entry of `.ci/audit-exceptions.json`. */
export interface Exception {
  readonly advisory: string;
  readonly package: string;
  readonly reason: string;
  /** The last day on which it holds, `YYYY-MM-DD`. */
  readonly until: string;
}

/** The list of exceptions, or every fault in it. */
export function parseExceptions(text: string): {
  readonly entries: readonly Exception[];
  readonly faults: readonly string[];
};

/** What a report of `npm audit --json` means on a day (`YYYY-MM-DD`). */
export function judge(
  report: object,
  exceptions: readonly Exception[],
  today: string,
): { readonly lines: readonly string[]; readonly failed: boolean };
