import { createServer, Socket, type AddressInfo } from 'node:net';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport';
import type { PeerCertificate } from 'node:tls';
import { until } from '@vestibule/testkit';
import { connectGuarded, identityOf } from './nats-transport';

type Silence = 'before INFO' | 'after INFO' | 'none';

/** A server that understands as much of the protocol as a connection needs, and what it received. */
async function openServer(
  options: NodeConnectionOptions = { reconnect: false },
  silenceOf: (count: number) => Silence = () => 'none',
) {
  const failures: unknown[] = [];
  const received: Buffer[] = [];
  const sockets: Socket[] = [];
  let onEnd: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  const server = createServer((socket) => {
    const silence = silenceOf(sockets.push(socket));
    socket.on('error', () => undefined).on('close', onEnd);
    if (silence === 'before INFO') return;
    socket.write(
      `INFO ${JSON.stringify({ server_id: 'x', version: '2.10.0', max_payload: 1_000_000, headers: true })}\r\n`,
    );
    socket.on('data', (bytes) => {
      received.push(bytes);
      if (silence === 'none' && bytes.includes('PING\r\n')) socket.write('PONG\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connection = await connectGuarded(
    { servers: `127.0.0.1:${(server.address() as AddressInfo).port}`, ...options },
    { onTlsError: () => undefined, onFailure: (error) => void failures.push(error) },
  );
  return {
    connection,
    failures,
    text: () => Buffer.concat(received).toString('latin1'),
    gone,
    sockets,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

describe('messages to NATS', () => {
  afterEach(() => jest.restoreAllMocks());

  it('of one turn of the event loop leave in one write, in order', async () => {
    const { connection, text, gone, close } = await openServer();
    // However busy the machine is, this turn takes no time.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const write = jest.spyOn(Socket.prototype, '_write');
    const writev = jest.spyOn(Socket.prototype as Required<Socket>, '_writev');
    for (const subject of ['a.b.first', 'a.b.second', 'a.b.third']) {
      connection.publish(subject, 'x');
      // Each leaves the client library before the next one is published.
      await Promise.resolve();
    }
    await connection.flush();
    // The PING of the flush belongs to the same turn.
    expect([
      writev.mock.calls.length,
      write.mock.calls.filter(([bytes]) => String(bytes) !== 'PONG\r\n').length,
    ]).toEqual([1, 0]);
    expect([...text().matchAll(/PUB (\S+)/g)].map(([, subject]) => subject)).toEqual([
      'a.b.first',
      'a.b.second',
      'a.b.third',
    ]);
    await connection.close();
    await gone;
    await close();
  });

  it('do not wait for the end of a turn that takes long', async () => {
    const { connection, close } = await openServer();
    const writev = jest.spyOn(Socket.prototype as Required<Socket>, '_writev');
    let isOver = false;
    setImmediate(() => (isOver = true));
    for (let count = 0; writev.mock.calls.length === 0 && count < 1_000; count += 1) {
      connection.publish(`a.b.message${count}`, 'x');
      const end = performance.now() + 1;
      while (performance.now() < end);
      // It leaves the client library before the next one is published.
      await Promise.resolve();
    }
    expect(isOver).toBe(false);
    expect(writev.mock.calls).toHaveLength(1);
    await connection.close();
    await close();
  });

  it('that the server does not read keep nobody from connecting again', async () => {
    const { connection, sockets, close } = await openServer({ reconnectDelayHandler: () => 10 });
    sockets[0]?.pause();
    // More than the buffers of both sides hold.
    for (let count = 0; count < 40; count += 1) connection.publish('a.b.large', Buffer.alloc(800_000));
    await connection.reconnect();
    const isBack = (async () => {
      for await (const { type } of connection.status()) if (type === 'reconnect') return true;
      return false;
    })();
    await expect(isBack).resolves.toBe(true);
    expect(sockets).toHaveLength(2);
    await connection.close();
    await close();
  });

  it('that are held back when the connection breaks are lost with it, and later ones leave', async () => {
    const { connection, text, sockets, close } = await openServer({ reconnectDelayHandler: () => 10 });
    const isBack = (async () => {
      for await (const { type } of connection.status()) if (type === 'reconnect') return true;
      return false;
    })();
    const cork = jest.spyOn(Socket.prototype, 'cork');
    connection.publish('a.b.lost', 'x');
    await Promise.resolve();
    (cork.mock.contexts[0] as Socket).destroy(new Error('it breaks'));
    connection.publish('a.b.lost', 'y');
    await expect(isBack).resolves.toBe(true);
    connection.publish('a.b.later', 'z');
    await connection.flush();
    expect([...text().matchAll(/PUB (\S+)/g)].map(([, subject]) => subject)).toEqual(['a.b.later']);
    expect(sockets).toHaveLength(2);
    await connection.close();
    await close();
  });

  it('that were published just before the connection is closed arrive', async () => {
    const { connection, text, gone, close } = await openServer();
    connection.publish('a.b.last', 'x');
    await Promise.resolve();
    await connection.close();
    await gone;
    expect(text()).toContain('PUB a.b.last 1\r\nx\r\n');
    await close();
  });
});

/** Resolves when the connection stands again. */
async function restored(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) if (type === 'reconnect') return;
}

describe('an attempt to connect again', () => {
  const HASTY = { timeout: 100, reconnectDelayHandler: () => 10 };
  afterEach(() => jest.restoreAllMocks());

  it.each<Silence>(['before INFO', 'after INFO'])('is reported once if the server is silent %s', async (silence) => {
    const silenceOf = (count: number) => (count === 2 || count === 3 ? silence : 'none');
    const { connection, failures, sockets, close } = await openServer(HASTY, silenceOf);
    const isBack = restored(connection);
    sockets[0]?.destroy();
    await isBack;
    expect(failures.map((error) => (error as Error).name)).toEqual(['TimeoutError', 'TimeoutError']);
    await connection.close();
    await close();
  });

  it('is reported when it is given up, not when the network ends it after the next one succeeded', async () => {
    const { connection, failures, sockets, close } = await openServer(HASTY);
    const late: ((error: Error) => void)[] = [];
    const lost = () => new Promise<Socket>((_, reject) => late.push(reject));
    jest.spyOn(NodeTransport.prototype, 'dial').mockImplementationOnce(lost).mockImplementationOnce(lost);
    const isBack = restored(connection);
    sockets[0]?.destroy();
    await isBack;
    for (const end of late) end(new Error('it ends at last'));
    await connection.flush();
    expect(failures.map((error) => (error as Error).name)).toEqual(['TimeoutError', 'TimeoutError']);
    await connection.close();
    await close();
  });

  it('is not reported if the connection is closed meanwhile', async () => {
    const { connection, failures, sockets, close } = await openServer({ ...HASTY, timeout: 5_000 }, (count) =>
      count === 1 ? 'none' : 'before INFO',
    );
    const attempt = jest.spyOn(NodeTransport.prototype, 'connect');
    sockets[0]?.destroy();
    await until(() => sockets.length === 2);
    await connection.close();
    await close();
    await expect(attempt.mock.results[0]?.value).rejects.toThrow();
    expect(failures).toEqual([]);
  });
});

const certificate = (...names: string[]) =>
  ({ subject: { CN: 'x' }, subjectaltname: names.map((name) => `DNS:${name}`).join(', ') }) as PeerCertificate;

describe('the certificate of a NATS server', () => {
  const servers = ['tls://one.bus.example:4222', 'tls://two.bus.example'];
  const isGood = (host: string, ...names: string[]) => identityOf(servers)(host, certificate(...names)) === undefined;

  it('is for the name in NATS_URL that it was asked for, not for another one there', () => {
    expect(isGood('one.bus.example', 'one.bus.example')).toBe(true);
    expect(isGood('one.bus.example', 'two.bus.example')).toBe(false);
    expect(isGood('two.bus.example', '*.bus.example')).toBe(true);
  });

  it.each(['stranger.net', 'evil.one.bus.example', '192.0.2.7', 'localhost', ''])(
    'of a server that is announced as %j proves nothing by that name',
    (host) => {
      const wrong = identityOf(servers)(host, certificate(host, 'localhost', 'stranger.net'));
      expect(wrong).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
      expect(isGood(host, 'two.bus.example')).toBe(true);
    },
  );
});
