import { createExpiryHold } from './expiry-hold';

/** A service that sweeps once a second; what is over since so long, in seconds, may end in its sweeps. */
function sweeping() {
  const state = { second: 0, isReachable: true, fails: false };
  const hold = createExpiryHold({ stopwatch: () => state.second * 1000, isReachable: () => state.isReachable });
  const at = new Date('2026-01-01T00:00:00Z');
  const find = hold.held(async (until: Date) => [(at.getTime() - until.getTime()) / 1000]);
  const sweep = async () => {
    state.second += 1;
    if (state.fails) return hold.during(() => Promise.reject(new Error('no database'))).catch(() => 'failed');
    return (await hold.during(() => find(at, 1)))[0] ?? 'nothing';
  };
  const sweeps = async (count: number) => {
    const ends: unknown[] = [];
    while (ends.length < count) ends.push(await sweep());
    return ends;
  };
  return { state, sweep, sweeps };
}
const NOTHING = ['nothing', 'nothing', 'nothing', 'nothing', 'nothing'];

describe('flows that are over end', () => {
  it('at once, but not in the first seconds of a process', async () => {
    expect(await sweeping().sweeps(8)).toEqual([...NOTHING, 0, 0, 0]);
  });

  it('a while after sweeps have failed', async () => {
    const { state, sweeps } = sweeping();
    await sweeps(10);
    state.fails = true;
    expect(await sweeps(2)).toEqual(['failed', 'failed']);
    state.fails = false;
    expect(await sweeps(7)).toEqual([...NOTHING, 0, 0]);
  });

  it('a while after the process has stood still', async () => {
    const { state, sweeps } = sweeping();
    await sweeps(10);
    state.second += 20;
    expect(await sweeps(7)).toEqual([...NOTHING, 0, 0]);
  });

  it('a minute late while no gateway can say anything, and for a while after that', async () => {
    const { state, sweeps } = sweeping();
    await sweeps(10);
    state.isReachable = false;
    expect(new Set(await sweeps(100))).toEqual(new Set([60]));
    state.isReachable = true;
    expect(await sweeps(7)).toEqual([60, 60, 60, 60, 60, 0, 0]);
  });

  it('at once while sweeps take their time, though not longer than a gap', async () => {
    const { state, sweeps } = sweeping();
    await sweeps(10);
    for (let time = 0; time < 5; time += 1) {
      state.second += 2;
      expect(await sweeps(1)).toEqual([0]);
    }
  });
});
