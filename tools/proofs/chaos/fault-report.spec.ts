import type { FaultResult } from './episodes';
import { renderRecorded, renderResults, type RecordedRun } from './fault-report';

const result = (changes: Partial<FaultResult> = {}): FaultResult => ({
  name: 'NATS: hangs',
  from: 'end',
  firstGoodSeconds: 1.25,
  steadySeconds: 0,
  boundSeconds: 10,
  asked: 80,
  away: 40,
  wrong: 0,
  lost: 0,
  notHeld: 2,
  faults: [],
  ...changes,
});
const run = (...results: FaultResult[]): RecordedRun => ({
  on: '2026-01-31',
  node: '20.0.0',
  nats: 'nats-server: v2',
  cores: 2,
  results,
});
const cells = (table: string, name: string) =>
  table
    .split('\n')
    .find((line) => line.includes(name))
    ?.split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());

describe('the table of faults', () => {
  it('has seconds and counts', () => {
    expect(cells(renderResults([result()]), 'NATS: hangs')).toEqual([
      'end',
      '1.3',
      '1.3',
      '10',
      '80',
      '40',
      '0',
      '0',
      '2',
    ]);
  });

  it('says what did not come back', () => {
    const never = result({ firstGoodSeconds: undefined, faults: ['it did not come back, and was started anew'] });
    const [, first, all] = cells(renderResults([never]), 'NATS: hangs') ?? [];
    expect([first, all]).toEqual(['not within 60 s', 'not within 60 s']);
  });

  it('compares with what was before, where that had the fault', () => {
    const now = run(result(), result({ name: 'NATS: gone' }), result({ name: 'new' }));
    const text = renderRecorded({ before: { 'NATS: hangs': 55.4, 'NATS: gone': null }, now });
    const former = ['NATS: hangs', 'NATS: gone', 'new'].map((name) => cells(text, name)?.[4]);
    expect(former).toEqual(['55.4', 'not within 60 s', '-']);
    expect(renderRecorded({ before: {}, now: { ...now, note: 'On a busy machine.' } })).toContain(
      '\n\nOn a busy machine.',
    );
  });
});
