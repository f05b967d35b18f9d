import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startBalancer, type Balancer, type Target } from './balancer';

let balancer: Balancer;
let servers: Server[];

/** A replica that answers with its name, and whether it is ready. */
async function replica(name: string, health: { status: number }): Promise<Target> {
  const server = createServer((request, response) => {
    if (request.url === '/health') response.writeHead(health.status).end();
    else response.end(name);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address: () => origin, healthUrl: () => `${origin}/health` };
}
const ask = async () => (await fetch(balancer.url, { headers: { connection: 'close' } })).text();
async function askUntil(accept: (answers: readonly string[]) => boolean): Promise<void> {
  for (;;) {
    const answers = [await ask(), await ask(), await ask(), await ask()];
    if (accept(answers)) return;
  }
}

beforeEach(async () => {
  servers = [];
  balancer = await startBalancer();
});
afterEach(async () => {
  await balancer.stop();
  for (const server of servers) server.close();
});

describe('a balancer', () => {
  it('shares connections out', async () => {
    balancer.setTargets([await replica('one', { status: 200 }), await replica('two', { status: 200 })]);
    expect([await ask(), await ask(), await ask(), await ask()].sort()).toEqual(['one', 'one', 'two', 'two']);
  });

  it('leaves out who is not ready, and takes it back', async () => {
    const health = { status: 503 };
    balancer.setTargets([await replica('one', health), await replica('two', { status: 200 })]);
    await askUntil((answers) => !answers.includes('one'));
    health.status = 200;
    await askUntil((answers) => answers.includes('one'));
  });

  it('asks anybody where nobody is ready, and nobody where there is none', async () => {
    balancer.setTargets([await replica('one', { status: 503 })]);
    expect(await ask()).toBe('one');
    balancer.setTargets([{ address: () => undefined, healthUrl: () => undefined }]);
    await expect(ask()).rejects.toThrow();
  });

  it.each(['lost', 'torn'] as const)(
    'breaks answers to requests that were served: %s, until it does so no more',
    async (how) => {
      balancer.setTargets([await replica('one', { status: 200 })]);
      let served = 0;
      servers[0]?.on('request', ({ url }) => void (served += url === '/' ? 1 : 0));
      balancer.breakAnswers(how);
      await expect(ask()).rejects.toThrow();
      expect(served).toBe(1);
      balancer.breakAnswers(undefined);
      expect(await ask()).toBe('one');
    },
  );

  it('passes on the first half of an answer that it tears', async () => {
    balancer.setTargets([await replica('one', { status: 200 })]);
    balancer.breakAnswers('torn');
    const socket = connect(Number(new URL(balancer.url).port), '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'),
    );
    const got = await text(socket);
    expect(got).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(got).not.toContain('one');
  });
});
