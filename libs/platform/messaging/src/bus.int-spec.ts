import { connect } from '@nats-io/transport-node';
import { contract } from '@vestibule/contracts';
import { ApiError, DomainError } from '@vestibule/foundation';
import { currentRequestContext, withRequestContext } from '@vestibule/process';
import { z } from 'zod';
import { type Asker, createAsker } from './asker';
import { lines, logger, namesOf, natsUrl, openWire, publishRaw, startService, uniqueSubject, until } from './bus.stage';

jest.setTimeout(180_000);

const CANARY = 'canary-value';
const question = z.strictObject({ text: z.string() });
const answerSchema = z.object({ text: z.string() });
const echo = contract(uniqueSubject(), question, answerSchema);
const whoAmI = contract(uniqueSubject(), question, z.object({ requestId: z.string(), traceparent: z.string() }));
const refusing = contract(uniqueSubject(), question, answerSchema);
const crashing = contract(uniqueSubject(), question, answerSchema);
const slow = contract(uniqueSubject(), question, answerSchema, 150);
const large = contract(uniqueSubject(), question, answerSchema);
const deaf = contract(uniqueSubject(), question, answerSchema);
const newer = contract(echo.subject, question, z.object({ text: z.string(), added: z.string() }));

describe('asking and answering over NATS', () => {
  /** When the tests are done: until then a slow question has no answer. */
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  let asker: Asker;
  let service: Awaited<ReturnType<typeof startService>>;

  beforeAll(async () => {
    service = await startService((server) =>
      server
        .answer(echo, ({ text }) => ({ text }))
        .answer(whoAmI, () => {
          const context = currentRequestContext();
          return { requestId: context?.requestId ?? '', traceparent: context?.traceparent ?? '' };
        })
        .answer(refusing, () => {
          const faults = [{ path: 'text', message: 'is odd' }];
          throw new ApiError({ kind: 'conflict', code: 'invalid_request', detail: 'the text is odd', faults });
        })
        .answer(crashing, ({ text }) => {
          throw new Error(text);
        })
        .answer(slow, async ({ text }) => {
          await over;
          return { text };
        })
        .answer(large, () => ({ text: 'x'.repeat(3_000_000) })),
    );
    asker = createAsker({ servers: [natsUrl], name: 'asker', logger });
    await until(() => asker.isConnected());
  });
  afterAll(async () => {
    end();
    await asker.close();
    await service.app.close();
  });
  beforeEach(() => void lines.splice(0));

  const failure = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);

  it('brings the question there and the answer back', async () => {
    await expect(asker.ask(echo, { text: 'Grüße' })).resolves.toEqual({ text: 'Grüße' });
  });

  it('keeps 200 parallel questions apart', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map((text) => asker.ask(echo, { text })));
    expect(answers.map(({ text }) => text)).toEqual(texts);
  });

  it('carries the request id and the trace along', async () => {
    const context = { requestId: 'request-42', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const asked = withRequestContext(context, () => asker.ask(whoAmI, { text: '' }));
    await expect(asked).resolves.toEqual(context);
  });

  it('throws the service’s own error with kind, code, detail and faults', async () => {
    const error = await failure(asker.ask(refusing, { text: '' }));
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({
      kind: 'conflict',
      code: 'invalid_request',
      detail: 'the text is odd',
      faults: [{ path: 'text', message: 'is odd' }],
    });
  });

  it('throws internal_error for anything else, and no log line holds the message', async () => {
    await expect(asker.ask(crashing, { text: CANARY })).rejects.toMatchObject({
      kind: 'internal',
      code: 'internal_error',
    });
    expect(lines.join()).toContain('a request failed unexpectedly');
    expect(lines.join()).not.toContain(CANARY);
  });

  it('throws service_timeout after the contract’s time', async () => {
    await expect(asker.ask(slow, { text: '' })).rejects.toMatchObject({ kind: 'unavailable', code: 'service_timeout' });
  });

  it('throws service_unavailable at once when nobody listens', async () => {
    // One that waited for its time would be `service_timeout`.
    await expect(asker.ask(deaf, { text: '' })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'service_unavailable',
    });
  });

  it('refuses to send a question that breaks the contract', async () => {
    const wrong = { text: 7 } as unknown as { text: string };
    await expect(asker.ask(echo, wrong)).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_message' });
  });

  it('throws invalid_answer when the service answers by an older contract', async () => {
    await expect(asker.ask(newer, { text: 'x' })).rejects.toMatchObject({ kind: 'internal', code: 'invalid_answer' });
  });

  it('says so when a message is beyond the broker’s limit, in either direction', async () => {
    await expect(asker.ask(echo, { text: 'x'.repeat(3_000_000) })).rejects.toMatchObject({ code: 'message_too_large' });
    await expect(asker.ask(large, { text: '' })).rejects.toMatchObject({ kind: 'internal', code: 'answer_not_sent' });
  });

  it('answers a message that is no JSON with invalid_message, and logs none of it', async () => {
    const stranger = await connect({ servers: natsUrl });
    const reply = await stranger.request(echo.subject, `{"text": ${CANARY}`, { timeout: 60_000 });
    expect(reply.json()).toMatchObject({ response: { ok: false, error: { code: 'invalid_message' } } });
    await stranger.close();
    expect(lines.join()).not.toContain(CANARY);
  });

  // The client library alone would take minutes for the first: the square of the number of names.
  it.each([
    ['a megabyte', 1_000_000],
    ['ten kilobytes', 10_000],
  ])('refuses a question with %s of header names, and answers others', async (_, bytes) => {
    const stranger = await connect({ servers: natsUrl });
    const heard: string[] = [];
    const replyTo = `${uniqueSubject()}.reply`;
    stranger.subscribe(replyTo, { callback: (_error, message) => void heard.push(message.string()) });
    await stranger.flush();
    const header = `NATS/1.0\r\n${namesOf(bytes)}\r\n`;
    const body = JSON.stringify({ data: { text: 'x' } });
    const { length } = header;
    await publishRaw(`HPUB ${echo.subject} ${replyTo} ${length} ${length + body.length}\r\n${header}${body}\r\n`);
    await until(() => heard.length > 0);
    expect(JSON.parse(heard[0] ?? '')).toMatchObject({ response: { ok: false, error: { code: 'invalid_message' } } });
    await expect(asker.ask(echo, { text: 'y' })).resolves.toEqual({ text: 'y' });
    await stranger.close();
  });

  it('lets a subject be answered once only', async () => {
    const twice = startService((one) =>
      one.answer(echo, ({ text }) => ({ text })).answer(echo, ({ text }) => ({ text })),
    );
    await expect(twice).rejects.toThrow(RangeError);
  });
});

