import { randomBytes, timingSafeEqual } from 'node:crypto';
import fc from 'fast-check';
import { constantTimeEqual } from './index';

describe('the comparison of secrets', () => {
  it('VP:Q9 VCI:T11 is by content, whatever the length, the kind and the place of the difference', () => {
    const secret = randomBytes(32).toString('base64url');
    expect(constantTimeEqual(secret, Buffer.from(secret))).toBe(true);
    const others = [
      '',
      secret.slice(0, -1),
      `${secret}A`,
      `.${secret.slice(1)}`,
      `${secret.slice(0, -1)}.`,
      `${secret}\0`,
    ];
    expect(others.filter((other) => constantTimeEqual(secret, other))).toEqual([]);
  });

  it('VP:Q9 never throws for different lengths, as the bare function of Node.js does', () => {
    expect(() => timingSafeEqual(Buffer.from('a'), Buffer.from('ab'))).toThrow(
      expect.objectContaining({ code: 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH' }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (left, right) => {
        expect(constantTimeEqual(left, right)).toBe(Buffer.compare(left, right) === 0);
      }),
    );
  });
});
