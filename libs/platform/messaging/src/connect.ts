import { errors, type NatsConnection, type NodeConnectionOptions, type Status } from '@nats-io/transport-node';
import { DomainError } from '@vestibule/foundation';
import { createLineBudget, type Logger } from '@vestibule/process';
import { Heartbeat } from './heartbeat';
import type { NatsAccess } from './nats-access';
import { connectGuarded, guardedTls } from './nats-transport';
import { probeNats } from './probe';
import { createClockWatch, forgetAttempts } from './set-back-clock';
import { isLoginRefusal, payloadTooSmall, startRefusal, withoutTls } from './start-refusal';

export interface ConnectionOptions extends NatsAccess {
  /** The name of the connection in NATS monitoring. */
  readonly name: string;
  readonly logger: Logger;
  /** The `max_payload` that the server has to announce, in bytes; absent: any. */
  readonly payloadBytes?: number;
}

const FIRST_DELAY_MILLISECONDS = 100;
const LONGEST_DELAY_MILLISECONDS = 2_000;
const CONNECT_MILLISECONDS = 5_000;
/**
 * A connection without traffic is given up after three of these: a hung or vanished server is detected within 7.5 s.
 * Servers monitor their clients likewise, and close them within 8 s (deploy/nats.conf).
 */
const PING_MILLISECONDS = 2_500;
const MAX_PINGS_OUT = 2;
/** The longest time of a timer, so that the client library sends no pings of its own. */
const NEVER_MILLISECONDS = 2_147_483_647;
/** How many failed attempts are summarised in one log line. */
const LOG_EVERY = 10;

/** The pause before the next attempt to connect. */
interface Backoff {
  /** Milliseconds; constant until an attempt fails, because the client asks several times during one pause. */
  delay(): number;
  failed(): void;
  reset(): void;
}

/** Doubles from 100 ms to 2 s, with jitter so that the replicas do not all reconnect simultaneously. */
export function createBackoff(random: () => number = Math.random): Backoff {
  let ceiling = FIRST_DELAY_MILLISECONDS;
  let current = 0;
  const choose = (milliseconds: number): void => {
    ceiling = milliseconds;
    current = Math.round(ceiling * (0.5 + random() / 2));
  };
  choose(FIRST_DELAY_MILLISECONDS);
  return {
    delay: () => current,
    failed: () => choose(Math.min(ceiling * 2, LONGEST_DELAY_MILLISECONDS)),
    reset: () => choose(FIRST_DELAY_MILLISECONDS),
  };
}

function logRetry({ logger, name: connection }: ConnectionOptions, error: unknown): void {
  const known = error === undefined ? {} : { error };
  logger.warn('NATS does not answer yet, retrying', { connection, variable: 'NATS_URL', ...known });
}

/** The client library wraps a refused connection, and names a server without TLS only in its sentence. */
function reasonOf(error: unknown, options: ConnectionOptions): unknown {
  const refusal = startRefusal(error, options);
  if (refusal || !(error instanceof errors.ConnectionError)) return refusal ?? error;
  return error.message.includes("'tls'") ? withoutTls() : (error.cause ?? error);
}

/** Attempts to restore a connection that stood. */
interface Retries {
  /** Logs why, for the first of an interruption and then for every tenth. */
  failed(error: unknown): void;
  reset(): void;
}

function createRetries(options: ConnectionOptions): Retries {
  let attempts = 0;
  return {
    failed(error) {
      if (attempts % LOG_EVERY === 0) logRetry(options, reasonOf(error, options));
      attempts += 1;
    },
    reset() {
      attempts = 0;
    },
  };
}

function natsOptions(options: ConnectionOptions, delay: () => number): NodeConnectionOptions {
  return {
    servers: options.servers.map((server) => new URL(server).host),
    // Keeps the order of the caller, who has shuffled them.
    noRandomize: true,
    // Node tries all addresses of a name; the client library would report only the error of the last one.
    resolve: false,
    // With this option the client refuses every server without TLS, including those that a cluster announces, and on
    // each reconnect.
    ...(options.tls ? { tls: guardedTls(options.tls, options.servers) } : {}),
    ...(options.login ? { authenticator: options.login.authenticator } : {}),
    // Otherwise two refused logins end a connection permanently, although NATS may not know a new user for a while.
    ignoreAuthErrorAbort: true,
    name: options.name,
    timeout: CONNECT_MILLISECONDS,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: delay,
    // See Heartbeat.
    pingInterval: NEVER_MILLISECONDS,
    ignoreClusterUpdates: false,
    // Otherwise each question costs a stack trace that is never used.
    noAsyncTraces: true,
  };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(handle);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const handle = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}

export interface Connected {
  readonly connection: NatsConnection;
  readonly backoff: Backoff;
  readonly retries: Retries;
}

/** In random order, so that not all replicas connect to the same server. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

/**
 * Servers that answer come first; the others may come back later. Throws `nats_without_tls` if that is the only
 * problem.
 */
async function orderServers({ servers, tls }: NatsAccess): Promise<readonly string[] | undefined> {
  const probed = await Promise.all(
    shuffled(servers).map(async (server) => ({ server, found: await probeNats(server, CONNECT_MILLISECONDS) })),
  );
  const isUsable = ({ found }: { found: string }): boolean => found === 'with_tls' || (found === 'plain' && !tls);
  const usable = probed.filter(isUsable);
  if (usable.length > 0) return [...usable, ...probed.filter((one) => !isUsable(one))].map(({ server }) => server);
  if (probed.some(({ found }) => found === 'plain')) throw withoutTls();
  return undefined;
}

