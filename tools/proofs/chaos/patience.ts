const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Something answered otherwise than the contract allows while a part is away. */
export class WrongAnswer extends Error {}

/** Nothing worked for the whole patience of a caller. */
export class Hang extends Error {}

/** A try that may be repeated: the answer said 503, or there was none. */
export class Away extends Error {
  constructor(readonly retryAfterMilliseconds: number) {
    super('a part is away');
  }
}

const UNAVAILABLE = 503;
const LONGEST_WAIT_MILLISECONDS = 2_000;
const UNREACHABLE_MILLISECONDS = 300;

/**
 * Looks at an answer as a careful client does. Throws {@link Away} for 503, which must say when to come back, and
 * {@link WrongAnswer} for any other error of the server.
 */
export function judgeAnswer(what: string, status: number, retryAfter: string | null): void {
  if (status === UNAVAILABLE) {
    if (!/^[1-9]\d*$/.test(retryAfter ?? '')) throw new WrongAnswer(`${what}: 503 without Retry-After`);
    throw new Away(Number(retryAfter) * 1000);
  }
  if (status >= 500) throw new WrongAnswer(`${what}: ${status}`);
}

/** `fetch` that throws {@link Away} where nobody answers, and judges what is answered. */
export async function fetchWithJudgement(what: string, input: Request | string, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { signal: AbortSignal.timeout(30_000), ...init }).catch(() => undefined);
  if (!response) throw new Away(UNREACHABLE_MILLISECONDS);
  judgeAnswer(what, response.status, response.headers.get('retry-after'));
  return response;
}

/** How long somebody tries again. */
export interface Patience {
  /** Of `performance.now()`. */
  readonly deadline: number;
  /** Called whenever a part is away. */
  readonly onAway?: () => void;
}

/** Tries again while a part is away, until the deadline. Other errors pass through. */
export async function patiently<Result>(
  what: string,
  { deadline, onAway }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Away)) throw error;
      onAway?.();
      if (performance.now() > deadline) throw new Hang(`${what}: still away at its deadline`);
      await pause(Math.min(error.retryAfterMilliseconds, LONGEST_WAIT_MILLISECONDS));
    }
  }
}
