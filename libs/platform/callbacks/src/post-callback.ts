import { type Clock } from '@vestibule/foundation';
import { traced } from '@vestibule/process';
import { Pool, type buildConnector } from 'undici';
import { createAllowance, type Allowance } from './answer-allowance';
import type { CallbackTarget } from './callback-target';
import { type DeliveryLimits, parseRetryAfter } from './delivery-policy';
import { createReceiverConnector } from './receiver-connector';
import { webhookHeaders } from './webhook-signature';

/** How an attempt ended. `result` is a class for logs, metrics and dead letters: `http_204`, `timeout`, `tls_error`. */
export type Attempt =
  | { readonly end: 'delivered'; readonly result: string }
  | { readonly end: 'gone'; readonly result: string }
  /** `refused`: the receiver does not want this event. */
  | {
      readonly end: 'failed' | 'refused';
      readonly result: string;
      readonly retryAfterMilliseconds?: number | undefined;
    };

/** What is posted. `id` is the event's `webhook-id`; `url` is its own receiver, by default the target's. */
export interface Posting {
  readonly id: string;
  readonly body: Uint8Array;
  readonly url: string | null;
}

export interface Poster {
  /** One attempt; never throws. */
  post(posting: Posting): Promise<Attempt>;
  close(): Promise<void>;
}

const GONE = 410;
/** Request Timeout, Too Early, Too Many Requests: the receiver asks for another attempt. */
const TRY_AGAIN = [408, 425, 429];
/** Failures that have a name of their own: of connections through a proxy, and of answers without an end. */
const NAMED: Readonly<Record<string, string>> = {
  answer_too_large: 'answer_too_large',
  UND_ERR_HEADERS_OVERFLOW: 'answer_too_large',
  egress_proxy: 'proxy_error',
  egress_proxy_login: 'proxy_login_refused',
  egress_proxy_refused: 'proxy_refused',
  egress_timeout: 'timeout',
  egress_tls: 'tls_error',
};
/** Errors of OpenSSL, certificate verification and the protocol: the certificate or its chain, its names, its time. */
const TLS_CODE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_|ERR_OSSL/;

function networkResult(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  if (typeof code !== 'string') return 'network_error';
  const named = NAMED[code];
  if (named !== undefined) return named;
  if (code.includes('TIMEOUT') || code === 'ETIMEDOUT') return 'timeout';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_not_resolved';
  return TLS_CODE.test(code) ? 'tls_error' : 'network_error';
}

function judge(status: number, retryAfterMilliseconds: number | undefined): Attempt {
  const result = `http_${status}`;
  if (status >= 200 && status < 300) return { end: 'delivered', result };
  if (status === GONE) return { end: 'gone', result };
  if (status >= 400 && status < 500 && !TRY_AGAIN.includes(status))
    return { end: 'refused', result, retryAfterMilliseconds };
  return { end: 'failed', result, retryAfterMilliseconds };
}

interface PosterOptions {
  readonly target: CallbackTarget;
  /** Default: the origin of the target's URL. */
  readonly origin?: string;
  readonly limits: DeliveryLimits;
  readonly clock: Clock;
}

/** The persistent connections to one receiver. */
interface Connections {
  /** For the next event. */
  current(): Pool;
  /** Sends no further event over these; those that are under way go on. */
  retire(pool: Pool): void;
  /** The same, unless they are new. */
  retireOld(pool: Pool): void;
  close(): Promise<void>;
}

/** How long connections over which events fail are kept. */
const FAILING_MILLISECONDS = 10_000;

/**
 * A pool connects again for an event that was given up, and sends a later one over that connection: after a network
 * failure, one that was opened during it and stays silent. So a pool in which an attempt has timed out is replaced. So is,
 * after some seconds, one over which an event failed: the name may lead elsewhere by now, and connections that are always in
 * use would stay with a host that is no longer the receiver.
 */
function createConnections(open: () => Pool): Connections {
  let [pool, openedAt] = [open(), performance.now()];
  const retired = new Set<Pool>();
  const retire = (used: Pool): void => {
    if (used !== pool) return;
    [pool, openedAt] = [open(), performance.now()];
    retired.add(used);
    const forget = () => void retired.delete(used);
    used.close().then(forget, forget);
  };
  return {
    current: () => pool,
    retire,
    retireOld(used) {
      if (performance.now() - openedAt >= FAILING_MILLISECONDS) retire(used);
    },
    close: async () => void (await Promise.all([pool, ...retired].map((one) => one.destroy()))),
  };
}

const limited =
  (connect: buildConnector.connector, allowance: Allowance): buildConnector.connector =>
  (target, callback) =>
    connect(target, (error, socket) => (error ? callback(error, null) : callback(null, allowance.limit(socket))));

/**
 * Posts events unchanged to one origin, over persistent connections; follows no redirects and evaluates only the
 * status.
 */
export function createPoster({ target, origin, limits, clock }: PosterOptions): Poster {
  const own = new URL(target.url);
  const receiver = origin ?? own.origin;
  const allowance = createAllowance(limits);
  const connect = limited(createReceiverConnector(target, receiver, limits.timeoutMilliseconds), allowance);
  const open = () =>
    new Pool(receiver, {
      connections: limits.concurrency,
      connect,
      headersTimeout: limits.timeoutMilliseconds,
      bodyTimeout: limits.timeoutMilliseconds,
    });
  const connections = createConnections(open);
  const isOwn = origin === undefined || origin === own.origin;
  const fixed = {
    'content-type': 'application/json',
    'user-agent': 'Vestibule',
    ...(target.authorization === undefined || !isOwn ? {} : { authorization: target.authorization }),
  };

  const send = async (pool: Pool, { id, body, url }: Posting, signal: AbortSignal): Promise<Attempt> => {
    const { pathname, search } = url === null ? own : new URL(url);
    const sentAt = clock();
    const response = await pool.request({
      path: `${pathname}${search}`,
      method: 'POST',
      headers: { ...fixed, ...webhookHeaders({ id, sentAt, body }, target.keys ?? []) },
      body,
      signal,
    });
    // The status is decisive; a body that is too long or too slow only costs the connection.
    await response.body.dump({ limit: limits.answerBytes, signal }).catch(() => undefined);
    const retryAfter = response.headers['retry-after'];
    return judge(response.statusCode, parseRetryAfter(retryAfter?.toString(), sentAt));
  };

  /** `AbortSignal.timeout` would leave a timer and a weak reference behind for each callback, until its time is over. */
  const sendInTime = async (posting: Posting): Promise<Attempt> => {
    const pool = connections.current();
    allowance.grant();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limits.timeoutMilliseconds);
    try {
      const attempt = await send(pool, posting, limit.signal);
      if (attempt.end !== 'delivered') connections.retireOld(pool);
      return attempt;
    } catch (error) {
      const result = networkResult(error);
      if (result === 'timeout') connections.retire(pool);
      return { end: 'failed', result };
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    post: (posting) => traced({ name: 'post callback', kind: 'client' }, () => sendInTime(posting)),
    close: connections.close,
  };
}