/** Undefined if no server answers. @throws DomainError if a retry cannot help */
async function connectOnce(options: ConnectionOptions, backoff: Backoff): Promise<Connected | undefined> {
  const servers = await orderServers(options);
  if (!servers) return undefined;
  const retries = createRetries(options);
  let connection: NatsConnection | undefined;
  let heard: Error | undefined;
  const wasSetBack = createClockWatch();
  const delay = (): number => {
    if (wasSetBack() && connection) forgetAttempts(connection);
    return backoff.delay();
  };
  try {
    connection = await connectGuarded(natsOptions({ ...options, servers }, delay), {
      onTlsError: (error) => (heard ??= error),
      onFailure: (error) => {
        if (connection) retries.failed(error);
      },
    });
  } catch (error) {
    throw startRefusal(error, options) ?? startRefusal(heard, options) ?? error;
  }
  if (hasRoom(connection, options)) return { connection, backoff, retries };
  const refusal = payloadTooSmall(connection.info?.max_payload, options.payloadBytes);
  await connection.close();
  throw refusal;
}

/** Does the server that is connected to take messages of the size that they may have? */
export function hasRoom(
  { info }: NatsConnection,
  { payloadBytes = 0 }: Pick<ConnectionOptions, 'payloadBytes'>,
): boolean {
  return (info?.max_payload ?? 0) >= payloadBytes;
}

/** Until the connection is closed. */
async function beat(connection: NatsConnection): Promise<void> {
  const heartbeat = new Heartbeat(connection, PING_MILLISECONDS, MAX_PINGS_OUT);
  heartbeat.start();
  for await (const { type } of connection.status()) {
    if (type === 'disconnect') heartbeat.stop();
    else if (type === 'reconnect') heartbeat.start();
  }
  heartbeat.stop();
}

/**
 * Tries until NATS answers or `signal` aborts (then undefined); after that, the connection reconnects indefinitely,
 * whatever errors it receives.
 * @throws DomainError if a retry cannot help: `nats_without_tls`, `nats_certificate_refused`, `nats_login_refused`,
 * `nats_client_certificate_refused`, `nats_payload_too_small`
 */
export async function connectToNats(options: ConnectionOptions, signal: AbortSignal): Promise<Connected | undefined> {
  const backoff = createBackoff();
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    let error: unknown;
    try {
      const opened = await connectOnce(options, backoff);
      if (signal.aborted) await opened?.connection.close();
      else if (opened) {
        backoff.reset();
        void beat(opened.connection);
        options.logger.info('connected to NATS', { connection: options.name });
        return opened;
      }
    } catch (caught) {
      if (caught instanceof DomainError) throw caught;
      error = caught;
    }
    if (signal.aborted) return undefined;
    if (attempt % LOG_EVERY === 0) logRetry(options, error);
    await pause(backoff.delay(), signal);
    backoff.failed();
  }
  return undefined;
}

/** How many problems that NATS reports are logged per second: a client may provoke them. */
const PROBLEM_LINES_PER_SECOND = 5;

type Problem = Extract<Status, { type: 'error' | 'slowConsumer' }>;

function problemReporter({ logger, name }: Pick<ConnectionOptions, 'logger' | 'name'>): (status: Problem) => void {
  const budget = createLineBudget({
    perSecond: PROBLEM_LINES_PER_SECOND,
    onLeftOut: (problem, leftOut) => logger.warn('log lines about NATS problems were omitted', { problem, leftOut }),
  });
  return (status) => {
    if (!budget(status.type)) return;
    const { operation } = (status.type === 'error' ? status.error : {}) as { readonly operation?: unknown };
    logger.warn('NATS reports a problem', { connection: name, problem: status.type, operation });
  };
}

/** Follows a connection until it is closed; logs and reports when it is lost and restored. */
export async function followStatus(
  { connection, backoff, retries }: Connected,
  options: Pick<ConnectionOptions, 'logger' | 'name' | 'payloadBytes'>,
  onChange: (isUp: boolean) => void,
): Promise<void> {
  const { logger, name } = options;
  const reportProblem = problemReporter({ logger, name });
  for await (const status of connection.status()) {
    const { type } = status;
    if (type === 'disconnect') {
      onChange(false);
      logger.warn('the connection to NATS is lost, reconnecting', { connection: name });
    } else if (type === 'reconnect') {
      backoff.reset();
      retries.reset();
      logger.info('connected to NATS again', { connection: name });
      if (!hasRoom(connection, options)) {
        const { detail } = payloadTooSmall(connection.info?.max_payload, options.payloadBytes);
        logger.error('this NATS server takes too small messages: the process is not ready', {
          connection: name,
          detail,
        });
      }
      onChange(true);
    } else if (type === 'reconnecting') {
      backoff.failed();
    } else if (type === 'error' && isLoginRefusal(status.error)) {
      retries.failed(status.error);
    } else if (type === 'error' || type === 'slowConsumer') {
      reportProblem(status);
    }
  }
  onChange(false);
}
