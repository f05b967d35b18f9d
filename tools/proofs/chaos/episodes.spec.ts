import { judgeEpisodes, type EndedFlow, type Episode } from './episodes';
import type { Fault } from './faults';
import { QUESTIONS, type Sample } from './samples';
import type { SeenCallback } from './verdict';

const fault = (changes: Partial<Fault> = {}): Fault => ({
  name: 'a fault',
  from: 'end',
  holdSeconds: 1,
  boundSeconds: 10,
  begin: () => Promise.resolve(),
  end: () => Promise.resolve(),
  ...changes,
});
/** From 1 s to 2 s, observed until 30 s. */
const episode = (changes: Partial<Fault> = {}, isBack = true): Episode => {
  const made = fault(changes);
  const markedAt = made.from === 'begin' ? 1_000 : 2_000;
  return { fault: made, beganAt: 1_000, endedAt: 2_000, markedAt, overAt: 30_000, isBack };
};
const sample = (question: Sample['question'], startedAt: number, changes: Partial<Sample> = {}): Sample => ({
  question,
  startedAt,
  endedAt: startedAt + 100,
  outcome: 'good',
  ...changes,
});
const good = (startedAt: number) => QUESTIONS.map((question) => sample(question, startedAt));
const flow = (changes: Partial<EndedFlow> = {}): EndedFlow => ({
  kind: 'issuance',
  id: 'o',
  allowed: ['ISSUED', 'EXPIRED'],
  story: { kind: 'issuance', id: 'o', wanted: 1, held: 1 },
  finalStatus: 'ISSUED',
  startedAt: 1_500,
  ...changes,
});
const callback = (status: string): SeenCallback => ({ id: 'o', status, webhookId: status, text: status });
const told = [callback('OFFER_CREATED'), callback('ISSUED')];

const judge = (one: Episode, samples: readonly Sample[], flows: readonly EndedFlow[] = [], callbacks = told) =>
  judgeEpisodes([one], { watched: { samples, faults: [] }, flows, callbacks })[0];

describe('what came of a fault', () => {
  it('is nothing wrong when all is back within the bound and each flow has its end and its callbacks', () => {
    const samples = [sample('search', 1_200, { outcome: 'away' }), ...good(3_000)];
    expect(judge(episode(), samples, [flow()])).toEqual({
      name: 'a fault',
      from: 'end',
      boundSeconds: 10,
      firstGoodSeconds: 1.1,
      steadySeconds: 0,
      asked: 5,
      away: 1,
      wrong: 0,
      lost: 0,
      notHeld: 0,
      faults: [],
    });
  });

  it.each<[string, Episode, Sample[], string]>([
    ['first good answers above the bound', episode(), good(15_000), 'the first good answers took 13.1 s'],
    [
      'a question that failed after the bound',
      episode(),
      [...good(3_000), sample('search', 14_000, { outcome: 'away' })],
      'questions failed up to 12 s',
    ],
    ['no good answer', episode(), good(1_000), 'there was no good answer of each kind'],
    ['no calm', episode({}, false), good(3_000), 'it did not come back'],
    ['a wrong answer', episode(), [...good(3_000), sample('search', 1_100, { outcome: 'wrong', text: '500' })], '500'],
    [
      'readiness that says nothing',
      episode({ endsReadiness: true }),
      [...good(1_100), ...good(3_000)],
      'was ready all',
    ],
    [
      'a presentation that is accepted without a status list',
      episode({ isOfStatusHost: true }),
      [...good(1_100), ...good(3_000)],
      'accepted without its status list',
    ],
  ])('names %s', (_what, one, samples, expected) => {
    expect(judge(one, samples)?.faults.join('; ')).toContain(expected);
  });

  it('is well when readiness says so, and when the status host was there at the end of a presentation', () => {
    const during = good(1_100).map((one) => (one.question === 'ready' ? { ...one, outcome: 'away' as const } : one));
    expect(judge(episode({ endsReadiness: true }), [...during, ...good(3_000)])?.faults).toEqual([]);
    const across = good(1_100).map((one) => ({ ...one, endedAt: 2_100 }));
    expect(judge(episode({ isOfStatusHost: true }), [...across, ...good(3_000)])?.faults).toEqual([]);
  });

  it('counts a callback that is missing as lost, another end as wrong, and what a wallet does not hold apart', () => {
    const samples = good(3_000);
    expect(judge(episode(), samples, [flow()], told.slice(0, 1))).toMatchObject({ lost: 1, wrong: 0 });
    expect(judge(episode(), samples, [flow({ allowed: ['EXPIRED'] })])).toMatchObject({ lost: 0, wrong: 1 });
    expect(judge(episode(), samples, [flow({ isHeld: false })])).toMatchObject({ notHeld: 1, faults: [] });
  });

  it('belongs to the fault before whose end it began', () => {
    const next = { ...episode({ name: 'next' }), beganAt: 31_000, endedAt: 32_000, markedAt: 32_000, overAt: 40_000 };
    const watched = { samples: [...good(3_000), ...good(33_000)], faults: [{ startedAt: 30_500, text: 'later' }] };
    const results = judgeEpisodes([episode(), next], { watched, flows: [], callbacks: [] });
    expect(results.map(({ faults }) => faults)).toEqual([[], ['later']]);
  });
});
