import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { derSignature, rawSignature, verifyEs256 } from './index';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const hex = (text: string) => Buffer.from(text.replace(/ /g, ''), 'hex');

describe('the raw form of a DER signature', () => {
  it('is written in DER as it was read, also with numbers that are short', () => {
    const part = fc
      .uint8Array({ minLength: 1, maxLength: 32 })
      .filter((bytes) => bytes.some(Boolean))
      .map((bytes) => {
        return Buffer.concat([Buffer.alloc(32 - bytes.byteLength), bytes]);
      });
    const whole = (r: Buffer, s: Buffer) => Buffer.concat([r, s]);
    fc.assert(
      fc.property(part, part, (r, s) =>
        whole(r, s).equals(rawSignature(derSignature(whole(r, s))) ?? new Uint8Array()),
      ),
    );
  });

  it.each([
    ['0', '02 01 00'],
    ['7f', '02 01 7f'],
    ['80', '02 02 00 80'],
    ['ff00', '02 03 00 ff 00'],
    ['ff'.repeat(32), `02 21 00 ${'ff'.repeat(32)}`],
  ])('is written in DER with numbers in their shortest form: %s', (number, integer) => {
    const raw = hex(`${number.padStart(64, '0')}${'1'.padStart(64, '0')}`);
    const content = hex(`${integer} 02 01 01`);
    const der = Buffer.concat([Buffer.of(0x30, content.byteLength), content]);
    expect(Buffer.from(derSignature(raw))).toEqual(der);
    if (number !== '0') expect(rawSignature(der)).toEqual(raw);
  });

  it('VCI:V23 verifies, whatever was signed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (input) => {
        const raw = rawSignature(sign('sha256', input, privateKey));
        return raw !== undefined && verifyEs256(publicKey, input, raw);
      }),
    );
  });

  it('VCI:V23 pads short numbers to 32 bytes each', () => {
    const raw = Buffer.from(rawSignature(hex('30 06 02 01 05 02 01 07')) ?? []);
    expect([raw.byteLength, raw[31], raw[63]]).toEqual([64, 5, 7]);
    expect(raw.reduce((sum, byte) => sum + byte, 0)).toBe(12);
  });

  it.each([
    ['nothing', ''],
    ['R and S already', '01'.repeat(64)],
    ['a zero', '30 06 02 01 00 02 01 07'],
    ['a negative number', '30 06 02 01 85 02 01 07'],
    ['a longer form than needed', '30 07 02 02 00 05 02 01 07'],
    ['a long length', '30 81 06 02 01 05 02 01 07'],
    ['bytes after it', '30 06 02 01 05 02 01 07 00'],
    ['bytes in it after S', '30 07 02 01 05 02 01 07 00'],
    ['another tag', '31 06 02 01 05 02 01 07'],
    ['another tag of R', '30 06 03 01 05 02 01 07'],
    ['another tag of S', '30 06 02 01 05 03 01 07'],
    ['an empty R', '30 05 02 00 02 01 07'],
    ['a zero in front of a number that is positive without it', '30 07 02 02 00 7f 02 01 07'],
    ['a length of 128 bytes', `30 80 ${'02 01 05'.repeat(40)}${'02 01 07'.repeat(2)} 02 00`],
    ['only R', '30 03 02 01 05'],
    ['a cut S', '30 06 02 01 05 02 02 07'],
    ['a number of 33 bytes', `30 26 02 21 01${'00'.repeat(32)} 02 01 07`],
  ])('is undefined for %s', (_what, text) => {
    expect(rawSignature(hex(text))).toBeUndefined();
  });

  it.each([
    ['short numbers', '30 06 02 01 05 02 01 07'],
    ['long numbers', `30 46 02 21 00 ff${'11'.repeat(31)} 02 21 00 80${'22'.repeat(31)}`],
  ])('is undefined where another byte makes it anything but DER: %s', (_what, text) => {
    const der = hex(text);
    const octets = Array.from({ length: 256 }, (_none, octet) => Buffer.of(octet));
    const changed = [...der.keys()].flatMap((at) =>
      octets.map((octet) => Buffer.concat([der.subarray(0, at), octet, der.subarray(at + 1)])),
    );
    const readOtherwise = changed.filter((bytes) => {
      const raw = rawSignature(bytes);
      return raw !== undefined && !bytes.equals(derSignature(raw));
    });
    expect(readOtherwise).toEqual([]);
  });

  it('is undefined or 64 bytes for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => (rawSignature(bytes)?.byteLength ?? 64) === 64));
  });
});
