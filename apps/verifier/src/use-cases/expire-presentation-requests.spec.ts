import type { PresentedCredentialsEvent } from '@vestibule/contracts';
import { NOW } from '../testing/verifier.fixture-spec';
import { expirePresentationRequests } from './expire-presentation-requests';

/**
 * A store with so many overdue requests, of which some end otherwise meanwhile, and the first so many had a wallet that was
 * not served.
 */
function open({ overdue = 0, endedMeanwhile = 0, unserved = 0, clock = NOW }) {
  const waiting = Array.from({ length: overdue }, (_item, index) => ({
    state: `state-${index}`,
    wasUnserved: index < unserved,
  }));
  const events: PresentedCredentialsEvent[] = [];
  const times: Date[] = [];
  let [lost, expireCalls, rests, asked] = [endedMeanwhile, 0, 0, 0];
  const run = expirePresentationRequests({
    rest: async () => void (rests += 1),
    clock: () => clock,
    agreedTime: () => Promise.resolve(clock < NOW ? clock : NOW).finally(() => void (asked += 1)),
    findOverdue(now, limit) {
      times.push(now);
      return Promise.resolve(waiting.slice(0, limit));
    },
    expire(endings, now) {
      times.push(now);
      expireCalls += 1;
      waiting.splice(0, endings.length);
      const won = endings.slice(Math.min(lost, endings.length));
      lost -= endings.length - won.length;
      events.push(...won.map(({ event }) => event));
      return Promise.resolve(won.length);
    },
  });
  return { run, events, times, expireCalls: () => expireCalls, rests: () => rests, asked: () => asked };
}

describe('a sweep', () => {
  it('VP:P10 ends every overdue request with one EXPIRED event of its own', async () => {
    const sweep = open({ overdue: 3 });
    expect(await sweep.run()).toBe(3);
    expect(sweep.events).toEqual(['state-0', 'state-1', 'state-2'].map((state) => ({ status: 'EXPIRED', state })));
  });

  it('ends those as PROCESSING_ERROR whose wallet came and could not be served', async () => {
    const sweep = open({ overdue: 3, unserved: 1 });
    expect(await sweep.run()).toBe(3);
    const errorDetails = 'wallet_not_served: a wallet came and could not be served';
    expect(sweep.events).toEqual([
      { status: 'PROCESSING_ERROR', state: 'state-0', errorDetails },
      { status: 'EXPIRED', state: 'state-1' },
      { status: 'EXPIRED', state: 'state-2' },
    ]);
  });

  it('goes on until nothing is left, in batches, with a rest after each full one', async () => {
    const sweep = open({ overdue: 450 });
    expect(await sweep.run()).toBe(450);
    expect([sweep.expireCalls(), sweep.rests()]).toEqual([5, 4]);
  });

  it('VP:P10 counts only what it ended itself', async () => {
    const sweep = open({ overdue: 120, endedMeanwhile: 40 });
    expect(await sweep.run()).toBe(80);
  });

  it('leaves a batch that another replica is ending to that one', async () => {
    const sweep = open({ overdue: 400, endedMeanwhile: 100 });
    expect(await sweep.run()).toBe(0);
    expect(sweep.expireCalls()).toBe(1);
  });

  it('looks once, and asks for nothing else, where nothing is overdue', async () => {
    const sweep = open({});
    expect(await sweep.run()).toBe(0);
    expect([sweep.times, sweep.asked(), sweep.expireCalls()]).toEqual([[NOW], 0, 0]);
  });

  it('has one time for all of it', async () => {
    const sweep = open({ overdue: 1 });
    await sweep.run();
    expect(new Set(sweep.times)).toEqual(new Set([NOW]));
  });

  it('has the agreed time for what it ends, whatever its own clock found', async () => {
    const ahead = new Date(NOW.getTime() + 60_000);
    const sweep = open({ overdue: 1, clock: ahead });
    await sweep.run();
    expect(sweep.times).toEqual([ahead, NOW, NOW]);
  });

  it('ends after the batch at hand when there is no more time', async () => {
    const sweep = open({ overdue: 450 });
    expect(await sweep.run(() => sweep.events.length < 200)).toBe(200);
  });
});
