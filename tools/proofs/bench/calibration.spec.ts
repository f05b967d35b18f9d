import { calibrate, median, normalise, REFERENCE_MICROSECONDS } from './calibration';

describe('the calibration of a machine', () => {
  it('takes the middle of an odd and of an even number of values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 1, 4, 2])).toBe(3);
    expect(median([7])).toBe(7);
    expect(median([])).toBeNaN();
  });

  it('leaves figures of the reference machine as they are', () => {
    expect(normalise(6.5, REFERENCE_MICROSECONDS)).toBeCloseTo(6.5, 10);
  });

  it('halves the figures of a machine that needs twice as long', () => {
    expect(normalise(13, 2 * REFERENCE_MICROSECONDS)).toBeCloseTo(6.5, 10);
  });

  it('measures processor time of whole verifications', () => {
    const before = process.cpuUsage();
    const microseconds = calibrate();
    const { user, system } = process.cpuUsage(before);
    expect(microseconds).toBeGreaterThan(0);
    // The median of 21 rounds of 100: at least 11 of them took as long or longer.
    expect(microseconds * 1100).toBeLessThanOrEqual(user + system);
  });
});
