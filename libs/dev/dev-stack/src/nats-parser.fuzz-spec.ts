import fc from 'fast-check';
import { type ClientOperation, NatsParser, NatsProtocolError } from './nats-parser';
import { fastestMilliseconds } from '@vestibule/testkit';

/** What a parser makes of chunks: its operations, and the reason of its refusal if there was one. */
function parse(chunks: readonly Uint8Array[]): { operations: ClientOperation[]; reason?: string } {
  const parser = new NatsParser();
  const operations: ClientOperation[] = [];
  try {
    for (const chunk of chunks) for (const operation of parser.feed(Buffer.from(chunk))) operations.push(operation);
  } catch (error) {
    if (!(error instanceof NatsProtocolError)) throw error;
    return { operations, reason: error.reason };
  }
  return { operations };
}

const cut = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

const word = fc.stringMatching(/^[A-Za-z0-9._*>-]{1,12}$/);
const number = fc.oneof(fc.nat(40), fc.constantFrom(-1, 2_097_153, 99_999_999_999));
const line = fc
  .tuple(
    fc.constantFrom('PUB', 'HPUB', 'SUB', 'UNSUB', 'PING', 'PONG', 'CONNECT', 'sub', '+OK', 'INFO', ''),
    fc.array(fc.oneof(word, number.map(String), fc.constant('{}')), { maxLength: 4 }),
    fc.constantFrom('\r\n', '\n', '\r\n\r\n', ''),
  )
  .map(([name, args, end]) => `${[name, ...args].join(' ')}${end}`);
const almostNats = fc
  .array(fc.oneof(line, fc.string({ maxLength: 30 })), { maxLength: 12 })
  .map((parts) => Buffer.from(parts.join('')));

describe('NatsParser, fed by a stranger', () => {
  it('throws nothing but NatsProtocolError, whatever the bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void parse([bytes])));
    fc.assert(
      fc.property(almostNats, (bytes) => void parse([bytes])),
      { numRuns: 2000 },
    );
  });

  it('reads the same whatever way the bytes are cut into chunks', () => {
    fc.assert(
      fc.property(almostNats, fc.integer({ min: 1, max: 40 }), (bytes, size) => {
        expect(parse(cut(bytes, size))).toEqual(parse([bytes]));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['blanks', Buffer.from(`PUB ${' '.repeat(99_990)}`)],
    ['short lines', Buffer.from('PING\r\n'.repeat(16_666))],
    ['line ends', Buffer.from('\n'.repeat(100_000))],
    ['nested JSON', Buffer.from(`CONNECT ${'['.repeat(4000)}\r\n`)],
    ['a payload', Buffer.from(`PUB a 99000\r\n${'x'.repeat(99_000)}\r\n`)],
  ])('answers 100 KB of %s at once', (_, bytes) => {
    expect(fastestMilliseconds(() => parse([bytes]))).toBeLessThan(50);
  });

  it('takes a payload of 1 MiB byte by byte without work that grows with what it has', () => {
    const bytes = Buffer.from(`PUB a 1048576\r\n${'x'.repeat(1_048_576)}\r\n`);
    const most = 10_000;
    const parseOnce = (): void => expect(parse(cut(bytes, 1)).operations).toHaveLength(1);
    expect(fastestMilliseconds(parseOnce, most)).toBeLessThan(most);
  });
});
