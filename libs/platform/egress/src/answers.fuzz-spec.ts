import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ProcessingFailure } from '@vestibule/foundation';
import { createEgress, EGRESS_FAILURES, type Egress, type EgressResponse } from './index';

const LIMITS = {
  purpose: 'status-lists',
  accept: '*/*',
  maxBytes: 2_000,
  timeoutMilliseconds: 10_000,
  maxRedirects: 1,
} as const;

/** What the host, or the proxy, says to whoever connects; then it hangs up. */
let said: readonly Buffer[] = [];
let direct: Egress;
let proxied: Egress;
const closing: (() => unknown)[] = [];
const ownUrl = () => `http://127.0.0.1:${port}/`;
let port = 0;

beforeAll(async () => {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      for (const piece of said) socket.write(piece);
      socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  direct = createEgress({ allowDevelopmentHosts: [`127.0.0.1:${port}`] });
  proxied = createEgress({ allowDevelopmentHosts: [], proxies: new Map([['status-lists', ownUrl()]]) });
  closing.push(
    () => direct.close(),
    () => proxied.close(),
    () => server.close(),
  );
});
afterAll(async () => {
  for (const close of closing) await close();
});

/** An answer within the bounds, or a failure of the table: anything else fails the test. */
async function ask(egress: Egress, url: string): Promise<EgressResponse | undefined> {
  try {
    const response = await egress.get(url, LIMITS);
    expect(response.body.byteLength).toBeLessThanOrEqual(LIMITS.maxBytes);
    return response;
  } catch (error) {
    expect(error).toBeInstanceOf(ProcessingFailure);
    expect(Object.keys(EGRESS_FAILURES)).toContain((error as ProcessingFailure).code);
    return undefined;
  }
}

const BODY = Buffer.from('{"status":"a list"}');
const PACKED = gzipSync(BODY);
const head = (...lines: readonly string[]) => Buffer.from(`${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`);
/** Answers that are right, each of which is then changed. */
const RIGHT: readonly Buffer[] = [
  Buffer.concat([head(`content-length: ${BODY.length}`, 'etag: "1"', 'content-type: application/json'), BODY]),
  Buffer.concat([head(`content-length: ${PACKED.length}`, 'content-encoding: gzip'), PACKED]),
  Buffer.concat([head('transfer-encoding: chunked'), Buffer.from(`${BODY.length.toString(16)}\r\n`), BODY]),
  Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\nHTTP/1.1 304 Not Modified\r\netag: W/"1"\r\n\r\n'),
  Buffer.from('HTTP/1.1 302 Found\r\nlocation: https://127.0.0.1/\r\ncontent-length: 0\r\n\r\n'),
];
const WORDS = ['\r\n', '\n', ': ', ';', '0', '-1', '99999999999999999999', 'chunked', 'gzip', '\0', ' ', 'ÿ'];

const change = fc.record({
  at: fc.nat(),
  cut: fc.nat({ max: 12 }),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(...WORDS).map((word) => Buffer.from(word)),
  ),
});
const changed = fc.tuple(fc.constantFrom(...RIGHT), fc.array(change, { maxLength: 3 })).map(([right, changes]) =>
  changes.reduce<Buffer>((bytes, { at, cut, put }) => {
    const start = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + cut)]);
  }, right),
);
const inPieces = fc
  .tuple(fc.oneof(changed, fc.uint8Array({ maxLength: 300 }).map(Buffer.from)), fc.nat())
  .map(([bytes, at]) => [bytes.subarray(0, at % (bytes.length + 1)), bytes.subarray(at % (bytes.length + 1))]);

describe('VP:Q5 whatever a host or a proxy answers', () => {
  it('is what it should have been with nothing changed', async () => {
    const bodies: (string | undefined)[] = [];
    for (const right of RIGHT) {
      said = [right];
      bodies.push((await ask(direct, ownUrl()))?.body.toString());
    }
    expect(bodies).toEqual([BODY.toString(), BODY.toString(), undefined, '', undefined]);
  });

  it('is an answer within the bounds or a typed failure, never an error outside of the request', async () => {
    await fc.assert(
      fc.asyncProperty(inPieces, async (pieces) => {
        said = pieces;
        await ask(direct, ownUrl());
      }),
      { numRuns: 400 },
    );
  });

  it('opens no way through it unless its head says so', async () => {
    await fc.assert(
      fc.asyncProperty(inPieces, async (pieces) => {
        said = pieces;
        expect(await ask(proxied, 'https://lists.example/')).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});
