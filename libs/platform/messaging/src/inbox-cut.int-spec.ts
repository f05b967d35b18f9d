import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { contract } from '@vestibule/contracts';
import { z } from 'zod';
import { type Asker, createAsker } from './asker';
import { logger, natsUrl, openWire, uniqueSubject, until } from './bus.stage';

jest.setTimeout(120_000);

const question = z.object({ text: z.string() });
const answer = z.object({ text: z.string() });
const COUNT = 25;
const texts = Array.from({ length: COUNT }, (_, index) => `text ${index}`);

describe('questions that wait while the connection is cut', () => {
  let service: NatsConnection;
  let wire: Awaited<ReturnType<typeof openWire>>;
  let asker: Asker;
  /** Questions without an answer so far. */
  const held: Msg[] = [];
  const patient = contract(uniqueSubject(), question, answer, 90_000);
  const hasty = contract(uniqueSubject(), question, answer, 500);

  beforeEach(async () => {
    held.splice(0);
    service = await connect({ servers: natsUrl });
    for (const { subject } of [patient, hasty])
      service.subscribe(subject, { callback: (_error, message) => void held.push(message) });
    await service.flush();
    wire = await openWire();
    asker = createAsker({ servers: [wire.url], name: 'asker', logger });
    await until(() => asker.isConnected());
  });
  afterEach(async () => {
    await asker.close();
    await service.close();
    await wire.close();
  });

  const answerAll = () => {
    for (const message of held) {
      const { text } = message.json<{ data: { text: string } }>().data;
      message.respond(JSON.stringify({ response: { ok: true, answer: { text } } }));
    }
  };
  const askAll = (one: typeof patient) => texts.map((text) => asker.ask(one, { text }));
  const codes = (asked: readonly Promise<unknown>[]) =>
    Promise.all(asked.map((one) => one.catch((error: { code: string }) => error.code)));

  it('get their own answers where these come after it is back', async () => {
    const asked = askAll(patient);
    await until(() => held.length === COUNT);
    wire.cut();
    await until(() => !asker.isConnected());
    wire.mend();
    await until(() => asker.isConnected());
    held.reverse();
    answerAll();
    await expect(Promise.all(asked)).resolves.toEqual(texts.map((text) => ({ text })));
  });

  it('end as service_timeout where their answers came meanwhile, and none hangs', async () => {
    const asked = codes(askAll(hasty));
    await until(() => held.length === COUNT);
    wire.cut();
    answerAll();
    await service.flush();
    await expect(asked).resolves.toEqual(texts.map(() => 'service_timeout'));
    wire.mend();
    await until(() => asker.isConnected());
    // Neither the lost answers nor repeated ones are taken for those of new questions.
    const later = askAll(patient);
    await until(() => held.length === 2 * COUNT);
    for (const message of held.slice(0, COUNT))
      message.respond(JSON.stringify({ response: { ok: true, answer: { text: 'of another question' } } }));
    answerAll();
    await expect(Promise.all(later)).resolves.toEqual(texts.map((text) => ({ text })));
  });

  it('that come while it is cut are service_unavailable at once', async () => {
    wire.cut();
    await until(() => !asker.isConnected());
    await expect(codes(askAll(patient))).resolves.toEqual(texts.map(() => 'service_unavailable'));
    expect(held).toEqual([]);
  });

  it('are service_unavailable where the process closes before it is back', async () => {
    const asked = codes(askAll(patient));
    await until(() => held.length === COUNT);
    wire.cut();
    await until(() => !asker.isConnected());
    await asker.close();
    await expect(asked).resolves.toEqual(texts.map(() => 'service_unavailable'));
  });
});

describe('a connection that breaks after the clock was set back', () => {
  it('is opened again at once, not when the clock is there again', async () => {
    const wire = await openWire();
    const ahead = jest.spyOn(Date, 'now').mockImplementation(() => new Date().getTime() + 3_600_000);
    const asker = createAsker({ servers: [wire.url], name: 'asker', logger });
    try {
      await until(() => asker.isConnected());
      ahead.mockRestore();
      wire.cut();
      await until(() => wire.refused() > 1);
      wire.mend();
      await until(() => asker.isConnected());
    } finally {
      ahead.mockRestore();
      await asker.close();
      await wire.close();
    }
  });
});
