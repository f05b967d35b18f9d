import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { DELIVERY_LIMITS } from './delivery-policy';
import { createPoster } from './post-callback';

/** The time limit is not what ends these attempts. */
const limits = { ...DELIVERY_LIMITS, timeoutMilliseconds: 60_000, concurrency: 2 };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const posting = { id: 'event-1', body: Buffer.from('{}'), url: null };
/** What a receiver says first, and then again and again. */
const ENDLESS: readonly (readonly [string, string, string, string])[] = [
  ['early hints', '', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n', 'answer_too_large'],
  ['that it is still processing', '', 'HTTP/1.1 102 Processing\r\n\r\n', 'answer_too_large'],
  ['a reason', 'HTTP/1.1 200 ', 'aaaaaaaa', 'answer_too_large'],
  ['empty lines', '', '\r\n\r\n', 'answer_too_large'],
  ['an extension of a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;a=', 'aaaaaaaa', 'http_200'],
  ['trailers', 'HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'a: b\r\n', 'http_503'],
];

let tls: { cert: string; key: string };
let authorities: string;
beforeAll(async () => {
  const authority = await createCertificateAuthority({ name: 'Root', now: new Date() });
  const leaf = await authority.issue({ name: 'localhost', dnsNames: ['localhost'] });
  tls = { cert: toPem(leaf.certificate), key: toPem(leaf.privateKey) };
  authorities = toPem(authority.certificate);
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Connections and bytes that a receiver has seen and said. */
interface Receiver {
  readonly url: string;
  readonly said: { bytes: number; connections: number };
}

async function listen(secure: boolean, answer: (socket: Socket, said: Receiver['said']) => void): Promise<Receiver> {
  const said = { bytes: 0, connections: 0 };
  const sockets = new Set<Socket>();
  const take = (socket: Socket | TLSSocket): void => {
    said.connections += 1;
    sockets.add(socket.on('error', () => undefined));
    answer(socket, said);
  };
  const server: Server = secure ? createTlsServer(tls, take) : createServer(take);
  server.listen(0, 'localhost');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${secure ? 'https' : 'http'}://localhost:${port}/`, said };
}

function flood(first: string, again: string) {
  const piece = Buffer.from(again.repeat(Math.ceil(16_384 / again.length)));
  return (socket: Socket, said: Receiver['said']): void => {
    const goOn = (): void => {
      while (!socket.destroyed) {
        said.bytes += piece.byteLength;
        if (!socket.write(piece)) return void socket.once('drain', goOn);
      }
    };
    socket.once('data', () => {
      socket.write(first);
      goOn();
    });
  };
}

function posterTo({ url }: Receiver) {
  const poster = createPoster({ target: { url, authorities }, limits, clock: () => new Date() });
  closing.push(() => poster.close());
  return poster;
}

describe.each([
  ['http', false],
  ['https', true],
])('a receiver over %s', (_scheme, secure) => {
  it.each(ENDLESS)('is left when it never ends to say %s', async (_, first, again, result) => {
    const receiver = await listen(secure, flood(first, again));
    expect((await posterTo(receiver).post(posting)).result).toBe(result);
    expect(receiver.said.bytes).toBeLessThan(30_000_000);
  });

  it('keeps its connections for as many events as it answers briefly', async () => {
    const receiver = await listen(secure, (socket) => socket.on('data', () => void socket.write(OK)));
    const poster = posterTo(receiver);
    for (let count = 0; count < 1_000; count += 1) expect((await poster.post(posting)).end).toBe('delivered');
    expect(receiver.said.connections).toBeLessThanOrEqual(limits.concurrency);
  });

  it('may answer with the most that is read, to several events at the same time', async () => {
    const body = 'x'.repeat(DELIVERY_LIMITS.answerBytes);
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(9);
    const answer = `${hints}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const receiver = await listen(secure, (socket) => socket.on('data', () => void socket.write(answer)));
    const poster = posterTo(receiver);
    for (let count = 0; count < 20; count += 1) {
      const attempts = await Promise.all([poster.post(posting), poster.post(posting)]);
      expect(attempts.map(({ result }) => result)).toEqual(['http_200', 'http_200']);
    }
    expect(receiver.said.connections).toBeLessThanOrEqual(2);
  });

  it('costs the events after a flood nothing', async () => {
    let floods = 2;
    const flooding = flood('', ENDLESS[0]?.[2] ?? '');
    const receiver = await listen(secure, (socket, said) => {
      if (floods === 0) return void socket.on('data', () => void socket.write(OK));
      floods -= 1;
      flooding(socket, said);
    });
    const poster = posterTo(receiver);
    await Promise.all([poster.post(posting), poster.post(posting)]);
    for (let count = 0; count < 5; count += 1) expect((await poster.post(posting)).result).toBe('http_200');
  });
});
