import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net';
import { contract } from '@vestibule/contracts';
import { startTcpProxy } from '@vestibule/dev-stack';
import { z } from 'zod';
import { createAsker } from './asker';
import { lines, logger, natsUrl, startService, uniqueSubject, until } from './bus.stage';
import { natsBinary, openServerRoom } from './testing/bus-servers.fixture-spec';

jest.setTimeout(180_000);

const text = z.object({ text: z.string() });
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
beforeEach(() => void lines.splice(0));

/** A server that takes everything and answers so many pings on each connection. */
async function answerPings(most: number) {
  const heard: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let left = most;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard.push(bytes.toString('latin1'));
      for (let pings = bytes.toString('latin1').split('PING').length - 1; pings > 0 && left > 0; pings -= 1) {
        left -= 1;
        socket.write('PONG\r\n');
      }
    });
    socket.write('INFO {"server_id":"x","version":"2.9.0","proto":1,"headers":true,"max_payload":1048576}\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`, heard, sockets };
}

describe('a server that takes subscriptions and never says that it has', () => {
  it('makes neither side ready, and is left for a new connection', async () => {
    const echo = contract(uniqueSubject(), text, text);
    const silent = await answerPings(1);
    const asker = createAsker({ servers: [silent.url], name: 'asker', logger });
    closers.push(() => asker.close());
    let service: Awaited<ReturnType<typeof startService>> | undefined;
    const starting = startService((one) => one.answer(echo, (question) => question), { servers: [silent.url] }).then(
      (started) => (service = started),
    );
    closers.push(async () => (await starting).app.close());
    await until(() => silent.heard.join('').includes(`SUB ${echo.subject}`));
    await until(() => silent.heard.join('').includes('SUB _INBOX_asker.'));
    expect(asker.isConnected()).toBe(false);
    // The start waits: nobody is told that the service listens. It ends with the first connection.
    expect(service).toBeUndefined();
    await until(() => service !== undefined);
    expect(service?.server.isConnected()).toBe(false);
  });

  it('is no reason to be ready after a reconnect either', async () => {
    const echo = contract(uniqueSubject(), text, text);
    const silent = await answerPings(1);
    const proxy = await startTcpProxy(Number(new URL(natsUrl).port));
    closers.push(() => proxy.stop());
    const url = `nats://127.0.0.1:${proxy.port}`;
    const { app, server } = await startService((one) => one.answer(echo, (question) => question), { servers: [url] });
    closers.push(() => app.close());
    expect(server.isConnected()).toBe(true);
    proxy.redirect(Number(new URL(silent.url).port));
    proxy.cut();
    await until(() => silent.heard.join('').includes(`SUB ${echo.subject}`));
    expect(server.isConnected()).toBe(false);
    proxy.redirect(Number(new URL(natsUrl).port));
    proxy.cut();
    await until(() => server.isConnected());
  });
});

describe('a connection that has become a black hole', () => {
  it('is noticed by both sides, which come back when it carries again', async () => {
    const echo = contract(uniqueSubject(), text, text);
    const proxy = await startTcpProxy(Number(new URL(natsUrl).port));
    closers.push(() => proxy.stop());
    const url = `nats://127.0.0.1:${proxy.port}`;
    const { app, server } = await startService((one) => one.answer(echo, (question) => question), { servers: [url] });
    closers.push(() => app.close());
    const asker = createAsker({ servers: [url], name: 'asker', logger });
    closers.push(() => asker.close());
    await until(() => asker.isConnected());
    const began = performance.now();
    proxy.freeze();
    await until(() => !asker.isConnected() && !server.isConnected());
    console.log(`a black hole was noticed after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    proxy.heal();
    await until(() => asker.isConnected() && server.isConnected());
    await expect(asker.ask(echo, { text: 'again' })).resolves.toEqual({ text: 'again' });
  });
});

describe('a question whose headers cannot be read', () => {
  it('is answered invalid_message, and costs no line of the log', async () => {
    const echo = contract(uniqueSubject(), text, text);
    const { app } = await startService((one) => one.answer(echo, (question) => question));
    closers.push(() => app.close());
    const { hostname, port } = new URL(natsUrl);
    const header = 'NATS/1.0\r\nbad key: x\r\n\r\n';
    let answer = '';
    const socket = connectSocket(Number(port || 4222), hostname);
    socket.on('data', (bytes) => (answer += bytes.toString('latin1')));
    socket.write('CONNECT {"verbose":false,"pedantic":false,"headers":true}\r\nSUB strangers.inbox 1\r\n');
    for (let count = 0; count < 50; count += 1)
      socket.write(`HPUB ${echo.subject} strangers.inbox ${header.length} ${header.length}\r\n${header}\r\n`);
    await until(() => answer.split('invalid_message').length > 50);
    socket.destroy();
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});

(natsBinary === undefined ? describe.skip : describe)('a subscription that NATS refuses', () => {
  it('is an error in the log without the secret subject, makes the process not ready, and is tried again', async () => {
    const room = await openServerRoom();
    closers.push(() => room.close());
    const { port } = await room.start(
      'authorization { users: [{ user: "a", password: "b", permissions: { subscribe: "nothing" } }] }',
    );
    const asker = createAsker({
      servers: [`nats://127.0.0.1:${port}`],
      name: 'asker',
      logger,
      login: { origin: 'a test', authenticator: () => ({ user: 'a', pass: 'b' }) },
    });
    closers.push(() => asker.close());
    const refusals = () => lines.filter((line) => line.includes('NATS refuses a subscription'));
    await until(() => refusals().length >= 2);
    expect(JSON.parse(refusals()[0] ?? '{}')).toMatchObject({ level: 'error', subscription: '_INBOX_asker.>' });
    expect(lines.join()).not.toMatch(/_INBOX_asker\.[A-Za-z0-9_-]/);
    expect(asker.isConnected()).toBe(false);
  });
});
