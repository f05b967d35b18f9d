import { findDifferences, type IssuanceStory, type PresentationStory } from './differences';
import type { SeenCallback } from './verdict';

const issuance = (changes: Partial<IssuanceStory> = {}): IssuanceStory => ({
  kind: 'issuance',
  id: 'o',
  wanted: 2,
  held: 2,
  ...changes,
});
const presentation = (changes: Partial<PresentationStory> = {}): PresentationStory => ({
  kind: 'presentation',
  id: 's',
  did: 'presented',
  heard: 'accepted',
  claims: { a: 1, b: 2 },
  responseCode: 'code',
  ...changes,
});
const callback = (id: string, status: string, members: object = {}): SeenCallback => ({
  id,
  status,
  webhookId: `${id}-${status}`,
  text: JSON.stringify({ status, ...members }),
});
const offer = (...statuses: string[]) => ['OFFER_CREATED', ...statuses].map((status) => callback('o', status));
const fulfilled = (members: object = {}) =>
  callback('s', 'FULFILLED', { responseCode: 'code', credentials: { card: [{ claims: { b: 2, a: 1 } }] }, ...members });

describe('wallet and backend have the same story', () => {
  it.each([
    ['of credentials', issuance(), offer('ISSUED')],
    ['told again', issuance(), [...offer('ISSUED'), ...offer('ISSUED')]],
    ['of nothing', issuance({ held: 0 }), offer('EXPIRED')],
    ['of an offer that failed', issuance({ held: 0 }), offer('FAILED')],
    ['of an accepted presentation, whatever the order of its claims', presentation(), [fulfilled(), fulfilled()]],
    ['of a refusal', presentation({ did: 'denied', responseCode: undefined }), [callback('s', 'REJECTED')]],
    ['of a broken one', presentation({ did: 'broken', heard: 'refused' }), [callback('s', 'VERIFICATION_FAILED')]],
    ['of a revoked one', presentation({ did: 'invalid', heard: 'refused' }), [callback('s', 'VERIFICATION_FAILED')]],
    ['of one that we could not judge', presentation({ heard: 'refused' }), [callback('s', 'PROCESSING_ERROR')]],
    ['of nobody', presentation({ did: 'nothing', heard: 'nothing' }), [callback('s', 'EXPIRED')]],
  ])('%s', (_what, story, callbacks) => {
    expect(findDifferences([story], callbacks)).toEqual([]);
  });
});

describe('a difference', () => {
  it.each([
    ['ISSUED, and the wallet holds nothing', issuance({ held: 0 }), offer('ISSUED'), 'holds 0 of 2'],
    ['ISSUED, and the wallet holds one of two', issuance({ held: 1 }), offer('ISSUED'), 'holds 1 of 2'],
    ['EXPIRED, and the wallet holds credentials', issuance(), offer('EXPIRED'), 'told EXPIRED'],
    ['FAILED, and the wallet holds one', issuance({ held: 1 }), offer('FAILED'), 'told FAILED'],
    ['no end, and the wallet holds credentials', issuance(), offer(), 'told nothing'],
    ['accepted, and nobody was told', presentation(), [], 'told nothing'],
    ['accepted, and told EXPIRED', presentation(), [callback('s', 'EXPIRED')], 'told EXPIRED'],
    ['accepted, and told two ends', presentation(), [fulfilled(), callback('s', 'EXPIRED')], 'FULFILLED and EXPIRED'],
    ['a refusal that is told as a presentation', presentation({ did: 'denied' }), [fulfilled()], 'told FULFILLED'],
    ['refused, and told FULFILLED', presentation({ heard: 'refused' }), [fulfilled()], 'told FULFILLED'],
    ['refused, and told REJECTED', presentation({ heard: 'refused' }), [callback('s', 'REJECTED')], 'told REJECTED'],
    ['refused, and nobody was told', presentation({ heard: 'refused' }), [], 'told nothing'],
    ['unanswered, and told FULFILLED', presentation({ heard: 'nothing' }), [fulfilled()], 'heard nothing'],
    ['a broken one that was accepted', presentation({ did: 'broken' }), [fulfilled()], 'broken and heard accepted'],
    ['a revoked one that was accepted', presentation({ did: 'invalid' }), [fulfilled()], 'invalid and heard accepted'],
    ['a revoked one that is told', presentation({ did: 'invalid', heard: 'refused' }), [fulfilled()], 'told FULFILLED'],
    ['one that nobody made', presentation({ did: 'nothing', heard: 'nothing' }), [fulfilled()], 'never came'],
    ['other claims', presentation({ claims: { a: 1, b: 3 } }), [fulfilled()], 'other claims'],
    ['a claim more', presentation({ claims: { a: 1 } }), [fulfilled()], 'other claims'],
    ['no claims', presentation(), [fulfilled({ credentials: {} })], 'other claims'],
    ['another response code', presentation({ responseCode: 'other' }), [fulfilled()], 'response codes'],
    ['a code for no redirect', presentation({ responseCode: undefined }), [fulfilled()], 'response codes'],
    ['callbacks about another flow only', presentation({ id: 't' }), [fulfilled()], 'told nothing'],
  ])('is %s', (_what, story, callbacks, text) => {
    expect(findDifferences([story], callbacks).join()).toContain(text);
  });
});
