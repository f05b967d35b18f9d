import fc from 'fast-check';
import { roundValidity } from './index';

const certificateNotBefore = new Date('2026-01-01T10:20:30Z');
const at = (text: string, validitySeconds = 86_400) =>
  roundValidity({ now: new Date(text), validitySeconds, certificateNotBefore });
const seconds = (text: string) => new Date(text).getTime() / 1000;

describe('VCI:V10 VCI:L3 the times of a credential', () => {
  it('are full hours around the true ones', () => {
    const expected = { iat: seconds('2026-03-01T12:00:00Z'), exp: seconds('2026-03-02T13:00:00Z') };
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

  it('never shorten the validity, and are integers on the hour', () => {
    const minute = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(minute, fc.integer({ min: 1, max: 100_000_000 }), (offset, validitySeconds) => {
        const now = new Date(Date.UTC(2026, 0, 2) + offset * 1000);
        const { iat, exp } = roundValidity({ now, validitySeconds, certificateNotBefore });
        expect([iat % 3600, exp % 3600]).toEqual([0, 0]);
        expect(iat * 1000).toBeLessThanOrEqual(now.getTime());
        expect(exp * 1000).toBeGreaterThanOrEqual(now.getTime() + validitySeconds * 1000);
      }),
    );
  });
});
