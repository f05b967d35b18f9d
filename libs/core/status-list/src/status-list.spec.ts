import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { VerificationFailure } from '@vestibule/foundation';
import { fastestMilliseconds, describeWithVectors, readJsonVector } from '@vestibule/testkit';
import { inflateList } from './compress-list';
import { countStatuses, encodeStatusList, packStatuses, readStatus, verifyStatus, type StatusBits } from './index';

const MEBIBYTE = 1_048_576;
const code = (expected: string) => expect.objectContaining({ code: expected });
const inflateText = (lst: string) => inflateList(Buffer.from(lst, 'base64url'), MEBIBYTE * 16);

interface ListVector {
  readonly bits: StatusBits;
  readonly lst: string;
  readonly size: number;
  readonly expected: Readonly<Record<string, number>>;
  readonly default: number;
}

describeWithVectors('the published status lists', () => {
  const names = ['short-1bit', 'short-2bit', 'long-1bit', 'long-2bit', 'long-4bit', 'long-8bit'];
  const vector = (name: string) => readJsonVector(`verifier/token-status-list/${name}.json`) as ListVector;

  it.each(names)('VP:O11 every entry of %s has the published value', (name) => {
    const { bits, lst, size, expected, default: standard } = vector(name);
    const list = { bits, bytes: inflateText(lst) };
    expect(countStatuses(list)).toBe(size);
    const wrong = [];
    for (let idx = 0; idx < size; idx += 1) if (readStatus(list, idx) !== (expected[idx] ?? standard)) wrong.push(idx);
    expect(wrong).toEqual([]);
  });

  it.each(names)('VCI:Z3 the entries of %s are packed into the published bytes', (name) => {
    const { bits, lst, size, expected } = vector(name);
    const entries = Object.entries(expected).map(([idx, status]) => ({ idx: Number(idx), status }));
    expect(Buffer.compare(packStatuses(size, bits, entries).bytes, inflateText(lst))).toBe(0);
  });

  it.each(['small_1bit', 'small_2bit'])('VCI:Z3 %s is compressed byte for byte as published', (name) => {
    const { bits, statuses, lst } = readJsonVector(`issuer/token-status-list/${name}.json`) as {
      bits: StatusBits;
      statuses: number[];
      lst: string;
    };
    const list = packStatuses(
      statuses.length,
      bits,
      statuses.map((status, idx) => ({ idx, status })),
    );
    expect(encodeStatusList(list)).toEqual({ bits, lst });
  });
});

describe('an entry of a status list', () => {
  const of = (bits: StatusBits, ...bytes: number[]) => ({ bits, bytes: Uint8Array.from(bytes) });

  it('VP:O11 is counted from the least significant bit (sl:sl-lsb-order-idx2)', () => {
    expect(readStatus(of(1, 0b0000_0100), 2)).toBe(1);
    expect(readStatus(of(1, 0b0010_0000), 2)).toBe(0);
    expect(readStatus(of(4, 0x2f), 1)).toBe(2);
    expect(readStatus(of(8, 0, 0xfe), 1)).toBe(0xfe);
  });

  it.each<[StatusBits, number]>([
    [1, 16],
    [2, 8],
    [4, 4],
    [8, 2],
  ])('VP:O12 beyond a list of %d bits is refused (sl:sl-idx-out-of-range)', (bits, count) => {
    const list = of(bits, 0, 0);
    expect(readStatus(list, count - 1)).toBe(0);
    for (const idx of [count, count + 1, Number.MAX_SAFE_INTEGER, -1, 0.5, NaN]) {
      expect(() => readStatus(list, idx)).toThrow(code('status_index_out_of_range'));
      expect(() => verifyStatus(list, idx)).toThrow(code('status_index_out_of_range'));
    }
  });

  it('VP:O12 is never in an empty list', () => {
    expect(() => verifyStatus(of(1), 0)).toThrow(code('status_index_out_of_range'));
  });

  it('VP:O13 passes only with status 0x00', () => {
    expect(() => verifyStatus(of(8, 0x00), 0)).not.toThrow();
    for (let status = 1; status <= 0xff; status += 1) {
      const expected = { 1: 'credential_revoked', 2: 'credential_suspended' }[status] ?? 'credential_status_unknown';
      expect(() => verifyStatus(of(8, status), 0)).toThrow(code(expected));
    }
  });

  it('VP:O13 of two bits can be suspended or unknown (sl:sl-2bit-suspended-idx1, sl:sl-2bit-0x03-idx3)', () => {
    const list = of(2, 0b11_00_10_01);
    expect(() => verifyStatus(list, 0)).toThrow(code('credential_revoked'));
    expect(() => verifyStatus(list, 1)).toThrow(code('credential_suspended'));
    expect(() => verifyStatus(list, 2)).not.toThrow();
    expect(() => verifyStatus(list, 3)).toThrow(code('credential_status_unknown'));
  });
});

