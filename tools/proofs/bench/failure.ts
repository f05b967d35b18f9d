/** A bench that cannot continue. The runner of the tools prints `detail` and `code`, without a stack trace. */
export class BenchFailure extends Error {
  constructor(
    readonly code: string,
    readonly detail: string,
    cause?: unknown,
  ) {
    super(detail, { cause });
  }
}
