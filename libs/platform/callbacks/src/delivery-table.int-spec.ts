import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createCertificateAuthority, type IssuedCertificate, toPem } from '@vestibule/dev-pki';
import { openStage, type Stage, until } from './outbox.stage';

jest.setTimeout(180_000);

const DAY = 86_400_000;
/** For receivers that never come to an end: these alone are waited for. */
const SHORT_MILLISECONDS = 600;
/** For one that has begun to answer, which must not take a busy machine that long. */
const BEGUN_MILLISECONDS = 3_000;
const PATIENT_MILLISECONDS = 120_000;
const DELAY_SECONDS = 60;

/** A receiver on a port of its own; what it saw is counted. */
interface Receiver {
  readonly url: string;
  readonly authorities?: string;
  readonly close: () => Promise<void>;
}
type Open = () => Promise<Receiver>;

const seen = { requests: 0, redirected: 0, bytesTaken: 0 };

async function listening(server: Server, scheme: 'http' | 'https'): Promise<Receiver> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { url: `${scheme}://localhost:${(server.address() as AddressInfo).port}/hook`, close };
}

const overHttp =
  (answer: RequestListener): Open =>
  () =>
    listening(
      createServer((request, response) => {
        seen.requests += 1;
        if (request.url !== '/hook') seen.redirected += 1;
        request.resume().on('end', () => answer(request, response));
      }),
      'http',
    );

const status = (code: number, headers: Record<string, string | (() => string)> = {}): Open =>
  overHttp((_request, response) => {
    for (const [name, value] of Object.entries(headers)) {
      response.setHeader(name, typeof value === 'string' ? value : value());
    }
    response.writeHead(code).end('an answer nobody reads');
  });

/** A receiver that does what it wants with the bytes. */
const overTcp =
  (serve: (socket: Socket) => void, scheme: 'http' | 'https' = 'http'): Open =>
  () =>
    listening(createTcpServer(serve), scheme);

interface TlsCase {
  readonly dnsName?: string;
  readonly notAfter?: Date;
  readonly trusted?: boolean;
}

const overTls =
  ({ dnsName = 'localhost', notAfter, trusted = true }: TlsCase): Open =>
  async () => {
    const authority = await createCertificateAuthority({ name: 'Test root', now: new Date() });
    const validity = notAfter ? { notAfter, notBefore: new Date(notAfter.getTime() - DAY) } : {};
    const leaf: IssuedCertificate = await authority.issue({ name: dnsName, dnsNames: [dnsName], ...validity });
    const options = { key: toPem(leaf.privateKey), cert: toPem(leaf.certificate) };
    const server = createTlsServer(options, (request, response) => {
      seen.requests += 1;
      request.resume().on('end', () => response.writeHead(204).end());
    });
    const receiver = await listening(server, 'https');
    return trusted ? { ...receiver, authorities: toPem(authority.certificate) } : receiver;
  };

/** Writes for ever, as fast as it is read. */
const flood = (code: number): Open =>
  overHttp((_request, response) => {
    response.writeHead(code);
    const chunk = Buffer.alloc(65_536, 'x');
    const more = (): void => {
      let open = true;
      while (open && !response.destroyed) {
        seen.bytesTaken += chunk.length;
        open = response.write(chunk);
      }
    };
    response.on('drain', more);
    more();
  });

/** `text`, and then a byte every 50 ms. */
const trickle = (text: string): Open =>
  overTcp((socket) => {
    socket.write(text);
    const timer = setInterval(() => socket.write('x'), 50);
    socket.resume().on('close', () => clearInterval(timer));
  });

const refusing: Open = async () => {
  const receiver = await status(204)();
  await receiver.close();
  return { ...receiver, close: () => Promise.resolve() };
};

/** As a receiver dates it when it answers. */
const inSeconds = (seconds: number) => (): string => new Date(Date.now() + seconds * 1000).toUTCString();

