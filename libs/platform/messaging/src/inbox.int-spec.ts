import { connect, type NatsConnection } from '@nats-io/transport-node';
import { contract } from '@vestibule/contracts';
import { z } from 'zod';
import { type Asker, createAsker } from './asker';
import { logger, namesOf, natsUrl, publishRaw, uniqueSubject, until } from './bus.stage';

jest.setTimeout(180_000);

const question = z.strictObject({ text: z.string() });
const answer = z.object({ text: z.string() });
const saying = (text: string) => JSON.stringify({ response: { ok: true, answer: { text } } });

describe('the inbox for answers', () => {
  let stranger: NatsConnection;
  let asker: Asker;
  /** The reply subjects of the questions so far, and whether the stranger answers them. */
  const replies: string[] = [];
  let answers = true;
  const asked = contract(uniqueSubject(), question, answer, 60_000);

  beforeAll(async () => {
    stranger = await connect({ servers: natsUrl });
    stranger.subscribe(asked.subject, {
      callback: (_error, message) => {
        replies.push(message.reply ?? '');
        if (answers) message.respond(saying('genuine'));
      },
    });
    await stranger.flush();
    asker = createAsker({ servers: [natsUrl], name: 'asker', logger });
    await until(() => asker.isConnected());
  });
  afterAll(async () => {
    await asker.close();
    await stranger.close();
  });
  beforeEach(() => {
    replies.splice(0);
    answers = true;
  });

  it('has reply subjects of 128 random bits, of which none follows from others', async () => {
    for (let count = 0; count < 50; count += 1) await asker.ask(asked, { text: 'mine' });
    const tokens = replies.map((reply) => reply.split('.')[2] ?? '');
    expect(tokens.map((token) => Buffer.from(token, 'base64url').byteLength)).toEqual(tokens.map(() => 16));
    // What numbers have in common: neighbours that begin alike.
    const beginnings = new Set(tokens.map((token) => token.slice(0, 4)));
    expect(beginnings.size).toBeGreaterThan(45);
    expect(new Set(replies.map((reply) => reply.split('.')[1])).size).toBe(1);
  });

  it('takes one answer, and none after it', async () => {
    answers = false;
    const first = asker.ask(asked, { text: 'a' });
    await until(() => replies.length === 1);
    const [reply = ''] = replies;
    stranger.publish(reply, saying('one'));
    stranger.publish(reply, saying('two'));
    await expect(first).resolves.toEqual({ text: 'one' });
    const second = asker.ask(asked, { text: 'b' });
    await until(() => replies.length === 2);
    stranger.publish(reply, saying('late'));
    stranger.publish(replies[1] ?? '', saying('three'));
    await expect(second).resolves.toEqual({ text: 'three' });
  });

  it.each([
    ['a bad name', 'NATS/1.0\r\nbad key: x\r\n\r\n'],
    ['nonsense', 'nonsense\r\n\r\n'],
    // The client library alone takes minutes to parse them.
    ['a megabyte of names', `NATS/1.0\r\n${namesOf(1_000_000)}\r\n`],
  ])('survives an answer whose headers are %s: it breaks the contract, and others are heard', async (_, header) => {
    answers = false;
    const spoilt = asker.ask(asked, { text: 'a' });
    const spoiltEnd = expect(spoilt).rejects.toMatchObject({ code: 'invalid_answer' });
    const other = asker.ask(asked, { text: 'b' });
    other.catch(() => undefined);
    await until(() => replies.length === 2);
    await publishRaw(`HPUB ${replies[0]} ${header.length} ${header.length}\r\n${header}\r\n`);
    await spoiltEnd;
    stranger.publish(replies[1] ?? '', saying('heard'));
    await expect(other).resolves.toEqual({ text: 'heard' });
    answers = true;
    await expect(asker.ask(asked, { text: 'c' })).resolves.toEqual({ text: 'genuine' });
  });

  it('says at once that nobody listens', async () => {
    const deaf = contract(uniqueSubject(), question, answer, 60_000);
    await expect(asker.ask(deaf, { text: 'a' })).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('ends what waits when it is closed', async () => {
    answers = false;
    const closing = createAsker({ servers: [natsUrl], name: 'closing', logger });
    await until(() => closing.isConnected());
    const end = expect(closing.ask(asked, { text: 'a' })).rejects.toMatchObject({ code: 'service_unavailable' });
    await until(() => replies.length === 1);
    await closing.close();
    await end;
  });
});
