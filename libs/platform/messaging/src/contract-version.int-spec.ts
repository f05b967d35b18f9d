import { connect, headers as natsHeaders } from '@nats-io/transport-node';
import { contract } from '@vestibule/contracts';
import { z } from 'zod';
import { type Asker, createAsker } from './asker';
import { lines, logger, natsUrl, openWire, startService, uniqueSubject, until } from './bus.stage';

jest.setTimeout(120_000);

const question = z.object({ text: z.string() });
const answer = z.object({ text: z.string() });

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
beforeEach(() => void lines.splice(0));

async function open(asks: number | undefined, understands?: { oldest: number; newest: number }) {
  const asked = contract(uniqueSubject(), question, answer);
  const served: string[] = [];
  const handler = ({ text }: { text: string }) => {
    served.push(text);
    return { text };
  };
  const service = await startService((server) => server.answer(asked, handler), {
    ...(understands ? { versions: understands } : {}),
  });
  closers.push(() => service.app.close());
  const wire = await openWire();
  closers.push(() => wire.close());
  const version = asks === undefined ? {} : { version: asks };
  const asker: Asker = createAsker({ servers: [wire.url], name: 'asker', logger, ...version });
  closers.push(() => asker.close());
  await until(() => asker.isConnected());
  return { asked, asker, served, wire };
}

const logged = (sentence: string) =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === sentence);

describe('a question', () => {
  it.each([
    ['the same version', 1, { oldest: 1, newest: 1 }],
    ['the oldest of two', 1, { oldest: 1, newest: 2 }],
    ['the newest of two', 2, { oldest: 1, newest: 2 }],
    ['one between', 2, { oldest: 1, newest: 3 }],
  ])('is answered where the service understands its version: %s', async (_what, asks, understands) => {
    const { asked, asker, served } = await open(asks, understands);
    await expect(asker.ask(asked, { text: 'x' })).resolves.toEqual({ text: 'x' });
    expect(served).toEqual(['x']);
    expect(logged('a question has a contract version that this program does not understand')).toEqual([]);
  });

  it.each([
    ['too new', 3, { oldest: 1, newest: 2 }],
    ['too old', 1, { oldest: 2, newest: 3 }],
  ])('is refused before anything is done where its version is %s, and both logs say both versions', async (...row) => {
    const [, asks, understands] = row;
    const { asked, asker, served } = await open(asks, understands);
    await expect(asker.ask(asked, { text: 'x' })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'contract_version_mismatch',
    });
    expect(served).toEqual([]);
    const { subject } = asked;
    expect(logged('a question has a contract version that this program does not understand')).toEqual([
      expect.objectContaining({ level: 'error', subject, asked: asks, ...understands }),
    ]);
    expect(logged('an answer has a contract version that this program does not understand')).toEqual([
      expect.objectContaining({ level: 'error', subject, asked: asks, answered: understands.newest }),
    ]);
  });

  it('carries its version in one short header', async () => {
    const { asked, asker, wire } = await open(undefined);
    await asker.ask(asked, { text: '' });
    expect(wire.sent()).toContain('contract-version: 1\r\n');
  });

  it('of a gateway that lacks members of now, and has others, is answered', async () => {
    const { asked, asker } = await open(undefined);
    const more = z.object({ text: z.string(), more: z.string() });
    const newer = contract(asked.subject, more, answer.extend({ added: z.string().optional() }));
    await expect(asker.ask(newer, { text: 'x', more: 'y' })).resolves.toEqual({ text: 'x' });
  });
});

describe('the versions that strangers and older programs say', () => {
  async function ask(version: readonly string[] | undefined, understands = { oldest: 1, newest: 1 }) {
    const { asked } = await open(undefined, understands);
    const connection = await connect({ servers: natsUrl });
    closers.push(() => connection.close());
    const headers = natsHeaders();
    for (const one of version ?? []) headers.append('contract-version', one);
    const options = { timeout: 60_000, ...(version ? { headers } : {}) };
    const reply = await connection.request(asked.subject, JSON.stringify({ data: { text: 'x' } }), options);
    return reply.json();
  }

  it('none is version 1, and so is the answer', async () => {
    await expect(ask(undefined)).resolves.toEqual({ version: 1, response: { ok: true, answer: { text: 'x' } } });
    await expect(ask(undefined, { oldest: 2, newest: 2 })).resolves.toMatchObject({
      version: 2,
      response: { ok: false, error: { kind: 'unavailable', code: 'contract_version_mismatch' } },
    });
  });

  it.each([[['1', '1']], [['0']], [['-1']], [['1.0']], [['01']], [['x'.repeat(5_000)]], [['9999999']]])(
    'is refused where it is no version: %j',
    async (said) => {
      await expect(ask(said)).resolves.toMatchObject({
        response: { ok: false, error: { code: 'contract_version_mismatch' } },
      });
      expect(lines.join()).not.toContain('xxxx');
    },
  );
});

describe('an answer', () => {
  async function answeredBy(packet: object, version?: number) {
    const asked = contract(uniqueSubject(), question, answer);
    const service = await connect({ servers: natsUrl });
    closers.push(() => service.close());
    service.subscribe(asked.subject, {
      callback: (_error, message) => void message.respond(JSON.stringify(packet)),
    });
    await service.flush();
    const asker = createAsker({
      servers: [natsUrl],
      name: 'asker',
      logger,
      ...(version === undefined ? {} : { version }),
    });
    closers.push(() => asker.close());
    await until(() => asker.isConnected());
    return asker.ask(asked, { text: '' });
  }
  const response = { ok: true, answer: { text: 'x', added: 'by a newer service' } };

  it('of a service that says no version counts as version 1, and members that are unknown are dropped', async () => {
    await expect(answeredBy({ response, isDisposed: true })).resolves.toEqual({ text: 'x' });
    await expect(answeredBy({ response }, 2)).rejects.toMatchObject({ code: 'contract_version_mismatch' });
  });

  it.each([2, 0, '1', null, 1.5, {}])('of version %j is refused by a gateway of version 1', async (version) => {
    await expect(answeredBy({ version, response })).rejects.toMatchObject({ code: 'contract_version_mismatch' });
    expect(logged('an answer has a contract version that this program does not understand')).toHaveLength(1);
  });

  it('that is refused says so even if it is an error with another code', async () => {
    const error = { kind: 'invalid', code: 'invalid_message', detail: 'd', faults: [] };
    await expect(answeredBy({ version: 7, response: { ok: false, error } })).rejects.toMatchObject({
      code: 'contract_version_mismatch',
    });
  });
});
