import { seededRandom } from '@vestibule/testkit';
import fc from 'fast-check';
import { DELIVERY_LIMITS, parseRetryAfter, retryDelay } from './delivery-policy';

const lowest = (): Uint8Array => Buffer.alloc(4, 0);
const highest = (): Uint8Array => Buffer.alloc(4, 255);
const now = new Date('2026-01-01T00:00:00Z');

describe('the delay before the next attempt', () => {
  it('doubles from 1 s to 5 min', () => {
    const delays = [1, 2, 3, 8, 9, 10, 1000].map((attempts) =>
      retryDelay(attempts, undefined, DELIVERY_LIMITS, highest),
    );
    expect(delays).toEqual([1_000, 2_000, 4_000, 128_000, 256_000, 300_000, 300_000]);
  });

  it('is random in its upper half, and never below 1 s', () => {
    expect(retryDelay(1, undefined, DELIVERY_LIMITS, lowest)).toBe(1_000);
    expect(retryDelay(4, undefined, DELIVERY_LIMITS, lowest)).toBe(4_000);
    expect(retryDelay(50, undefined, DELIVERY_LIMITS, lowest)).toBe(150_000);
  });

  it('honours Retry-After, up to an hour', () => {
    expect(retryDelay(1, 60_000, DELIVERY_LIMITS, lowest)).toBe(60_000);
    expect(retryDelay(1, 10 ** 12, DELIVERY_LIMITS, lowest)).toBe(3_600_000);
    expect(retryDelay(9, 1, DELIVERY_LIMITS, lowest)).toBe(128_000);
  });

  it('lies between 1 s and 1 h, whatever happens', () => {
    const random = seededRandom('delays');
    fc.assert(
      fc.property(fc.integer(), fc.option(fc.nat(), { nil: undefined }), (attempts, retryAfter) => {
        const delay = retryDelay(attempts, retryAfter, DELIVERY_LIMITS, random);
        return Number.isInteger(delay) && delay >= 1_000 && delay <= 3_600_000;
      }),
    );
  });
});

describe('a Retry-After header', () => {
  it('is a number of seconds or an HTTP date', () => {
    expect(parseRetryAfter('120', now)).toBe(120_000);
    expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30_000);
    expect(parseRetryAfter('Wed, 31 Dec 2025 23:00:00 GMT', now)).toBe(0);
  });

  it.each([undefined, '', '-1', '1.5', 'soon', '99999999999999', '2026-01-01', 'Thu, 99 Jan 2026 99:00:00 GMT'])(
    'that says anything else is ignored (%s)',
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );
});
