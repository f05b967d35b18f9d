import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { type Logger } from '@vestibule/process';

export interface ConnectionOptions {
  /** `nats://host:4222`, one or several of one cluster. */
  readonly servers: readonly string[];
  /** How NATS monitoring names the connection. */
  readonly name: string;
  readonly logger: Logger;
}

const FIRST_DELAY_MILLISECONDS = 100;
const LONGEST_DELAY_MILLISECONDS = 2_000;
const CONNECT_MILLISECONDS = 5_000;
const PING_MILLISECONDS = 20_000;
/** Every so many failed attempts one line is logged. */
const LOG_EVERY = 10;

/** The pause before the next attempt to connect. */
interface Backoff {
  /** Milliseconds; the same until an attempt fails: the client asks several times during one pause. */
  delay(): number;
  failed(): void;
  reset(): void;
}

/** Doubles from 100 ms to 2 s, with jitter so that the replicas do not come back all at once. */
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

function natsOptions(options: ConnectionOptions, backoff: Backoff): NodeConnectionOptions {
  return {
    servers: [...options.servers],
    name: options.name,
    timeout: CONNECT_MILLISECONDS,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => backoff.delay(),
    pingInterval: PING_MILLISECONDS,
    maxPingOut: 2,
    ignoreClusterUpdates: false,
    // Otherwise each question costs the stack of an error that is thrown away.
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
}

/** Tries until NATS answers or `signal` aborts (then undefined); afterwards the connection reconnects for ever. */
export async function connectToNats(options: ConnectionOptions, signal: AbortSignal): Promise<Connected | undefined> {
  const backoff = createBackoff();
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const connection = await connect(natsOptions(options, backoff));
      if (signal.aborted) {
        await connection.close();
        return undefined;
      }
      backoff.reset();
      options.logger.info('connected to NATS', { connection: options.name });
      return { connection, backoff };
    } catch (error) {
      if (attempt % LOG_EVERY === 0)
        options.logger.warn('NATS does not answer yet, trying again', { connection: options.name, error });
      await pause(backoff.delay(), signal);
      backoff.failed();
    }
  }
  return undefined;
}

/** Follows a connection until it is closed, logs its ups and downs and reports whether it is usable. */
export async function followStatus(
  { connection, backoff }: Connected,
  { logger, name }: Pick<ConnectionOptions, 'logger' | 'name'>,
  onChange: (usable: boolean) => void,
): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'disconnect') {
      onChange(false);
      logger.warn('the connection to NATS is lost, reconnecting', { connection: name });
    } else if (type === 'reconnect') {
      backoff.reset();
      onChange(true);
      logger.info('connected to NATS again', { connection: name });
    } else if (type === 'reconnecting') {
      backoff.failed();
    } else if (type === 'error' || type === 'slowConsumer') {
      logger.warn('NATS reports a problem', { connection: name, problem: type });
    }
  }
  onChange(false);
}
