import { startCallbackReceiver, type CallbackReceiver, type ReceivedCallback } from '@vestibule/dev-stack';
import type { BackendMode } from './moves';

type Members = Record<string, unknown>;

/** One attempt to deliver an event, and what the backend answered; nothing yet while it has not. */
export interface Attempt {
  readonly webhookId: string;
  readonly body: Members;
  readonly receiver: 'configured' | 'own';
  readonly authorization: unknown;
  readonly startedAt: number;
  readonly answer: { readonly status: number; readonly at: number } | undefined;
}

/** A backend that answers as it is told, at the configured receiver and at another one. */
export interface Backend {
  readonly attempts: readonly Attempt[];
  /** The address of the other receiver. */
  readonly ownReceiver: string;
  respond(callback: ReceivedCallback): Promise<number>;
  /** How it answers from now on; what was slow is answered, and what hangs never is. */
  change(mode: BackendMode): void;
  stop(): Promise<void>;
}

const STATUSES: Readonly<Record<Exclude<BackendMode, 'hangs'>, number>> = {
  takes: 204,
  fails: 503,
  refuses: 404,
  is_gone: 410,
  is_busy: 429,
  redirects: 307,
  is_slow: 200,
};
/** Longer than an attempt may take, and as long as it surely may. */
const GIVEN_UP_MILLISECONDS = 10_000;
const SURELY_HEARD_MILLISECONDS = 8_000;

const NEVER = new Promise<never>(() => undefined);

/** After such an answer, if it is heard, an event is not sent again. */
export function isFinal({ body, answer }: Attempt): boolean {
  if (!answer) return false;
  if (answer.status < 300 || answer.status === 410) return true;
  return body['status'] === 'OFFER_CREATED' && answer.status === 404;
}

export async function startBackend(): Promise<Backend> {
  const attempts: { -readonly [Name in keyof Attempt]: Attempt[Name] }[] = [];
  let mode: BackendMode = 'takes';
  const waiting: (() => void)[] = [];
  const take = async (receiver: Attempt['receiver'], { body, headers }: ReceivedCallback) => {
    const attempt: (typeof attempts)[number] = {
      webhookId: String(headers['webhook-id']),
      body: body as Members,
      receiver,
      authorization: headers['authorization'],
      startedAt: performance.now(),
      answer: undefined,
    };
    attempts.push(attempt);
    if (mode === 'hangs') return NEVER;
    const status = STATUSES[mode];
    if (mode === 'is_slow') await new Promise<void>((resolve) => waiting.push(resolve));
    attempt.answer = { status, at: performance.now() };
    return status;
  };
  const other: CallbackReceiver = await startCallbackReceiver({ respond: (callback) => take('own', callback) });
  return {
    attempts,
    ownReceiver: other.url,
    respond: (callback) => take('configured', callback),
    change(next) {
      mode = next;
      for (const answer of waiting.splice(0)) answer();
    },
    stop: () => other.stop(),
  };
}

/** When parts of the product were killed or cut off, in milliseconds. */
export type Outage = readonly [from: number, to: number];

/** Its end, for whoever sent it: an attempt without an answer is given up. */
const endOf = ({ startedAt, answer }: Attempt) => Math.min(answer?.at ?? Infinity, startedAt + GIVEN_UP_MILLISECONDS);
const wasHeard = ({ startedAt, answer }: Attempt) =>
  answer !== undefined && answer.at - startedAt < SURELY_HEARD_MILLISECONDS;

/** No event is sent twice at the same moment, nor again after its receiver has it, unless a process died meanwhile. */
function judgeRepetitions(attempts: readonly Attempt[], outages: readonly Outage[]): void {
  for (const [at, earlier] of attempts.entries()) {
    const later = attempts.slice(at + 1).find(({ webhookId }) => webhookId === earlier.webhookId);
    if (!later) continue;
    const wasDisturbed = outages.some(([from, to]) => from < later.startedAt && to > earlier.startedAt);
    if (wasDisturbed) continue;
    expect(later.startedAt).toBeGreaterThanOrEqual(endOf(earlier) - 100);
    expect(isFinal(earlier) && wasHeard(earlier) ? ['sent again', earlier, later] : []).toEqual([]);
  }
}

/**
 * The attempts about a flow are as promised: one body for each event, all to its receiver, and none before its predecessor
 * was answered.
 */
export function judgeAttempts(
  attempts: readonly Attempt[],
  {
    hasOwnReceiver,
    outages,
    authorization,
  }: { hasOwnReceiver: boolean; outages: readonly Outage[]; authorization: string },
): void {
  const bodies = new Map<string, string>();
  const ids = new Map<unknown, string>();
  const wanted = hasOwnReceiver ? ['own', undefined] : ['configured', authorization];
  for (const attempt of attempts) {
    const { webhookId, body } = attempt;
    expect([attempt.receiver, attempt.authorization]).toEqual(wanted);
    const text = JSON.stringify(body);
    expect(bodies.get(webhookId) ?? text).toBe(text);
    bodies.set(webhookId, text);
    expect(ids.get(body['status']) ?? webhookId).toBe(webhookId);
    ids.set(body['status'], webhookId);
  }
  judgeRepetitions(attempts, outages);
  const end = attempts.find(({ body }) => body['status'] !== 'OFFER_CREATED');
  if (end?.body['offerId'] === undefined) return;
  const created = attempts.filter(({ body }) => body['status'] === 'OFFER_CREATED');
  expect(created.some((one) => isFinal(one) && (one.answer?.at ?? Infinity) <= end.startedAt)).toBe(true);
}
