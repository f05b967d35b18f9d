import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { contract } from '@vestibule/contracts';
import { z } from 'zod';
import { type Asker, createAsker } from './asker';
import { logger, natsUrl, openWire, startService, until } from './bus.stage';

jest.setTimeout(180_000);

const text = z.object({ text: z.string() });
const keyed = z.object({ text: z.string(), idempotencyKey: z.string().optional() });
/** Subjects that are declared; nobody else answers them on the NATS of this file. */
const reading = contract('issuer.credential-offer.get', text, text, 5_000);
const creating = contract('issuer.credential-offer.create', keyed, text, 5_000);
const redeeming = contract('issuer.token.issue', text, text, 5_000);
const saying = (answer: string) => JSON.stringify({ response: { ok: true, answer: { text: answer } } });

describe('a question without an answer', () => {
  let replica: NatsConnection;
  let asker: Asker;
  const got: Msg[] = [];
  beforeAll(async () => {
    replica = await connect({ servers: natsUrl });
    // Other files on this server publish below these subjects, too.
    const take = (_error: Error | null, message: Msg) =>
      void (message.reply?.startsWith('_INBOX_asker.') && got.push(message));
    for (const { subject } of [reading, creating, redeeming])
      replica.subscribe(subject, { queue: 'issuer', callback: take });
    await replica.flush();
    asker = createAsker({ servers: [natsUrl], name: 'asker', logger });
    await until(() => asker.isConnected());
  });
  afterAll(async () => {
    await asker.close();
    await replica.close();
  });
  beforeEach(() => void got.splice(0));

  const headerOf = (message: Msg | undefined) => message?.headers?.get('answer-by');

  it('is asked once more where that is safe, with the deadline of the first and a reply subject of its own', async () => {
    const asked = asker.ask(reading, { text: 'x' });
    await until(() => got.length === 2);
    expect(headerOf(got[1])).toBe(headerOf(got[0]));
    expect(got[1]?.reply).not.toBe(got[0]?.reply);
    got[1]?.respond(saying('second'));
    await expect(asked).resolves.toEqual({ text: 'second' });
    expect(got).toHaveLength(2);
  });

  it('takes the answer of the first, though it was asked again', async () => {
    const asked = asker.ask(reading, { text: 'x' });
    await until(() => got.length === 2);
    got[0]?.respond(saying('first'));
    got[1]?.respond(saying('second'));
    await expect(asked).resolves.toEqual({ text: 'first' });
  });

  it('that creates is asked once more only with an idempotency key', async () => {
    const withKey = asker.ask(creating, { text: 'x', idempotencyKey: 'k' });
    await until(() => got.length === 2);
    got[1]?.respond(saying('made'));
    await expect(withKey).resolves.toEqual({ text: 'made' });
    got.splice(0);
    await expect(asker.ask(creating, { text: 'x' })).rejects.toMatchObject({ code: 'service_timeout' });
    await expect(asker.ask(redeeming, { text: 'x' })).rejects.toMatchObject({ code: 'service_timeout' });
    expect(got).toHaveLength(2);
  });

  it('is still the first one’s when nobody takes the second', async () => {
    const other = contract('verifier.presentation-request.get', text, text, 5_000);
    const wire = await openWire();
    const watched = createAsker({ servers: [wire.url], name: 'watched', logger });
    await until(() => watched.isConnected());
    replica.subscribe(other.subject, { max: 1, callback: (_error, message) => void got.push(message) });
    await replica.flush();
    const asked = watched.ask(other, { text: 'x' });
    await until(() => got.length === 1);
    await until(() => wire.sent().split(`HPUB ${other.subject} `).length === 3);
    got[0]?.respond(saying('slow'));
    await expect(asked).resolves.toEqual({ text: 'slow' });
    await watched.close();
    await wire.close();
  });

  it('gets through at a second replica while the first one hangs', async () => {
    // The hanging one and this one share the queue group: each question goes to one of both.
    const { app } = await startService((one) => one.answer(reading, ({ text: asked }) => ({ text: asked })), {
      queue: 'issuer',
    });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) => asker.ask(reading, { text: String(index) })),
    );
    const answered = outcomes.filter(({ status }) => status === 'fulfilled').length;
    // A quarter meets the hanging one twice: by chance never as many as this.
    expect(answered).toBeGreaterThan(110);
    await app.close();
  });
});
