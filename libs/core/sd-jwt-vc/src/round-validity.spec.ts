import fc from 'fast-check';
import { roundValidity, shortenedValidity } from './index';
import { failsWith } from './testing/sd-jwt-builder.fixture-spec';

const certificateNotBefore = new Date('2026-01-01T10:20:30Z');
const FAR = '2036-01-01T00:00:00Z';
const at = (text: string, validitySeconds = 86_400, chainEndsAt = FAR) =>
  roundValidity({ now: new Date(text), validitySeconds, certificateNotBefore, chainEndsAt: new Date(chainEndsAt) });
const seconds = (text: string) => new Date(text).getTime() / 1000;

describe('VCI:V10 VCI:L3 the times of a credential', () => {
  it('are full hours around the true ones', () => {
    const expected = { iat: seconds('2026-03-01T12:00:00Z'), exp: seconds('2026-03-02T13:00:00Z'), isShortened: false };
    expect(at('2026-03-01T12:34:56Z')).toEqual(expected);
  });

  it('VCI:L4 are the same for two issuances in one hour', () => {
    expect(at('2026-03-01T12:00:01.500Z')).toEqual(at('2026-03-01T12:59:59.999Z'));
  });

  it('never precede the certificate', () => {
    expect(at('2026-01-01T10:40:00Z').iat).toBe(seconds('2026-01-01T10:20:30Z'));
    expect(() => at('2026-01-01T10:00:00Z')).toThrow(RangeError);
  });

  it.each([0, -1, NaN])('cannot last %d seconds', (validitySeconds) => {
    expect(() => at('2026-03-01T12:00:00Z', validitySeconds)).toThrow(RangeError);
  });

  it.each([
    ['2026-03-02T12:59:59Z', '2026-03-02T12:00:00Z', true],
    ['2026-03-02T12:00:00Z', '2026-03-02T12:00:00Z', true],
    ['2026-03-02T13:00:00Z', '2026-03-02T13:00:00Z', false],
    ['2026-03-02T13:00:01Z', '2026-03-02T13:00:00Z', false],
    ['2026-03-01T13:00:00Z', '2026-03-01T13:00:00Z', true],
  ])(
    'VCI:V9 VCI:V10 never outlive a chain that ends at %s: rounded down to the hour there',
    (end, exp, isShortened) => {
      expect(at('2026-03-01T12:34:56Z', 86_400, end)).toMatchObject({ exp: seconds(exp), isShortened });
      const validity = { now: new Date('2026-03-01T12:34:56Z'), validitySeconds: 86_400, chainEndsAt: new Date(end) };
      expect(shortenedValidity(validity)).toEqual(isShortened ? new Date(exp) : undefined);
    },
  );

  it.each(['2026-03-01T12:59:59Z', '2026-03-01T12:34:57Z', '2026-03-01T12:00:00Z', '2026-02-01T00:00:00Z'])(
    'VCI:V3 VCI:V9 are none where the chain ends within the hour, or has ended: %s',
    (end) => {
      expect(() => at('2026-03-01T12:34:56Z', 86_400, end)).toThrow(failsWith('signing_certificate_expired'));
    },
  );

  it('VCI:V9 never outlive the chain, whatever the times are, and still end on the hour', () => {
    const second = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(second, second, fc.integer({ min: 1, max: 100_000_000 }), (offset, left, validitySeconds) => {
        const now = new Date(Date.UTC(2026, 0, 2) + offset * 1000);
        const chainEndsAt = new Date(now.getTime() + 3_600_000 + left * 1000);
        const { exp } = roundValidity({ now, validitySeconds, certificateNotBefore, chainEndsAt });
        expect(exp % 3600).toBe(0);
        expect(exp * 1000).toBeLessThanOrEqual(chainEndsAt.getTime());
        expect(exp * 1000).toBeGreaterThan(now.getTime());
      }),
    );
  });

  it('never shorten the validity, and are integers on the hour', () => {
    const minute = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(minute, fc.integer({ min: 1, max: 100_000_000 }), (offset, validitySeconds) => {
        const now = new Date(Date.UTC(2026, 0, 2) + offset * 1000);
        const { iat, exp } = roundValidity({ now, validitySeconds, certificateNotBefore, chainEndsAt: new Date(FAR) });
        expect([iat % 3600, exp % 3600]).toEqual([0, 0]);
        expect(iat * 1000).toBeLessThanOrEqual(now.getTime());
        expect(exp * 1000).toBeGreaterThanOrEqual(now.getTime() + validitySeconds * 1000);
      }),
    );
  });
});
