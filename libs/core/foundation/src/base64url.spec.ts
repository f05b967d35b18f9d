import fc from 'fast-check';
import { decodeBase64, decodeBase64url, encodeBase64, encodeBase64url, isBase64url } from './base64url';

describe('base64url', () => {
  it('round-trips every byte string', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeBase64url(encodeBase64url(bytes))).toEqual(Buffer.from(bytes));
        expect(decodeBase64(encodeBase64(bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it.each(['YQ==', 'Y', 'YR', 'a+b/', 'a b_', 'YQ\n', 'é'])('refuses %j', (text) => {
    expect(decodeBase64url(text)).toBeUndefined();
  });

  it('knows the lengths that no byte string encodes to', () => {
    expect(isBase64url('AAAAA')).toBe(false);
    expect(isBase64url('AAAA')).toBe(true);
  });
});

describe('base64', () => {
  it.each(['YQ', 'YR==', 'a-b_', 'YQ==\n', '-----BEGIN', 'Y==='])('refuses %j', (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });
});
