import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { DELIVERY_LIMITS } from './delivery-policy';
import { createPoster, type Poster } from './post-callback';

const ANSWER = 'HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n';
const posting = { id: 'event-1', body: Buffer.from('{}'), url: null };

let server: Server;
let port: number;
let poster: Poster;
let sockets: Socket[];
/** Connections that arrive while this is true are never answered. */
let isSilent: boolean;
let answer: string;

beforeEach(async () => {
  sockets = [];
  isSilent = true;
  answer = ANSWER;
  server = createServer((socket) => {
    const isLost = isSilent;
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => void (isLost || socket.write(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  const limits = { ...DELIVERY_LIMITS, timeoutMilliseconds: 250, concurrency: 2 };
  poster = createPoster({ target: { url: `http://127.0.0.1:${port}/` }, limits, clock: () => new Date() });
});
afterEach(async () => {
  await poster.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** Connections are accepted in their order: those that were begun earlier are there, too. */
async function allAreConnected(): Promise<void> {
  const probe = connect(port, '127.0.0.1');
  await new Promise((resolve) => probe.once('connect', resolve));
  const before = sockets.length;
  while (!sockets.some(({ remotePort }) => remotePort === probe.localPort)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  probe.destroy();
  expect(sockets.length).toBeGreaterThanOrEqual(before);
}

describe('a receiver that swallowed events', () => {
  it('gets the next one over a new connection, once it is back', async () => {
    const attempts = await Promise.all([poster.post(posting), poster.post(posting)]);
    expect(attempts.map(({ result }) => result)).toEqual(['timeout', 'timeout']);
    await allAreConnected();
    isSilent = false;
    const next = await Promise.all([poster.post(posting), poster.post(posting)]);
    expect(next.map(({ result }) => result)).toEqual(['http_204', 'http_204']);
  });

  it('keeps its connections where it answers', async () => {
    isSilent = false;
    for (let count = 0; count < 5; count += 1) expect((await poster.post(posting)).end).toBe('delivered');
    expect(sockets.length).toBeLessThanOrEqual(2);
  });

  it('ends with the poster, whichever connection an event waits on', async () => {
    await poster.post(posting);
    const waiting = poster.post(posting);
    await poster.close();
    expect((await waiting).end).toBe('failed');
  });
});

describe('a receiver that refuses events', () => {
  const refusing = (status: string) => `HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`;
  let later = 0;
  beforeEach(() => {
    const now = performance.now.bind(performance);
    later = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + later);
    isSilent = false;
    const limits = { ...DELIVERY_LIMITS, timeoutMilliseconds: 60_000, concurrency: 2 };
    poster = createPoster({ target: { url: `http://127.0.0.1:${port}/` }, limits, clock: () => new Date() });
  });
  afterEach(() => void jest.restoreAllMocks());

  /** How many connections some attempts open that have this result. */
  async function opened(result: string): Promise<number> {
    const before = sockets.length;
    for (let count = 0; count < 4; count += 1) expect((await poster.post(posting)).result).toBe(result);
    return sockets.length - before;
  }

  it.each(['404 Not Found', '503 Service Unavailable', '307 Temporary Redirect'])(
    'with %s gets the next ones over a new connection after some seconds: its name may lead elsewhere by now',
    async (status) => {
      const result = `http_${status.slice(0, 3)}`;
      answer = refusing(status);
      expect(await opened(result)).toBeLessThanOrEqual(2);
      const before = sockets.length;
      later += 10_000;
      expect(await opened(result)).toBeGreaterThan(0);
      expect(sockets.length - before).toBeLessThanOrEqual(2);
      expect(await opened(result)).toBe(0);
    },
  );

  it('keeps them where it accepts', async () => {
    await opened('http_204');
    later += 3_600_000;
    expect(await opened('http_204')).toBe(0);
  });
});
