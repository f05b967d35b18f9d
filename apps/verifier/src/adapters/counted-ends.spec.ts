import { createCheckLog } from '@vestibule/oid4vp';
import { createMetrics, type EndedFlow, type Outcomes } from '@vestibule/process';
import type { Ending } from '../domain/presentation-ending';
import type { PresentationRequests } from '../domain/ports';
import { expiredEvent } from '../domain/presented-credentials-event';
import { NOW, pendingRequest } from '../testing/verifier.fixture-spec';
import type { JudgedResponse } from '../use-cases/judge-response';
import { countedRequests, measuredJudgement } from './counted-ends';

function counting(members: Partial<PresentationRequests>) {
  const counted: EndedFlow[] = [];
  const outcomes: Outcomes = {
    add: (ended) => void counted.push(ended),
    addSome: (ended, count) => void counted.push(...ended.slice(0, count)),
  };
  return { counted, store: countedRequests(members as PresentationRequests, outcomes) };
}
const event = expiredEvent('a');

describe('a request that ended is counted once, where it ended', () => {
  it.each([true, false])('by its first response: %s', async (isFirst) => {
    const { counted, store } = counting({ finish: () => Promise.resolve(isFirst) });
    const ending: Ending = { state: 'a', status: 'EXPIRED', event, checks: [], finishedAt: NOW };
    expect(await store.finish(ending)).toBe(isFirst);
    expect(counted).toEqual(isFirst ? [event] : []);
  });

  it('by its time, as far as this process was first', async () => {
    const { counted, store } = counting({ expire: () => Promise.resolve(1) });
    const expiries = ['a', 'b'].map((state) => ({ state, event: expiredEvent(state) }));
    expect(await store.expire(expiries, NOW)).toBe(1);
    expect(counted).toEqual([event]);
  });
});

describe('a judgement', () => {
  it('is passed on, and its checks are measured by name and result', async () => {
    const metrics = createMetrics('verifier');
    const checks = createCheckLog(() => 0);
    const judge = measuredJudgement((judged) => {
      judged.checks.run({ check: 'response', section: 'x' }, () => undefined);
      const fail = () => judged.checks.run({ check: 'status', section: 'x', credential: 'pid' }, () => raise());
      expect(fail).toThrow('revoked');
      return Promise.resolve({ status: 'REJECTED', errorDetails: 'x' });
    }, metrics);
    const form = { kind: 'error', error: { code: 'x' } } as unknown as JudgedResponse['form'];
    const outcome = await judge({ request: pendingRequest(), form, checks, now: NOW, millisecondsLeft: 1 });
    expect(outcome).toEqual({ status: 'REJECTED', errorDetails: 'x' });
    const lines = (await metrics.render()).split('\n').filter((line) => line.includes('step_duration_seconds_count{'));
    expect(lines.map((line) => /check="(\w+)",outcome="(\w+)"/.exec(line)?.slice(1))).toEqual([
      ['response', 'passed'],
      ['status', 'failed'],
    ]);
  });
});

function raise(): never {
  throw new Error('revoked');
}
