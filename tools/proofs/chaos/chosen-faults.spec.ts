import { chooseFaults, isCurrentNats, leftOutLines } from './chosen-faults';
import type { Fault } from './faults';

const nothing = () => Promise.resolve();
const fault = (name: string, more: Partial<Fault> = {}): Fault => ({
  name,
  from: 'begin',
  holdSeconds: 1,
  boundSeconds: 1,
  begin: nothing,
  end: nothing,
  ...more,
});
const FAULTS = [
  fault('Postgres: black hole', { isShort: true }),
  fault('Postgres: read-only'),
  fault('NATS: black hole', { isShort: true, needsCurrentNats: true }),
];
const namesOf = (faults: readonly Fault[]) => faults.map(({ name }) => name);

describe('the faults of a run of chaos', () => {
  it('are those of its options', () => {
    const chosen = (choice: 'all' | 'short' | 'none', only = '') =>
      namesOf(chooseFaults(FAULTS, { faults: choice, only }, '2.10.29').chosen);
    expect(chosen('all')).toEqual(namesOf(FAULTS));
    expect(chosen('short')).toEqual(['Postgres: black hole', 'NATS: black hole']);
    expect(chosen('none')).toEqual([]);
    expect(chosen('all', 'read')).toEqual(['Postgres: read-only']);
  });

  it.each(['2.9.10', undefined])(
    'without those that NATS %s cannot bear, which it names with what to do',
    (version) => {
      const run = chooseFaults(FAULTS, { faults: 'all', only: '' }, version);
      expect(namesOf(run.chosen)).toEqual(['Postgres: black hole', 'Postgres: read-only']);
      const lines = leftOutLines(run, version);
      expect(lines[0]).toContain(version === undefined ? 'the embedded NATS' : 'nats-server 2.9.10');
      expect(lines[1]).toContain('2.9.16 or newer');
      expect(lines.slice(2)).toEqual(['  NATS: black hole']);
    },
  );

  it('are complained of in no other case', () => {
    expect(leftOutLines(chooseFaults(FAULTS, { faults: 'all', only: '' }, '2.9.16'), '2.9.16')).toEqual([]);
    expect(leftOutLines(chooseFaults(FAULTS, { faults: 'none', only: '' }, '2.9.10'), '2.9.10')).toEqual([]);
  });

  it.each([
    ['2.9.15', false],
    ['2.9.16', true],
    ['2.9.25', true],
    ['2.10.0', true],
    ['2.10', true],
    ['3.0.0', true],
    ['2.8.99', false],
    ['1.10.20', false],
    ['nonsense', false],
  ])('know that nats-server %s is current: %s', (version, expected) => {
    expect(isCurrentNats(version)).toBe(expected);
  });
});
