import { createTokenBucket } from './token-bucket';

describe('a token bucket', () => {
  let now = 0;
  const bucketOf = (perSecond: number) => {
    now = 1_000;
    return createTokenBucket(perSecond, () => now);
  };

  it('lets a tenth of a second through at once, and then as much as its rate', () => {
    const bucket = bucketOf(100);
    expect(bucket.available()).toBe(10);
    bucket.take(10);
    expect([bucket.available(), bucket.millisecondsToNext()]).toEqual([0, 10]);
    now += 35;
    expect([bucket.available(), bucket.millisecondsToNext()]).toEqual([3, 0]);
  });

  it('saves up no more than its burst', () => {
    const bucket = bucketOf(100);
    now += 3_600_000;
    expect(bucket.available()).toBe(10);
  });

  it('takes back what was not used, up to its burst', () => {
    const bucket = bucketOf(100);
    bucket.take(7);
    bucket.giveBack(4);
    expect(bucket.available()).toBe(7);
    bucket.giveBack(9);
    expect(bucket.available()).toBe(10);
  });

  it('lets one through at the smallest rate', () => {
    const bucket = bucketOf(1);
    bucket.take(bucket.available());
    now += 400;
    expect([bucket.available(), bucket.millisecondsToNext()]).toEqual([0, 600]);
    now += 600;
    expect(bucket.available()).toBe(1);
  });

  it('never exceeds its rate by more than its burst, whatever the rhythm', () => {
    const bucket = bucketOf(50);
    let taken = 0;
    for (let step = 0; step < 1_000; step += 1) {
      const count = bucket.available();
      bucket.take(count);
      taken += count;
      now += 7;
    }
    expect(taken).toBeGreaterThan(340);
    expect(taken).toBeLessThanOrEqual(7 * 50 + 5);
  });
});
