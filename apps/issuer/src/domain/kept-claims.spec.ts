import { NOW } from '../testing/issuer.fixture-spec';
import { createUnkeptBy } from './kept-claims';

const MINUTE = 60_000;
const at = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);

describe('claims that are kept no longer', () => {
  /** What a process says that started at NOW, after so many minutes. */
  const after = (minutes: number, { keepsClaims = false, now = at(minutes) } = {}) => {
    let elapsed = 0;
    const unkeptBy = createUnkeptBy(keepsClaims, () => elapsed);
    elapsed = minutes * MINUTE;
    return unkeptBy(now);
  };

  it('VCI:P8 are those of offers that ended before the start or while replicas were replaced, half an hour after it', () => {
    expect(after(30 - 1 / MINUTE)).toBeUndefined();
    expect(after(30)).toEqual(at(15));
  });

  it('VCI:P8 are never those that replicas keep which replace this one', () => {
    for (const minutes of [30, 44, 10_000]) {
      // As late as it may be, the first of them has started 15 minutes ago.
      expect(after(minutes)?.getTime()).toBeLessThanOrEqual(at(minutes - 15).getTime());
    }
    expect(after(10_000)).toEqual(at(15));
  });

  it('VCI:P8 are none where claims are kept, and fewer by a clock that is behind', () => {
    expect(after(10_000, { keepsClaims: true })).toBeUndefined();
    expect(after(30, { now: at(20) })).toEqual(at(5));
  });
});
