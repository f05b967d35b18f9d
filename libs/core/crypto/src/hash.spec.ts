import { deriveKey, hmacSha256, sha256, sha256Base64url } from './index';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('hashes', () => {
  it('are those of FIPS 180-4 and RFC 4231 §4.3', () => {
    const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(hex(sha256('abc'))).toBe(digest);
    expect(sha256Base64url(Buffer.from('abc'))).toBe(Buffer.from(digest, 'hex').toString('base64url'));
    expect(hex(hmacSha256(Buffer.from('Jefe'), 'what do ya want for nothing?'))).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('derive another key for each purpose, and the one that an earlier version derived', () => {
    const key = Buffer.alloc(32, 1);
    expect(hex(deriveKey(key, 'purpose'))).toBe('d7f702604eb319bcd4e4bd27e7f5e58e6e967183ae2084f8226b215e6d1afae8');
    expect(deriveKey(key, 'another')).not.toEqual(deriveKey(key, 'purpose'));
    expect(deriveKey(Buffer.alloc(32, 2), 'purpose')).not.toEqual(deriveKey(key, 'purpose'));
  });
});
