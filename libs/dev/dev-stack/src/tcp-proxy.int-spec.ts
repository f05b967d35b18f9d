import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
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
