import { createDeck, createSeededRandom } from './seeded-random';
import { judgeFlows, type FlowRecord, type SeenCallback } from './verdict';

const presentation = (changes: Partial<FlowRecord> = {}): FlowRecord => ({
  kind: 'presentation',
  id: 's',
  allowed: ['FULFILLED'],
  finalStatus: 'FULFILLED',
  ...changes,
});
const issuance = (changes: Partial<FlowRecord> = {}): FlowRecord =>
  presentation({ kind: 'issuance', id: 'o', allowed: ['ISSUED', 'EXPIRED'], finalStatus: 'ISSUED', ...changes });
const callback = (id: string, status: string, changes: Partial<SeenCallback> = {}): SeenCallback => ({
  id,
  status,
  webhookId: `${id}-${status}`,
  text: `{"status":"${status}"}`,
  ...changes,
});
const created = callback('o', 'OFFER_CREATED');

describe('the verdict on flows', () => {
  it('is good when each has one end and its callbacks, repeated or not', () => {
    const callbacks = [
      created,
      created,
      callback('s', 'FULFILLED'),
      callback('o', 'ISSUED'),
      callback('s', 'FULFILLED'),
    ];
    expect(judgeFlows([presentation(), issuance()], callbacks)).toEqual({
      faults: [],
      ends: { FULFILLED: 1, ISSUED: 1 },
      repeats: 2,
    });
  });

  it.each<[string, FlowRecord, SeenCallback[], string]>([
    ['no callback', presentation(), [], 'no callback about its end'],
    [
      'another end than the wallet heard',
      presentation({ finalStatus: 'EXPIRED' }),
      [callback('s', 'EXPIRED')],
      'ended as EXPIRED, expected FULFILLED',
    ],
    [
      'two ends',
      presentation(),
      [callback('s', 'FULFILLED'), callback('s', 'EXPIRED')],
      'several ends: FULFILLED, EXPIRED',
    ],
    [
      'an end that is not the status',
      presentation(),
      [callback('s', 'EXPIRED')],
      'callback EXPIRED, but the status is FULFILLED',
    ],
    [
      'two bodies',
      presentation(),
      [callback('s', 'FULFILLED'), callback('s', 'FULFILLED', { text: '{}' })],
      'different bodies',
    ],
    [
      'two ids',
      presentation(),
      [callback('s', 'FULFILLED'), callback('s', 'FULFILLED', { webhookId: 'x' })],
      'several ids',
    ],
    ['an offer without its beginning', issuance(), [callback('o', 'ISSUED')], 'no callback OFFER_CREATED'],
    [
      'an offer the wrong way round',
      issuance(),
      [callback('o', 'ISSUED'), created],
      'ISSUED came before OFFER_CREATED',
    ],
    ['an open flow', issuance({ finalStatus: 'OFFER_CREATED' }), [created], 'no callback about its end'],
  ])('finds %s', (_what, flow, callbacks, fault) => {
    expect(judgeFlows([flow], callbacks).faults.join('; ')).toContain(fault);
  });
});

describe('seeded random numbers', () => {
  const draw = (seed: number) => {
    const random = createSeededRandom(seed);
    return Array.from({ length: 200 }, () => random.between(1, 6));
  };

  it('repeat with their seed and differ with another', () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it('reach both bounds and nothing beyond', () => {
    expect([...new Set(draw(1))].sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('pick from what is there, and not from nothing', () => {
    expect(createSeededRandom(1).pick(['only'])).toBe('only');
    expect(() => createSeededRandom(1).pick([])).toThrow(RangeError);
  });

  it('deal all there is, in an order of their own, before anything comes again', () => {
    const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const deck = createDeck(createSeededRandom(1), items);
    const rounds = [1, 2, 3].map(() => items.map(() => deck.deal()));
    for (const round of rounds) expect([...round].sort()).toEqual(items);
    expect(new Set(rounds.map((round) => round.join())).size).toBe(3);
  });
});
