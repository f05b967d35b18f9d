const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** An answer that the contract does not allow, even while a part is unavailable. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/** Nothing worked until the caller's patience ran out. */
export class Hang extends Error {
  override readonly name = 'Hang';
}

/** A failed attempt that may be repeated: 503, or no answer. */
export class Away extends Error {
  override readonly name = 'Away';

  constructor(readonly retryAfterMilliseconds: number) {
    super('a part is away');
  }
}

const UNAVAILABLE = 503;
const LONGEST_WAIT_MILLISECONDS = 2_000;
const UNREACHABLE_MILLISECONDS = 300;

/**
 * Judges an answer as a careful client does. Throws {@link Away} for 503, which must have a Retry-After, and {@link
 * WrongAnswer} for any other server error.
 */
export function judgeAnswer(what: string, status: number, retryAfter: string | null): void {
  if (status === UNAVAILABLE) {
    if (!/^[1-9]\d*$/.test(retryAfter ?? '')) throw new WrongAnswer(`${what}: 503 without Retry-After`);
    throw new Away(Number(retryAfter) * 1000);
  }
  if (status >= 500) throw new WrongAnswer(`${what}: ${status}`);
}

/** `fetch` whose answer has arrived to its end. */
async function fetchWhole(input: Request | string, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { signal: AbortSignal.timeout(30_000), ...init });
  const bytes = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
}

/** `fetch` that throws {@link Away} if nothing answers, or only a part of an answer arrives, and judges the answer. */
export async function fetchWithJudgement(what: string, input: Request | string, init?: RequestInit): Promise<Response> {
  const response = await fetchWhole(input, init).catch(() => undefined);
  if (!response) throw new Away(UNREACHABLE_MILLISECONDS);
  judgeAnswer(what, response.status, response.headers.get('retry-after'));
  return response;
}

/** How long a caller retries. */
export interface Patience {
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Called whenever a part is unavailable. */
  readonly onAway?: () => void;
}

/** Retries while a part is unavailable, until the deadline. Other errors pass through. */
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
