import { NOW } from '../testing/issuer.fixture-spec';
import { createOlderReplicas } from './older-replicas';

const MINUTE = 60_000;
const at = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);

describe('replicas of the previous version', () => {
  it('may run for 15 minutes after the start, whatever the clock says', () => {
    let elapsed = 0;
    const older = createOlderReplicas(() => elapsed);
    elapsed = 15 * MINUTE - 1;
    expect([older.mayRun(at(-1_000)), older.mayRun(at(1_000))]).toEqual([true, true]);
    elapsed = 15 * MINUTE;
    expect([older.mayRun(at(-1_000)), older.mayRun(at(1_000))]).toEqual([false, false]);
    expect(older.wereSeen(NOW)).toBe(false);
  });

  it('are seen for 15 minutes after the last offer that one of them has made', () => {
    const older = createOlderReplicas(() => 0);
    older.note(at(0));
    older.note(at(-60));
    expect([14, 15].map((minutes) => older.wereSeen(at(minutes)))).toEqual([true, false]);
  });

  it('may run for as long as they are seen', () => {
    let elapsed = 0;
    const older = createOlderReplicas(() => elapsed);
    elapsed = 60 * MINUTE;
    older.note(at(60));
    expect([older.mayRun(at(61)), older.mayRun(at(75))]).toEqual([true, false]);
  });
});
