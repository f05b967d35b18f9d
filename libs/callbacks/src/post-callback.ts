import { type Clock } from '@vestibule/foundation';
import { Pool } from 'undici';
import { type DeliveryLimits, parseRetryAfter } from './delivery-policy';
import { webhookHeaders } from './webhook-signature';

/** Who receives the callbacks. */
export interface CallbackTarget {
  /** http or https, without user and fragment. */
  readonly url: string;
  /** Sent as the Authorization header, as it is. */
  readonly authorization?: string | undefined;
  /** Keys from {@link parseWebhookSecret}; with at least one, callbacks are signed. */
  readonly secrets?: readonly Uint8Array[];
}

/** How an attempt ended. `result` is a class for logs and dead letters: `http_204`, `timeout`, `tls_error`. */
export type Attempt =
  | { readonly end: 'delivered' | 'gone'; readonly result: string }
  | { readonly end: 'failed'; readonly result: string; readonly retryAfterMilliseconds?: number | undefined };

export interface Poster {
  /** One attempt; never throws. `id` is the event's `webhook-id`. */
  post(id: string, body: Uint8Array): Promise<Attempt>;
  close(): Promise<void>;
}

const GONE = 410;
const CONNECT_MILLISECONDS = 5_000;

function networkResult(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  if (typeof code !== 'string') return 'network_error';
  if (code.includes('TIMEOUT') || code === 'ETIMEDOUT') return 'timeout';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_not_resolved';
  return /CERT|TLS|SSL|SELF_SIGNED/.test(code) ? 'tls_error' : 'network_error';
}

function judge(status: number, retryAfterMilliseconds: number | undefined): Attempt {
  const result = `http_${status}`;
  if (status >= 200 && status < 300) return { end: 'delivered', result };
  if (status === GONE) return { end: 'gone', result };
  return { end: 'failed', result, retryAfterMilliseconds };
}

/** Posts events as they are, over kept connections; follows no redirect and believes nothing but the status. */
export function createPoster(target: CallbackTarget, limits: DeliveryLimits, clock: Clock): Poster {
  const url = new URL(target.url);
  const pool = new Pool(url.origin, {
    connections: limits.concurrency,
    connect: { timeout: Math.min(CONNECT_MILLISECONDS, limits.timeoutMilliseconds) },
    headersTimeout: limits.timeoutMilliseconds,
    bodyTimeout: limits.timeoutMilliseconds,
  });
  const fixed = {
    'content-type': 'application/json',
    'user-agent': 'Vestibule',
    ...(target.authorization === undefined ? {} : { authorization: target.authorization }),
  };

  const send = async (id: string, body: Uint8Array): Promise<Attempt> => {
    const signal = AbortSignal.timeout(limits.timeoutMilliseconds);
    const sentAt = clock();
    const response = await pool.request({
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: { ...fixed, ...webhookHeaders({ id, sentAt, body }, target.secrets ?? []) },
      body,
      signal,
    });
    // The status has decided; a body that is too long or too slow only costs the connection.
    await response.body.dump({ limit: limits.answerBytes, signal }).catch(() => undefined);
    const retryAfter = response.headers['retry-after'];
    return judge(response.statusCode, parseRetryAfter(retryAfter?.toString(), sentAt));
  };

  return {
    post: (id, body) => send(id, body).catch((error: unknown) => ({ end: 'failed', result: networkResult(error) })),
    close: () => pool.destroy(),
  };
}
