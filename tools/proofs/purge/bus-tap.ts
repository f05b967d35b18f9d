import { connect, NoRespondersError, TimeoutError, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { findForms, type Form } from './canary';
import type { Place } from './places';

/** What was observed on the bus: every published message. */
export interface BusTap {
  /** Subjects and headers, which are visible in monitoring and traces. */
  readonly envelopes: Place;
  /** Whether anything on the bus stores messages. */
  readonly stores: Place;
  /** Seconds since the start of the first and the last message that contained a canary. */
  carried(): { readonly messages: number; readonly first: number; readonly last: number };
  stop(): Promise<void>;
}

const JETSTREAM = '$JS.API.STREAM.NAMES';

/**
 * JetStream's report about its streams; empty without JetStream. The tap itself receives the request and stays silent,
 * so that a missing answer shows as a timeout.
 */
async function readStores(connection: NatsConnection): Promise<string | undefined> {
  try {
    return (await connection.request(JETSTREAM, '', { timeout: 1_000 })).string();
  } catch (error) {
    const silent = error instanceof TimeoutError || error instanceof NoRespondersError;
    if (silent && connection.info?.jetstream !== true) return undefined;
    throw error;
  }
}

const envelopeOf = (message: Msg) =>
  [
    message.subject,
    message.reply ?? '',
    ...[...(message.headers ?? [])].flatMap(([name, values]) => [name, ...values]),
  ].join('\n');

/** Subscribes to everything, as anybody with access to the bus could. */
export async function tapBus(url: string, forms: readonly Form[], elapsed: () => number): Promise<BusTap> {
  const connection = await connect({ servers: [url], name: 'purge proof' });
  const envelopes: string[] = [];
  const carried = { messages: 0, first: 0, last: 0 };
  const subscription = connection.subscribe('>', {
    callback: (error, message) => {
      if (error) return;
      envelopes.push(envelopeOf(message));
      if (findForms(Buffer.from(message.data), forms).length === 0) return;
      carried.last = elapsed();
      if (carried.messages === 0) carried.first = carried.last;
      carried.messages += 1;
    },
  });
  await connection.flush();
  return {
    envelopes: {
      name: 'bus: subjects, headers, trace context',
      read: () =>
        Promise.resolve([{ where: `${envelopes.length} messages`, bytes: Buffer.from(envelopes.join('\n')) }]),
    },
    stores: {
      name: 'bus: stores',
      async read() {
        const streams = await readStores(connection);
        return streams === undefined ? [] : [{ where: 'JetStream', bytes: Buffer.from(streams) }];
      },
    },
    carried: () => carried,
    async stop() {
      subscription.unsubscribe();
      await connection.close();
    },
  };
}
