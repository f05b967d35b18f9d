import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { fastestMilliseconds } from '@vestibule/testkit';
import { concealClaims, countDisclosures, DEFAULT_SD_JWT_LIMITS, MAX_DISCLOSURES, type DisclosurePlan } from './index';
import { failsWith } from './testing/sd-jwt-builder.fixture-spec';

const everything: DisclosurePlan = () => 'allowed';
const nothing: DisclosurePlan = () => 'never';
const elementsOnly: DisclosurePlan = (path) => (typeof path.at(-1) === 'number' ? 'always' : 'never');
const times = (count: number) => Array.from({ length: count }, (_, at) => at);
const members = (count: number, prefix = 'm') => Object.fromEntries(times(count).map((at) => [`${prefix}${at}`, at]));
const conceal = (claims: JsonObject, plan: DisclosurePlan) => concealClaims(claims, plan, randomBytes);

describe('the disclosures of a credential', () => {
  it('VCI:V18 are no more than a verifier takes by default', () => {
    expect(MAX_DISCLOSURES).toBe(DEFAULT_SD_JWT_LIMITS.maxDisclosures);
  });

  it.each<[string, (count: number) => JsonObject, DisclosurePlan]>([
    ['members', (count) => members(count), everything],
    ['elements', (count) => ({ list: times(count) }), elementsOnly],
    [
      'members of members',
      (count) => ({ a: members(count / 2), b: members(count / 2, 'n') }),
      (path) => (path.length === 2 ? 'always' : 'never'),
    ],
    ['elements of elements', (count) => ({ list: times(count / 2).map(() => [1]) }), elementsOnly],
    ['elements below a member', (count) => ({ list: times(count - 1) }), everything],
  ])('VCI:V18 are %s up to the bound, and one more is not issued', (_what, make, plan) => {
    const within = make(MAX_DISCLOSURES);
    expect(conceal(within, plan).disclosures).toHaveLength(MAX_DISCLOSURES);
    expect(countDisclosures(within, plan)).toBe(MAX_DISCLOSURES);
    const beyond = make(MAX_DISCLOSURES + 2);
    expect(() => conceal(beyond, plan)).toThrow(failsWith('claims_not_issuable'));
    expect(countDisclosures(beyond, plan)).toBeGreaterThan(MAX_DISCLOSURES);
  });

  it('VCI:V18 of one member more than the bound are not made', () => {
    expect(() => conceal(members(MAX_DISCLOSURES + 1), everything)).toThrow(failsWith('claims_not_issuable'));
  });

  it('VCI:V15 are none where nothing may be held back, however much there is', () => {
    const claims = { list: times(30_000), object: members(3_000) };
    expect(conceal(claims, nothing)).toEqual({ payload: claims, disclosures: [] });
    expect(countDisclosures(claims, nothing)).toBe(0);
  });

  it('VCI:V18 are counted as they are made, whatever the claims and the plan are', () => {
    const claims = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Record<string, JsonValue>>;
    fc.assert(
      fc.property(claims, fc.integer({ min: 1, max: 5 }), (some, every) => {
        const plan: DisclosurePlan = (path) => (path.join().length % every === 0 ? 'allowed' : 'never');
        expect(countDisclosures(some, plan)).toBe(conceal(some, plan).disclosures.length);
      }),
    );
  });

  it('VCI:V18 ask the plan for places of the claims and for no others', () => {
    const asked: string[] = [];
    const plan: DisclosurePlan = (path) => {
      asked.push(path.join('.'));
      return 'never';
    };
    const claims = { a: { b: [1, { c: 2 }] }, d: [] };
    conceal(claims, plan);
    expect(asked.sort()).toEqual(['a', 'a.b', 'a.b.0', 'a.b.1', 'a.b.1.c', 'd']);
    asked.length = 0;
    countDisclosures(claims, plan);
    expect(asked.sort()).toEqual(['a', 'a.b', 'a.b.0', 'a.b.1', 'a.b.1.c', 'd']);
  });
});

describe('the computing of a credential with 64 KiB of claims', () => {
  const nested = (depth: number, width: number): JsonValue =>
    depth === 0 ? 1 : Array.from({ length: width }, () => nested(depth - 1, width));

  it.each<[string, JsonObject, DisclosurePlan]>([
    ['as many disclosures as there may be', members(MAX_DISCLOSURES), everything],
    ['elements that are disclosed one by one', { list: times(MAX_DISCLOSURES) }, elementsOnly],
    ['elements in elements', { list: nested(7, 2) }, elementsOnly],
    ['plain elements', { list: times(30_000).map(() => 1) }, nothing],
    ['plain members', { object: members(5_000) }, nothing],
    ['members in one disclosure', { object: members(5_000) }, (path) => (path.length === 1 ? 'always' : 'never')],
    ['one long text', { text: 'x'.repeat(65_000) }, everything],
  ])('stays below 40 ms: %s', (_what, claims, plan) => {
    expect(JSON.stringify(claims).length).toBeLessThan(65_536);
    expect(fastestMilliseconds(() => JSON.stringify(conceal(claims, plan)), 40)).toBeLessThan(40);
  });
});
