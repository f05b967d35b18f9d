import { BENCH_USAGE, parseBenchOptions } from './options';

const USUAL = {
  seconds: 30,
  wallets: 32,
  replicas: 1,
  oldRequests: 0,
  statusEntries: 0,
  encrypted: false,
  json: false,
  counts: false,
  record: false,
};

describe('the options of npm run bench', () => {
  it('have 32 wallets and half a minute by default', () => {
    expect(parseBenchOptions([])).toEqual(USUAL);
  });

  it('are read by name', () => {
    const argv = ['--seconds', '5', '--wallets=2', '--replicas', '3', '--old-requests', '1000000'];
    const rest = ['--status-entries', '800000', '--encrypted', '--json', '--compare', '../../older'];
    expect(parseBenchOptions([...argv, ...rest])).toEqual({
      ...USUAL,
      seconds: 5,
      wallets: 2,
      replicas: 3,
      oldRequests: 1_000_000,
      statusEntries: 800_000,
      encrypted: true,
      json: true,
      compare: '../../older',
    });
  });

  it.each([
    ['--unknown'],
    ['further'],
    ['--seconds', '0'],
    ['--seconds', '1.5'],
    ['--seconds', ''],
    ['--wallets', 'many'],
    ['--wallets', '-1'],
    ['--replicas', '17'],
    ['--old-requests', '10000001'],
    ['--compare'],
    ['--compare', ''],
    ['--record', '--counts'],
    ['--record', '--encrypted'],
    ['--record', '--compare', 'x'],
  ])('refuse %s %s %s', (...argv) => {
    expect(parseBenchOptions(argv)).toBeUndefined();
  });

  it('are all in the usage', () => {
    for (const name of [
      'seconds',
      'wallets',
      'replicas',
      'old-requests',
      'status-entries',
      'encrypted',
      'json',
      'compare',
    ]) {
      expect(BENCH_USAGE).toContain(`--${name}`);
    }
  });
});