/** `delivered`: forgotten. `dead`: without payload, never again. A number: the seconds until the next attempt. */
type Fate = 'delivered' | 'dead' | number;
type Row = readonly [what: string, open: Open, fate: Fate, result: string];

const ROWS: readonly Row[] = [
  ['200', status(200), 'delivered', 'http_200'],
  ['202', status(202), 'delivered', 'http_202'],
  ['204', status(204), 'delivered', 'http_204'],
  ['204 over TLS', overTls({}), 'delivered', 'http_204'],
  ['200 and a huge answer', flood(200), 'delivered', 'http_200'],
  [
    '200 and an answer that trickles',
    trickle('HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\n'),
    'delivered',
    'http_200',
  ],
  ['301', status(301, { location: '/elsewhere' }), DELAY_SECONDS, 'http_301'],
  ['302', status(302, { location: '/elsewhere' }), DELAY_SECONDS, 'http_302'],
  ['303', status(303, { location: '/elsewhere' }), DELAY_SECONDS, 'http_303'],
  ['307', status(307, { location: '/elsewhere' }), DELAY_SECONDS, 'http_307'],
  ['308', status(308, { location: '/elsewhere' }), DELAY_SECONDS, 'http_308'],
  ['400', status(400), DELAY_SECONDS, 'http_400'],
  ['401', status(401), DELAY_SECONDS, 'http_401'],
  ['404', status(404), DELAY_SECONDS, 'http_404'],
  ['410', status(410), 'dead', 'http_410'],
  ['410 and a Retry-After', status(410, { 'retry-after': '5' }), 'dead', 'http_410'],
  ['429 without Retry-After', status(429), DELAY_SECONDS, 'http_429'],
  ['429 with Retry-After in seconds', status(429, { 'retry-after': '600' }), 600, 'http_429'],
  ['429 with a Retry-After date', status(429, { 'retry-after': inSeconds(900) }), 900, 'http_429'],
  ['429 with a shorter Retry-After', status(429, { 'retry-after': '1' }), DELAY_SECONDS, 'http_429'],
  ['429 with a Retry-After that is none', status(429, { 'retry-after': 'soon' }), DELAY_SECONDS, 'http_429'],
  ['429 with a Retry-After of a day', status(429, { 'retry-after': '86400' }), 3_600, 'http_429'],
  ['500', status(500), DELAY_SECONDS, 'http_500'],
  ['502', status(502), DELAY_SECONDS, 'http_502'],
  ['503 with Retry-After', status(503, { 'retry-after': '120' }), 120, 'http_503'],
  ['500 and a huge answer', flood(500), DELAY_SECONDS, 'http_500'],
  ['no answer', overHttp(() => undefined), DELAY_SECONDS, 'timeout'],
  ['an answer whose head trickles', trickle('HTTP/1.1 200 OK\r\nx-slow: '), DELAY_SECONDS, 'timeout'],
  [
    'a head without end',
    overTcp((socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(99_999)}`)),
    DELAY_SECONDS,
    'answer_too_large',
  ],
  ['bytes that are no HTTP', overTcp((socket) => void socket.end('SSH-2.0-x\r\n')), DELAY_SECONDS, 'network_error'],
  ['a connection that breaks', overHttp((request) => void request.socket.destroy()), DELAY_SECONDS, 'network_error'],
  ['a refused connection', refusing, DELAY_SECONDS, 'connection_refused'],
  ['a certificate of a stranger', overTls({ trusted: false }), DELAY_SECONDS, 'tls_error'],
  ['a certificate for another name', overTls({ dnsName: 'other.example' }), DELAY_SECONDS, 'tls_error'],
  ['a certificate that has ended', overTls({ notAfter: new Date(Date.now() - DAY) }), DELAY_SECONDS, 'tls_error'],
  [
    'plain HTTP where TLS is due',
    overTcp((socket) => void socket.end('HTTP/1.1 204 No\r\n\r\n'), 'https'),
    DELAY_SECONDS,
    'tls_error',
  ],
  ['a TLS handshake without end', overTcp((socket) => void socket.resume(), 'https'), DELAY_SECONDS, 'timeout'],
];

/** What a receiver may answer to an event that reports no end: OFFER_CREATED. */
const INFORMATIONAL_ROWS: readonly Row[] = [
  ['204', status(204), 'delivered', 'http_204'],
  ['307', status(307, { location: '/elsewhere' }), DELAY_SECONDS, 'http_307'],
  ['400', status(400), 'dead', 'http_400'],
  ['401', status(401), 'dead', 'http_401'],
  ['403 and a Retry-After', status(403, { 'retry-after': '5' }), 'dead', 'http_403'],
  ['404', status(404), 'dead', 'http_404'],
  ['408', status(408), DELAY_SECONDS, 'http_408'],
  ['409', status(409), 'dead', 'http_409'],
  ['410', status(410), 'dead', 'http_410'],
  ['422', status(422), 'dead', 'http_422'],
  ['425', status(425), DELAY_SECONDS, 'http_425'],
  ['429', status(429), DELAY_SECONDS, 'http_429'],
  ['429 with Retry-After in seconds', status(429, { 'retry-after': '600' }), 600, 'http_429'],
  ['499', status(499), 'dead', 'http_499'],
  ['500', status(500), DELAY_SECONDS, 'http_500'],
  ['a refused connection', refusing, DELAY_SECONDS, 'connection_refused'],
];

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

async function expectFate(fate: Fate, result: string, beganAt: Date): Promise<void> {
  const [row] = await stage.database.query(
    `SELECT dead_at IS NOT NULL AS dead, payload IS NULL AS purged, attempts, last_result,
       extract(epoch FROM next_attempt_at - $1)::float8 AS longest,
       extract(epoch FROM next_attempt_at - now())::float8 AS shortest FROM ${stage.table}`,
    [beganAt],
  );
  if (fate === 'delivered') return expect(row).toBeUndefined();
  const dead = fate === 'dead';
  expect(row).toMatchObject({ dead, purged: dead, attempts: 1, last_result: result });
  if (typeof fate !== 'number') return;
  // The attempt ended between the two instants that it is counted from, whenever that was; a date has whole seconds.
  const { longest, shortest } = row as { longest: number; shortest: number };
  expect(longest).toBeGreaterThanOrEqual(fate - 1);
  expect(shortest).toBeLessThanOrEqual(fate + 1);
}

describe('a receiver that answers with', () => {
  const attemptMilliseconds = (what: string, result: string) => {
    if (result === 'timeout') return SHORT_MILLISECONDS;
    return what.includes('trickles') ? BEGUN_MILLISECONDS : PATIENT_MILLISECONDS;
  };

  async function expectRow([what, open, fate, result]: Row, body: string): Promise<void> {
    Object.assign(seen, { requests: 0, redirected: 0, bytesTaken: 0 });
    const receiver = await open();
    const results: string[] = [];
    await stage.enqueue('subject', body);
    const beganAt = new Date();
    const one = stage.deliverer({
      target: receiver,
      onAttempt: (ended) => void results.push(ended),
      limits: {
        timeoutMilliseconds: attemptMilliseconds(what, result),
        firstDelayMilliseconds: DELAY_SECONDS * 1000,
        longestDelayMilliseconds: DELAY_SECONDS * 1000,
      },
    });
    await until(() => results.length > 0);
    await one.stop();
    await receiver.close();
    expect(results).toEqual([result]);
    await expectFate(fate, result, beganAt);
    expect(seen.requests).toBeLessThanOrEqual(1);
    expect(seen.redirected).toBe(0);
    expect(seen.bytesTaken).toBeLessThan(16 * 1024 * 1024);
  }

  it.each(ROWS)('%s', (...row) => expectRow(row, '{"status":"EXPIRED"}'));
  it.each(INFORMATIONAL_ROWS)('%s to OFFER_CREATED', (...row) => expectRow(row, '{"status":"OFFER_CREATED"}'));
});