describe('a list to publish', () => {
  it('VCI:Z10 says valid for every entry that is not named', () => {
    const list = packStatuses(131_072, 1, [{ idx: 131_071, status: 1 }]);
    expect(list.bytes.byteLength).toBe(16_384);
    expect(list.bytes.filter((byte) => byte !== 0)).toEqual(Uint8Array.of(0x80));
  });

  it('VCI:Z10 fills whole bytes', () => {
    for (const [size, bits] of [
      [12, 1],
      [3, 2],
      [0, 8],
      [-8, 1],
      [0.5, 8],
    ] as [number, StatusBits][]) {
      expect(() => packStatuses(size, bits, [])).toThrow(RangeError);
    }
  });

  it('VCI:Z11 of one bit cannot say suspended', () => {
    expect(() => packStatuses(8, 1, [{ idx: 0, status: 2 }])).toThrow(RangeError);
    expect(() => packStatuses(8, 2, [{ idx: 0, status: 4 }])).toThrow(RangeError);
    expect(() => packStatuses(8, 2, [{ idx: 0, status: -1 }])).toThrow(RangeError);
    expect(() => packStatuses(8, 2, [{ idx: 8, status: 1 }])).toThrow(RangeError);
  });

  it.each([
    [-1, 1],
    [0.5, 1],
    [NaN, 1],
    [0, 0.5],
    [0, NaN],
  ])('VCI:Z11 does not drop what it cannot write: entry %d with status %d', (idx, status) => {
    expect(() => packStatuses(8, 1, [{ idx, status }])).toThrow(RangeError);
  });

  it('VCI:Z10 may be of one byte', () => {
    expect(packStatuses(8, 1, [{ idx: 7, status: 1 }]).bytes).toEqual(Uint8Array.of(0x80));
  });

  it('VCI:Z3 reads back as it was written, and the last entry for an index counts', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<StatusBits>(1, 2, 4, 8),
        fc.array(fc.record({ idx: fc.nat(255), status: fc.nat(255) }), { maxLength: 100 }),
        (bits, drawn) => {
          const entries = drawn.map(({ idx, status }) => ({ idx, status: status % 2 ** bits }));
          const list = { bits, bytes: inflateText(encodeStatusList(packStatuses(256, bits, entries)).lst) };
          const expected = new Map(entries.map(({ idx, status }) => [idx, status]));
          for (let idx = 0; idx < 256; idx += 1) expect(readStatus(list, idx)).toBe(expected.get(idx) ?? 0);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('the compression of a list', () => {
  const plain = Buffer.alloc(4096, 'status list');
  const zlib = deflateSync(plain);

  it('VP:O10 is one ZLIB stream', () => {
    expect(Buffer.compare(inflateList(zlib, 4096), plain)).toBe(0);
  });

  it.each<[string, Uint8Array]>([
    ['raw DEFLATE (sl:sl-raw-deflate)', deflateRawSync(plain)],
    ['gzip (sl:sl-gzip)', gzipSync(plain)],
    ['truncated (sl:sl-truncated-zlib)', zlib.subarray(0, zlib.byteLength - 3)],
    ['followed by other bytes', Buffer.concat([zlib, Buffer.from('x')])],
    ['two streams in a row', Buffer.concat([zlib, zlib])],
    ['wrong in its checksum', Buffer.concat([zlib.subarray(0, -1), Buffer.of(zlib[zlib.length - 1]! ^ 1)])],
    ['in need of a preset dictionary', deflateSync(plain, { dictionary: Buffer.from('status') })],
    ['empty', new Uint8Array()],
  ])('VP:O10 is refused when it is %s', (_, compressed) => {
    expect(() => inflateList(compressed, MEBIBYTE)).toThrow(code('status_list_compression_invalid'));
  });

  it('VP:O10 is bounded to the byte', () => {
    expect(() => inflateList(zlib, 4095)).toThrow(code('status_list_too_large'));
  });

  it('VP:O10 a bomb of 64 MiB is refused at once without growing memory (sl:sl-zlib-bomb-64MiB)', () => {
    const bomb = deflateSync(Buffer.alloc(64 * MEBIBYTE));
    const resident = () => process.memoryUsage().rss;
    /** The highest that it has ever been: what is gone again when it is over counts too. */
    const peak = () => process.resourceUsage().maxRSS * 1024;
    const before = { resident: resident(), peak: peak() };
    const milliseconds = fastestMilliseconds(() => {
      expect(() => inflateList(bomb, 16 * MEBIBYTE)).toThrow(code('status_list_too_large'));
    }, 100);
    expect(milliseconds).toBeLessThan(100);
    expect(resident() - before.resident).toBeLessThan(64 * MEBIBYTE);
    expect(peak() - before.peak).toBeLessThan(64 * MEBIBYTE);
  });

  it('VP:O10 any bytes give a list or a typed error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, framed) => {
        try {
          inflateList(framed ? Buffer.concat([Buffer.from('78da', 'hex'), bytes]) : bytes, MEBIBYTE);
        } catch (error) {
          expect(error).toBeInstanceOf(VerificationFailure);
        }
      }),
    );
  });
});
