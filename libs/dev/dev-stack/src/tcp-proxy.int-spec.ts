import { createServer, type Server } from 'node:http';
import {
  connect,
  createServer as createNetServer,
  type AddressInfo,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';
import { waitUntil } from './testing/raw-nats-client';

let servers: Server[];
let proxy: TcpProxy;
let straight: string;

function serve(text: string): Promise<number> {
  const server = createServer((_request, response) => void response.end(text));
  servers.push(server);
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

beforeEach(async () => {
  servers = [];
  const port = await serve('first');
  straight = `http://127.0.0.1:${port}/`;
  proxy = await startTcpProxy(port);
});
afterEach(async () => {
  await proxy.stop();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const url = () => proxy.urlFor('http://user:secret@db.example:5432/name?x=1').replace('user:secret@', '');
const ask = async (milliseconds = 60_000) => {
  const signal = AbortSignal.timeout(milliseconds);
  return (await fetch(url(), { signal, headers: { connection: 'close' } })).text();
};

describe('a proxy', () => {
  it('keeps everything of a URL but its address', () => {
    const kept = `postgres://user:secret@127.0.0.1:${proxy.port}/name?x=1`;
    expect(proxy.urlFor('postgres://user:secret@db.example:5432/name?x=1')).toBe(kept);
  });

  it('passes on what both sides say, and goes to another server when it is told to', async () => {
    expect(await ask()).toBe('first');
    proxy.redirect(await serve('second'));
    expect(await ask()).toBe('second');
  });

  it('that is blocked refuses, and works again when it is healed', async () => {
    proxy.block();
    await expect(ask()).rejects.toThrow();
    proxy.heal();
    expect(await ask()).toBe('first');
  });

  it('that is frozen lets nothing through and loses nothing', async () => {
    await waitUntil(() => proxy.connections === 0);
    proxy.freeze();
    const order: string[] = [];
    const answer = ask().finally(() => order.push('through the proxy'));
    await waitUntil(() => proxy.connections > 0);
    // Asked later, and answered by the same server on a straight way.
    for (let asked = 0; asked < 3; asked += 1) await (await fetch(straight)).text();
    order.push('straight');
    proxy.heal();
    await answer;
    expect(order).toEqual(['straight', 'through the proxy']);
    expect(await answer).toBe('first');
  });

  it('that is cut breaks what is open and takes what comes', async () => {
    await waitUntil(() => proxy.connections === 0);
    proxy.freeze();
    const answer = ask().catch(() => 'broken');
    await waitUntil(() => proxy.connections > 0);
    proxy.cut();
    proxy.heal();
    expect(await answer).toBe('broken');
    expect(await ask()).toBe('first');
  });
});

describe('a proxy that is told what goes wrong', () => {
  let echo: NetServer;
  let echoed: TcpProxy;
  /** What the server has open, and what it was sent. */
  let atServer: Set<Socket>;
  let heard: string;
  const clients: Socket[] = [];

  beforeEach(async () => {
    atServer = new Set();
    heard = '';
    echo = createNetServer((socket) => {
      atServer.add(socket);
      socket.on('error', () => undefined).on('close', () => atServer.delete(socket));
      socket.on('data', (chunk) => {
        heard += chunk.toString();
        socket.write(chunk);
      });
    });
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    echoed = await startTcpProxy((echo.address() as AddressInfo).port);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await echoed.stop();
    for (const socket of atServer) socket.destroy();
    await new Promise((resolve) => echo.close(resolve));
  });

  /** A connection that works, and what it got back. */
  async function open(): Promise<{ socket: Socket; got: () => string; error: () => string | undefined }> {
    let text = '';
    let code: string | undefined;
    const socket = connect(echoed.port, '127.0.0.1');
    clients.push(socket);
    socket.on('error', (error: NodeJS.ErrnoException) => void (code = error.code));
    socket.on('data', (chunk) => void (text += chunk.toString()));
    await waitUntil(() => socket.readyState === 'open' || socket.destroyed);
    return { socket, got: () => text, error: () => code };
  }
  async function openAndUse() {
    const client = await open();
    client.socket.write('a');
    await waitUntil(() => client.got() === 'a');
    return client;
  }

  it('swallows on existing connections, for ever, while new ones work', async () => {
    const old = await openAndUse();
    echoed.apply({ mode: 'swallow', connections: 'existing' });
    old.socket.write('b');
    const fresh = await openAndUse();
    echoed.heal();
    old.socket.write('c');
    fresh.socket.write('d');
    await waitUntil(() => fresh.got() === 'ad');
    expect([old.got(), heard]).toEqual(['a', 'aad']);
  });

  it('tells neither side of the end of a connection that it swallows', async () => {
    const old = await openAndUse();
    echoed.apply({ mode: 'swallow', connections: 'existing' });
    old.socket.destroy();
    await openAndUse();
    expect(atServer.size).toBe(2);
  });

  it.each([
    ['to-server', 'a'],
    ['to-client', 'ab'],
  ] as const)('swallows only what goes %s', async (direction, expected) => {
    const old = await openAndUse();
    echoed.apply({ mode: 'swallow', connections: 'existing', direction });
    old.socket.write('b');
    if (direction === 'to-client') await waitUntil(() => heard === 'ab');
    await openAndUse();
    expect([old.got(), heard]).toEqual(['a', `${expected}a`]);
  });

  it('swallows on new connections, while existing ones work', async () => {
    const old = await openAndUse();
    echoed.apply({ mode: 'swallow', connections: 'new' });
    const fresh = await open();
    fresh.socket.write('x');
    old.socket.write('b');
    await waitUntil(() => old.got() === 'ab');
    expect([fresh.got(), heard]).toEqual(['', 'ab']);
  });

  it('hangs and loses nothing', async () => {
    const old = await openAndUse();
    echoed.apply({ mode: 'hang', connections: 'existing' });
    old.socket.write('b');
    await openAndUse();
    expect([old.got(), heard]).toEqual(['a', 'aa']);
    echoed.heal();
    await waitUntil(() => old.got() === 'ab');
  });

  it('resets what is open and what comes', async () => {
    const old = await openAndUse();
    echoed.apply({ mode: 'reset' });
    await waitUntil(() => old.error() === 'ECONNRESET');
    const fresh = await open();
    await waitUntil(() => fresh.socket.destroyed);
    expect(fresh.error()).toBe('ECONNRESET');
  });

  it('tears what comes next on existing connections, while new ones work', async () => {
    const old = await openAndUse();
    echoed.apply({ mode: 'tear', connections: 'existing', direction: 'to-client' });
    old.socket.write('torn apart');
    await waitUntil(() => old.socket.destroyed);
    expect([heard, old.got()]).toEqual(['atorn apart', 'atorn ']);
    expect((await openAndUse()).socket.destroyed).toBe(false);
  });

  it('delays, and keeps the order when it is healed meanwhile', async () => {
    const old = await openAndUse();
    echoed.apply({ mode: 'delay', connections: 'existing', direction: 'to-server', milliseconds: 3_600_000 });
    old.socket.write('b');
    const newer = await openAndUse();
    expect([old.got(), newer.got()]).toEqual(['a', 'a']);
    old.socket.write('c');
    echoed.heal();
    old.socket.write('d');
    await waitUntil(() => old.got() === 'abcd');
  });
});
