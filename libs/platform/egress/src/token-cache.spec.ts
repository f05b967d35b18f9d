import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import { fakeClock } from '@vestibule/testkit';
import { createTokenCache, type Loaded, type TokenCacheOptions } from './index';

const START = '2026-06-01T12:00:00Z';

function cacheOf(load: (key: string) => Promise<Loaded<string>>, change: Partial<TokenCacheOptions<string>> = {}) {
  const { clock, advanceSeconds } = fakeClock(START);
  const counted = jest.fn(load);
  const cache = createTokenCache({ load: counted, maxBytes: 1000, maxEntries: 10, clock, ...change });
  return { cache, load: counted, clock, advanceSeconds };
}
const after = (seconds: number) => new Date(Date.parse(START) + seconds * 1000);
const loaded = (value: string, seconds = 300, bytes = 1): Loaded<string> => ({
  value,
  usableUntil: after(seconds),
  bytes,
});
/** All that can happen without time passing has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const failure = new ProcessingFailure('egress_failed', 'planted');

describe('the token cache', () => {
  it('VP:O19 makes one load of 50 parallel calls', async () => {
    let finish: (value: Loaded<string>) => void = () => undefined;
    const { cache, load } = cacheOf(() => new Promise((resolve) => (finish = resolve)));
    const values = Promise.all(Array.from({ length: 50 }, () => cache.get('a')));
    await settled();
    finish(loaded('a'));
    expect(new Set(await values)).toEqual(new Set(['a']));
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('VP:O16 remembers a value until it is not usable any more, and not a moment longer', async () => {
    let version = 0;
    const { cache, load, advanceSeconds } = cacheOf(async () => {
      version += 1;
      return loaded(`v${version}`, version * 300);
    });
    expect(await cache.get('a')).toBe('v1');
    advanceSeconds(299);
    expect(await cache.get('a')).toBe('v1');
    expect(load).toHaveBeenCalledTimes(1);
    advanceSeconds(1);
    expect(await cache.get('a')).toBe('v2');
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('VP:O16 VP:O17 is not prolonged by a clock that was ahead when a value was kept, and is set back', async () => {
    let milliseconds = 0;
    const stopwatch = () => milliseconds;
    const stale = { ...loaded('a', 300), staleUntil: after(600) };
    const { cache, load, advanceSeconds } = cacheOf(async () => stale, { stopwatch });
    await cache.get('a');
    advanceSeconds(-86_400);
    milliseconds = 299_999;
    await cache.get('a');
    expect(load).toHaveBeenCalledTimes(1);
    load.mockImplementation(() => Promise.reject(failure));
    milliseconds = 300_000;
    await expect(cache.get('a')).rejects.toBe(failure);
    milliseconds = 599_999;
    expect(cache.findStale('a')).toBe('a');
    milliseconds = 600_000;
    expect(cache.findStale('a')).toBeUndefined();
  });

  it('VP:O16 ends by the clock where the process stood still meanwhile', async () => {
    const { cache, load, advanceSeconds } = cacheOf(async () => loaded('a', 300), { stopwatch: () => 0 });
    await cache.get('a');
    advanceSeconds(300);
    await cache.get('a');
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('tells of each use whether the value was there, had to be loaded, or was an older one', async () => {
    const uses: string[] = [];
    const stale = { ...loaded('a', 300), staleUntil: after(600) };
    const { cache, advanceSeconds } = cacheOf(async () => stale, { onUse: (use) => uses.push(use) });
    expect(cache.findStale('a')).toBeUndefined();
    await cache.get('a');
    await cache.get('a');
    advanceSeconds(300);
    expect(cache.findStale('a')).toBe('a');
    await cache.get('a');
    expect(uses).toEqual(['miss', 'hit', 'stale', 'miss']);
  });

  it('VP:O16 hands out but does not keep a value whose time is over already', async () => {
    const { cache, load } = cacheOf(async () => loaded('late', 0));
    expect(await cache.get('a')).toBe('late');
    expect(await cache.get('a')).toBe('late');
    expect(load).toHaveBeenCalledTimes(2);
    expect(cache.size()).toEqual({ entries: 0, bytes: 0 });
  });

  it('VP:O16 does not keep a value with an invalid date or size', async () => {
    const { cache } = cacheOf(async (key) => (key === 'a' ? loaded('x', NaN) : loaded('x', 300, NaN)));
    await cache.get('a');
    await cache.get('b');
    expect(cache.size()).toEqual({ entries: 0, bytes: 0 });
  });

  it('VP:O17 gives a failed load to its caller, and one more to all that joined it, and remembers nothing', async () => {
    const failures = [failure, new ProcessingFailure('egress_timeout', 'planted, too')];
    const { cache, load } = cacheOf(async () => Promise.reject(failures[load.mock.calls.length - 1] ?? failure));
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => cache.get('a')));
    const rejected = (reason: unknown) => ({ status: 'rejected', reason });
    expect(results).toEqual([rejected(failures[0]), ...Array.from({ length: 9 }, () => rejected(failures[1]))]);
    expect(load).toHaveBeenCalledTimes(2);
    load.mockResolvedValueOnce(loaded('good'));
    expect(await cache.get('a')).toBe('good');
  });

  it('VP:O17 does not fail for those that joined a load of an outage that is over', async () => {
    const ends: ((end: Promise<Loaded<string>>) => void)[] = [];
    const { cache, load } = cacheOf(() => new Promise((resolve) => ends.push(resolve)));
    const first = cache.get('a');
    const joined = [cache.get('a'), cache.refresh('a')];
    ends[0]?.(Promise.reject(failure));
    await expect(first).rejects.toBe(failure);
    const later = cache.get('a');
    ends[1]?.(Promise.resolve(loaded('good')));
    expect(await Promise.all([...joined, later])).toEqual(['good', 'good', 'good']);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('VP:O17 loads once where the value came and is wrong', async () => {
    const wrong = new VerificationFailure('status_token_malformed', {
      section: 'planted',
      meaning: 'planted',
      remedy: 'planted',
    });
    const { cache, load } = cacheOf(async () => Promise.reject(wrong));
    const results = await Promise.allSettled([cache.get('a'), cache.get('a'), cache.refresh('a')]);
    expect(results.map((one) => (one as PromiseRejectedResult).reason as unknown)).toEqual([wrong, wrong, wrong]);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('VP:O17 a load that throws at once is a failed load', async () => {
    const { cache } = cacheOf(() => {
      throw failure;
    });
    await expect(cache.get('a')).rejects.toBe(failure);
    await expect(cache.get('a')).rejects.toBe(failure);
  });

  it('VP:O17 a failed refresh neither replaces nor prolongs a good value', async () => {
    const { cache, load, advanceSeconds } = cacheOf(async () => loaded('good'));
    await cache.get('a');
    load.mockRejectedValue(failure);
    await expect(cache.refresh('a')).rejects.toBe(failure);
    expect(await cache.get('a')).toBe('good');
    advanceSeconds(300);
    await expect(cache.get('a')).rejects.toBe(failure);
    expect(cache.size().entries).toBe(0);
  });

  it('VP:O17 a refresh that succeeds replaces, also when the new value cannot be kept', async () => {
    const { cache, load } = cacheOf(async () => loaded('old', 300, 10));
    await cache.get('a');
    load.mockResolvedValueOnce(loaded('new', 300, 20));
    expect(await cache.refresh('a')).toBe('new');
    expect(await cache.get('a')).toBe('new');
    expect(cache.size()).toEqual({ entries: 1, bytes: 20 });
    load.mockResolvedValueOnce(loaded('huge', 300, 2000));
    expect(await cache.refresh('a')).toBe('huge');
    expect(cache.size()).toEqual({ entries: 0, bytes: 0 });
  });

  it('VP:O17 a refresh joins the load that is under way', async () => {
    const { cache, load } = cacheOf(async () => loaded('one'));
    expect(await Promise.all([cache.get('a'), cache.refresh('a'), cache.get('a')])).toEqual(['one', 'one', 'one']);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('VP:O19 nobody waits longer than a load may take, and a late result is not kept', async () => {
    const ends: ((value: Loaded<string>) => void)[] = [];
    const { cache, load } = cacheOf(() => new Promise((resolve) => ends.push(resolve)), { loadMilliseconds: 20 });
    const results = await Promise.allSettled([cache.get('a'), cache.get('a')]);
    const timeout = { status: 'rejected', reason: expect.objectContaining({ code: 'egress_timeout' }) as unknown };
    expect(results).toEqual([timeout, timeout]);
    ends[0]?.(loaded('late'));
    await settled();
    expect(cache.size().entries).toBe(0);
    load.mockResolvedValueOnce(loaded('good'));
    expect(await cache.get('a')).toBe('good');
  });

  it('VP:O19 is bounded in entries: the least recently used gives way', async () => {
    const { cache, load } = cacheOf(async (key) => loaded(key), { maxEntries: 2 });
    for (const key of ['a', 'b', 'a', 'c', 'a']) await cache.get(key);
    expect(load.mock.calls.map(([key]) => key)).toEqual(['a', 'b', 'c']);
    expect(cache.size()).toEqual({ entries: 2, bytes: 2 });
    await cache.get('b');
    expect(load).toHaveBeenCalledTimes(4);
  });

  it('VP:O19 is bounded in bytes', async () => {
    const { cache } = cacheOf(async (key) => loaded(key, 300, Number(key)));
    for (const key of ['400', '500', '300', '1001']) await cache.get(key);
    expect(cache.size()).toEqual({ entries: 2, bytes: 800 });
    await cache.get('1000');
    expect(cache.size()).toEqual({ entries: 1, bytes: 1000 });
    for (let key = 1; key <= 500; key += 1) await cache.get(String(key));
    expect(cache.size().bytes).toBeLessThanOrEqual(1000);
  });
});

describe('a value that had to be refused', () => {
  it('is loaded again unless the last load was just now, whatever came of that', async () => {
    let milliseconds = 0;
    const { cache, load, advanceSeconds } = cacheOf(async () => loaded('a'), { stopwatch: () => milliseconds });
    await cache.get('a');
    advanceSeconds(-86_400);
    milliseconds = 9_999;
    expect(await cache.renew('a', 10_000)).toBe('a');
    expect(load).toHaveBeenCalledTimes(1);
    load.mockImplementation(() => Promise.reject(failure));
    milliseconds = 10_000;
    await expect(cache.renew('a', 10_000)).rejects.toBe(failure);
    await expect(cache.renew('a', 10_000)).rejects.toBe(failure);
    expect(await cache.get('a')).toBe('a');
    expect(load).toHaveBeenCalledTimes(2);
    load.mockImplementation(async () => loaded('b'));
    advanceSeconds(86_410);
    expect(await Promise.all([cache.renew('a', 10_000), cache.renew('a', 10_000)])).toEqual(['b', 'b']);
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('is loaded once for all that come while its load fails', async () => {
    const { cache, load, advanceSeconds } = cacheOf(async () => loaded('a'));
    await cache.get('a');
    advanceSeconds(10);
    load.mockImplementation(() => Promise.reject(failure));
    const renewed = await Promise.allSettled([cache.renew('a', 10_000), cache.renew('a', 10_000)]);
    expect(renewed).toEqual(Array.from({ length: 2 }, () => ({ status: 'rejected', reason: failure })));
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is loaded no more often where a load fails as nobody provided for, which concerns only who waited', async () => {
    const { cache, load, advanceSeconds } = cacheOf(async () => loaded('a'));
    await cache.get('a');
    advanceSeconds(10);
    load.mockImplementation(() => Promise.reject(new TypeError('planted')));
    await expect(cache.renew('a', 10_000)).rejects.toThrow(TypeError);
    expect(await cache.renew('a', 10_000)).toBe('a');
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is not there again once it is no longer usable', async () => {
    const { cache, advanceSeconds } = cacheOf(async () => loaded('a', 5));
    await cache.get('a');
    advanceSeconds(5);
    expect(await cache.renew('a', 10_000)).toBeUndefined();
  });
});
