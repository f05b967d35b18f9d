/** An advisory that is accepted temporarily: one entry of `.ci/audit-exceptions.json`. */
export interface Exception {
  readonly advisory: string;
  readonly package: string;
  readonly reason: string;
  /** The last day on which it is accepted, `YYYY-MM-DD`. */
  readonly until: string;
}

/** The list of exceptions, or all its faults. */
export function parseExceptions(text: string): {
  readonly entries: readonly Exception[];
  readonly faults: readonly string[];
};

/** The verdict for a report of `npm audit --json` on a day (`YYYY-MM-DD`). */
export function judge(
  report: object,
  exceptions: readonly Exception[],
  today: string,
): { readonly lines: readonly string[]; readonly failed: boolean };
