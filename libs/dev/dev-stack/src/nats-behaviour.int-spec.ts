import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { natsServersUnderTest } from './testing/nats-servers';
import { RawNatsClient } from './testing/raw-nats-client';

const QUIET = { verbose: false, pedantic: false, headers: true, no_responders: true };
const servers = natsServersUnderTest();

it('says against which servers the behaviour is checked', () => {
  const missing = servers.length > 1 ? '' : ' only: no nats-server on the PATH and none in TEST_NATS_URL';
  console.log(`NATS behaviour is checked on ${servers.map(({ title }) => title).join(' and ')}${missing}`);
  expect(servers.length).toBeGreaterThan(0);
});

describe.each(servers)('$title', ({ start }) => {
  let server: Awaited<ReturnType<typeof start>>;
  let clients: RawNatsClient[] = [];
  let subjects = 0;
  const open = async (options?: Readonly<Record<string, unknown>>) => {
    const client = await RawNatsClient.open(server.url, options);
    clients.push(client);
    return client;
  };
  const answersTo = async (text: string, options: Readonly<Record<string, unknown>> | undefined = QUIET) => {
    const client = await open(options);
    client.send(text);
    return client.answers();
  };
  /** A subject that nobody else uses: the server may be shared. */
  const fresh = () => `vestibule.test.${process.pid}.${Date.now()}.${(subjects += 1)}`;

  beforeAll(async () => {
    server = await start();
  });
  afterEach(() => {
    for (const client of clients) client.close();
    clients = [];
  });
  afterAll(() => server.stop());

  it('confirms operations when verbose, which a client is until it says otherwise', async () => {
    const s = fresh();
    const unsaid = await open();
    unsaid.send(`SUB ${s} 1\r\nPUB ${s} 2\r\nhi\r\n`);
    expect(await unsaid.answers()).toBe(`+OK\r\n+OK\r\nMSG ${s} 1 2\r\nhi\r\n`);
    expect(await answersTo('SUB a 1\r\nUNSUB 9\r\n', { verbose: true })).toBe('+OK\r\n+OK\r\n+OK\r\n');
    expect(await answersTo('SUB a 1\r\nUNSUB 1\r\n')).toBe('');
  });

  it('delivers by literal subjects and by wildcards for whole tokens', async () => {
    const s = fresh();
    const client = await open(QUIET);
    client.send(`SUB ${s}.a 1\r\nSUB ${s}.* 2\r\nSUB ${s}.> 3\r\nSUB ${s}.a* 4\r\n`);
    client.send(`PUB ${s}.a.b 1\r\nx\r\n`);
    expect(await client.answers()).toBe(`MSG ${s}.a.b 3 1\r\nx\r\n`);
    client.send(`PUB ${s}.a 1\r\ny\r\n`);
    const sids = [...(await client.answers()).matchAll(/ (\d) 1\r\ny\r\n/g)].map((match) => match[1]).sort();
    expect(sids).toEqual(['1', '2', '3']);
    client.send(`PUB ${s} 1\r\nz\r\nPUB ${s}..a 1\r\nz\r\n`);
    expect(await client.answers()).toBe('');
  });

  it('refuses subjects with empty tokens or a > before the end, and stays connected', async () => {
    const text = 'SUB a..b 1\r\nSUB >.a 2\r\nSUB .a 3\r\nSUB a. 4\r\n';
    expect(await answersTo(text)).toBe("-ERR 'Invalid Subject'\r\n".repeat(4));
  });

  it('gives a message to one member of each queue group and to every other subscriber', async () => {
    const s = fresh();
    const members = await Promise.all([open(QUIET), open(QUIET), open(QUIET)]);
    for (const member of members) {
      member.send(`SUB ${s} workers 1\r\n`);
      await member.answers();
    }
    const watcher = await open(QUIET);
    watcher.send(`SUB ${s} 7\r\n`);
    watcher.send(`PUB ${s} 1\r\nx\r\n`.repeat(60));
    expect((await watcher.answers()).match(/MSG/g)).toHaveLength(60);
    const counts = await Promise.all(
      members.map(async (member) => (await member.answers()).match(/MSG/g)?.length ?? 0),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60);
    expect(Math.max(...counts)).toBeLessThan(60);
  });

  it('ends a subscription after as many messages as UNSUB said, those before it included', async () => {
    const s = fresh();
    const publish = (count: number) => `PUB ${s} 1\r\nx\r\n`.repeat(count);
    const received = async (text: string) => ((await answersTo(text)).match(/MSG/g) ?? []).length;
    expect(await received(`SUB ${s} 1\r\nUNSUB 1 2\r\n${publish(3)}`)).toBe(2);
    expect(await received(`SUB ${s} 1\r\n${publish(1)}UNSUB 1 2\r\n${publish(3)}`)).toBe(2);
    expect(await received(`SUB ${s} 1\r\n${publish(2)}UNSUB 1 1\r\n${publish(1)}`)).toBe(2);
    expect(await received(`SUB ${s} 1\r\nUNSUB 1\r\n${publish(1)}`)).toBe(0);
  });

  it('keeps the first meaning of a subscription number', async () => {
    const s = fresh();
    const text = `SUB ${s}.a 1\r\nSUB ${s}.b 1\r\nPUB ${s}.a 1\r\nx\r\nPUB ${s}.b 1\r\ny\r\n`;
    expect(await answersTo(text)).toBe(`MSG ${s}.a 1 1\r\nx\r\n`);
  });

  it('answers a question that nobody listens to with 503, if the client asked for that', async () => {
    const s = fresh();
    const text = `SUB ${s}.in 1\r\nPUB ${s}.nobody ${s}.in 0\r\n\r\n`;
    // Servers from 2.12 on name the subject.
    const answers = ['', `Nats-Subject: ${s}.nobody\r\n`].map((named) => {
      const told = `NATS/1.0 503\r\n${named}\r\n`;
      return `HMSG ${s}.in 1 ${told.length} ${told.length}\r\n${told}\r\n`;
    });
    expect(answers).toContain(await answersTo(text));
    expect(await answersTo(text, { ...QUIET, no_responders: false })).toBe('');
    const alone = `SUB ${s}.q 1\r\nSUB ${s}.in 2\r\nPUB ${s}.q ${s}.in 1\r\nx\r\n`;
    expect(await answersTo(alone, { ...QUIET, echo: false })).toMatch(/^HMSG \S+\.in 2 (\d+) \1\r\nNATS\/1\.0 503/);
  });

  it('closes a client that wants no-responders without headers', async () => {
    const client = await open({ verbose: false, no_responders: true });
    expect(await client.waitUntilClosed()).toBe("-ERR 'no responders requires headers support'\r\n");
  });

  it('passes headers on, and leaves them out for a client that knows none', async () => {
    const s = fresh();
    const plain = await open({ verbose: false });
    plain.send(`SUB ${s} 1\r\n`);
    await plain.answers();
    const header = 'NATS/1.0\r\nA: b\r\n\r\n';
    const text = `SUB ${s} 1\r\nHPUB ${s} r 18 20\r\n${header}hi\r\n`;
    expect(await answersTo(text)).toBe(`HMSG ${s} 1 r 18 20\r\n${header}hi\r\n`);
    expect(await plain.answers()).toBe(`MSG ${s} 1 r 2\r\nhi\r\n`);
  });

  it.each([
    ['an unknown operation', 'FOO\r\n', "-ERR 'Unknown Protocol Operation'\r\n"],
    ['an HTTP request', 'POST / HTTP/1.1\r\nHost: x\r\n\r\n', "-ERR 'Unknown Protocol Operation'\r\n"],
    ['a payload longer than said', 'PUB a 1\r\nxyz\r\n', "-ERR 'Unknown Protocol Operation'\r\n"],
    ['a payload beyond 2 MiB', 'PUB a 2097153\r\n', "-ERR 'Maximum Payload Violation'\r\n"],
    ['an endless control line', `SUB ${'a'.repeat(5000)} 1\r\n`, "-ERR 'maximum control line exceeded'\r\n"],
    ['a size that is no number', 'PUB a x\r\n', undefined],
    ['headers longer than the message', 'HPUB a 9 2\r\nhi\r\n', undefined],
    ['CONNECT without JSON', 'CONNECT nope\r\n', undefined],
  ])('closes the connection that sends %s, and no other', async (_, bytes, complaint) => {
    const s = fresh();
    const bystander = await open(QUIET);
    bystander.send(`SUB ${s} 1\r\n`);
    await bystander.answers();
    const offender = await open(QUIET);
    offender.send(bytes);
    const said = await offender.waitUntilClosed();
    // For malformed arguments nats-server closes without a word; the broker says the same as for the others.
    if (complaint !== undefined) expect(said).toBe(complaint);
    bystander.send(`PUB ${s} 1\r\nx\r\n`);
    expect(await bystander.answers()).toBe(`MSG ${s} 1 1\r\nx\r\n`);
  });

  it('forgets the subscriptions of a client that has gone', async () => {
    const s = fresh();
    const gone = await open(QUIET);
    gone.send(`SUB ${s} 1\r\n`);
    await gone.answers();
    gone.send('FOO\r\n');
    await gone.waitUntilClosed();
    const asked = await answersTo(`SUB ${s}.in 1\r\nPUB ${s} ${s}.in 0\r\n\r\n`);
    expect(asked).toContain('NATS/1.0 503');
  });

  describe('with the official client', () => {
    let connection: NatsConnection;
    beforeEach(async () => {
      connection = await connect({ servers: server.url });
    });
    afterEach(() => connection.close());

    it('answers questions with headers and 900 kB in both directions', async () => {
      const s = fresh();
      const subscription = connection.subscribe(s, { queue: 'echo' });
      void (async () => {
        for await (const message of subscription) message.respond(message.data, { headers: message.headers });
      })();
      const sent = headers();
      sent.set('traceparent', 'ü-00');
      const data = new Uint8Array(900_000).fill(7);
      const answer = await connection.request(s, data, { timeout: 60_000, headers: sent });
      expect(Buffer.compare(answer.data, data)).toBe(0);
      expect(answer.headers?.get('traceparent')).toBe('ü-00');
    });

    it('hears at once that nobody listens', async () => {
      await expect(connection.request(fresh(), '', { timeout: 60_000 })).rejects.toThrow(/no responders/i);
    });

    it('drains: what was asked before is still answered', async () => {
      const s = fresh();
      const service = await connect({ servers: server.url });
      service.subscribe(s, { callback: (_, message) => void message.respond('ok') });
      await service.flush();
      const questions = Array.from({ length: 200 }, () => connection.request(s, '', { timeout: 60_000 }));
      await connection.flush();
      await service.drain();
      const answers = await Promise.all(questions);
      expect(answers.every((answer) => answer.string() === 'ok')).toBe(true);
    });
  });
});
