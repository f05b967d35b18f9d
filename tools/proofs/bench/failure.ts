/** A bench that cannot go on. The runner of the tools prints `detail` and `code`, without a stack. */
export class BenchFailure extends Error {
  constructor(
    readonly code: string,
    readonly detail: string,
    cause?: unknown,
  ) {
    super(detail, { cause });
  }
}
