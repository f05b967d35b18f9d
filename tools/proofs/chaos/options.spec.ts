import { readOptions } from './options';

describe('the options of chaos', () => {
  it('have defaults, and any seed', () => {
    const options = readOptions([]);
    expect(options).toMatchObject({ flows: 200, faults: 'short', only: '', record: false });
    expect(Number.isInteger(options?.seed)).toBe(true);
  });

  it('say how many flows, which seed and which faults', () => {
    const argv = ['--flows', '0', '--seed', '7', '--faults', 'all', '--record'];
    expect(readOptions(argv)).toEqual({ flows: 0, seed: 7, faults: 'all', only: '', record: true });
    expect(readOptions(['--only', 'NATS', '--faults', 'all'])).toMatchObject({ only: 'NATS' });
  });

  it.each([
    ['--flows', '-1'],
    ['--flows', '1.5'],
    ['--flows', '100001'],
    ['--seed', 'x'],
    ['--faults', 'some'],
    ['--wrong'],
    ['more'],
    ['--record'],
    ['--record', '--faults', 'short'],
    ['--record', '--faults', 'all', '--only', 'NATS'],
  ])('are refused: %s %s %s %s %s', (...argv) => {
    expect(readOptions(argv)).toBeUndefined();
  });
});
