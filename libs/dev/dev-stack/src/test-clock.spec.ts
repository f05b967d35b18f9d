import { execFileSync } from 'node:child_process';
import { readClock, readShellClock } from './test-clock';

const AHEAD = {
  LD_PRELOAD: '/lib/libfaketimeMT.so.1',
  FAKETIME: '+366d',
  NO_FAKE_STAT: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
};

describe('the clock of a run', () => {
  it('goes to the programs that the run starts, and nothing else does', () => {
    expect(readClock({ ...AHEAD, PATH: '/bin', DATABASE_URL: 'postgres://a' })).toEqual(AHEAD);
    expect(readClock({ LD_PRELOAD: AHEAD.LD_PRELOAD, FAKETIME: '+1d' })).toEqual({
      LD_PRELOAD: AHEAD.LD_PRELOAD,
      FAKETIME: '+1d',
    });
  });

  it('is the usual one as long as none is set, whatever else is preloaded', () => {
    expect(readClock({ LD_PRELOAD: '/lib/libjemalloc.so', PATH: '/bin' })).toEqual({});
    expect(readClock({})).toEqual({});
  });

  it('goes to a shell with what its programs share, and only with a clock', () => {
    const shared = { FAKETIME_SHARED: '/faketime_sem_1 /faketime_shm_1' };
    expect(readShellClock({ ...AHEAD, ...shared, PATH: '/bin' })).toEqual({ ...AHEAD, ...shared });
    expect(readShellClock(AHEAD)).toEqual(AHEAD);
    expect(readShellClock({ ...shared, LD_PRELOAD: AHEAD.LD_PRELOAD })).toEqual({});
  });

  it('is that of this process in a program with an environment of its own', () => {
    const program = [process.execPath, ['-p', 'Date.now()']] as const;
    const output = execFileSync(...program, { env: readClock(), encoding: 'utf8' });
    expect(Math.abs(Number(output) - Date.now())).toBeLessThan(3_600_000);
  });
});