describe('what a question costs and says', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function open(clocks: { asker?: () => Date; service?: () => Date } = {}) {
    const asked = contract(uniqueSubject(), question, answerSchema);
    let served = 0;
    const handler = ({ text }: { text: string }) => {
      served += 1;
      return { text };
    };
    const service = await startService((server) => server.answer(asked, handler), {
      ...(clocks.service ? { clock: clocks.service } : {}),
    });
    closers.push(() => service.app.close());
    const wire = await openWire();
    closers.push(() => wire.close());
    const options = { servers: [wire.url], name: 'asker', logger, ...(clocks.asker ? { clock: clocks.asker } : {}) };
    const asker = createAsker(options);
    closers.push(() => asker.close());
    await until(() => asker.isConnected());
    return { asked, asker, wire, served: () => served };
  }

  it('one subscription for all answers, however many questions are asked, at once and one after the other', async () => {
    const { asked, asker, wire } = await open();
    await Promise.all(Array.from({ length: 50 }, (_, index) => asker.ask(asked, { text: String(index) })));
    for (let index = 0; index < 20; index += 1) await asker.ask(asked, { text: String(index) });
    const lines = wire.sent().split('\r\n');
    expect(lines.filter((line) => line.startsWith('SUB '))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('UNSUB '))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('HPUB '))).toHaveLength(70);
  });

  it('one pass of JSON each way on each side', async () => {
    const { asked, asker } = await open();
    await asker.ask(asked, { text: 'first' });
    const [parse, stringify] = [jest.spyOn(JSON, 'parse'), jest.spyOn(JSON, 'stringify')];
    try {
      await asker.ask(asked, { text: 'counted' });
      const holding = (values: readonly unknown[]) => values.filter((value) => String(value).includes('counted'));
      expect(holding(parse.mock.calls.map(([text]) => text))).toHaveLength(2);
      expect(holding(stringify.mock.results.map(({ value }) => value as unknown))).toHaveLength(2);
    } finally {
      parse.mockRestore();
      stringify.mockRestore();
    }
  });

  it('carries its deadline, of the asker’s clock and the contract’s time', async () => {
    const now = new Date('2026-03-01T12:00:00.000Z');
    const { asked, asker, wire } = await open({ asker: () => now, service: () => now });
    await asker.ask(asked, { text: '' });
    expect(wire.sent()).toContain(`answer-by: ${now.getTime() + asked.timeoutMilliseconds}\r\n`);
  });

  it.each([-2_000, 2_000])('is answered where the clocks differ by what they may: %i ms', async (milliseconds) => {
    const now = new Date();
    const other = new Date(now.getTime() + milliseconds);
    const { asked, asker, served } = await open({ asker: () => now, service: () => other });
    await expect(asker.ask(asked, { text: 'x' })).resolves.toEqual({ text: 'x' });
    expect(served()).toBe(1);
  });

  it('is neither worked on nor answered when it comes after its deadline', async () => {
    const now = new Date();
    const { asked, asker, served } = await open({ asker: () => now, service: () => muchLater });
    const muchLater = new Date(now.getTime() + asked.timeoutMilliseconds + 2_001);
    await expect(asker.ask(asked, { text: 'x' })).rejects.toMatchObject({
      code: 'service_timeout',
      detail: 'a service did not respond in time',
    });
    expect(served()).toBe(0);
  });
});
