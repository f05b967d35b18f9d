import { matchDcql, parseDcqlQuery, parseVctSubtypes, type DcqlQuery, type PresentedCredential } from './index';

const good: PresentedCredential = { vct: 'urn:pid', claims: { a: 1 }, authorityKeyIdentifiers: [] };
const bad: PresentedCredential = { ...good, claims: {} };
const entry = (id: string, extra: object = {}) => ({
  id,
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:pid'] },
  claims: [{ path: ['a'] }],
  ...extra,
});

function queryOf(credentials: object[], credential_sets?: object[]): DcqlQuery {
  const result = parseDcqlQuery({ credentials, ...(credential_sets ? { credential_sets } : {}) });
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.query;
}
const presented = (...ids: string[]) => new Map(ids.map((id) => [id, [good]]));

function verdict(query: DcqlQuery, entries: ReadonlyMap<string, readonly PresentedCredential[]>): string {
  try {
    matchDcql(query, entries);
    return 'satisfied';
  } catch (error) {
    return (error as { code: string }).code;
  }
}
const IDS = ['a', 'b', 'c', 'd'];
const choose = (entries: readonly string[], ...sets: object[]) =>
  verdict(
    queryOf(
      IDS.map((id) => entry(id)),
      sets,
    ),
    presented(...entries),
  );
const AB_OR_C = { options: [['a', 'b'], ['c']] };
const MAYBE_D = { options: [['d']], required: false };

describe('matchDcql: several credentials', () => {
  const two = queryOf([entry('a'), entry('b')]);

  it.each<[title: string, verdict: () => string, code: string]>([
    ['VP:J13 all credentials satisfy (m-all-required-no-sets)', () => verdict(two, presented('b', 'a')), 'satisfied'],
    ['VP:J13 one missing fails (m-id-missing)', () => verdict(two, presented('b')), 'credential_missing'],
    ['VP:J13 none at all fails (m-all-missing)', () => verdict(two, presented()), 'credential_missing'],
    [
      'VP:J1 an id that was not requested fails (m-id-unknown)',
      () => verdict(two, presented('a', 'b', 'x')),
      'credential_not_requested',
    ],
    [
      'VP:J1 an inherited name was not requested',
      () => verdict(two, presented('a', 'b', 'toString')),
      'credential_not_requested',
    ],
    [
      'VP:J2 an empty entry is no presentation',
      () =>
        verdict(
          two,
          new Map([
            ['a', [good]],
            ['b', []],
          ]),
        ),
      'presentations_malformed',
    ],
    [
      'VP:J3 two without multiple fail (m-two-multiple-false)',
      () =>
        verdict(
          two,
          new Map([
            ['a', [good, good]],
            ['b', [good]],
          ]),
        ),
      'too_many_presentations',
    ],
    [
      'VP:J22 one credential under two ids is accepted',
      () =>
        verdict(
          two,
          new Map([
            ['a', [good]],
            ['b', [good]],
          ]),
        ),
      'satisfied',
    ],
    [
      'VP:J7 each entry is matched with its own query',
      () =>
        verdict(
          two,
          new Map([
            ['a', [good]],
            ['b', [bad]],
          ]),
        ),
      'claim_missing',
    ],
    ['VP:J14 the first option satisfies (m-set-first)', () => choose(['a', 'b'], AB_OR_C), 'satisfied'],
    ['VP:J14 a later option satisfies (m-set-later)', () => choose(['c'], AB_OR_C), 'satisfied'],
    ['VP:J14 half an option fails (m-set-half)', () => choose(['a'], AB_OR_C), 'credential_set_unsatisfied'],
    ['VP:J14 nothing fails a required set (m-set-none)', () => choose([], AB_OR_C), 'credential_set_unsatisfied'],
    [
      'VP:J14 every required set counts (m-set-two-required)',
      () => choose(['c'], AB_OR_C, { options: [['d']] }),
      'credential_set_unsatisfied',
    ],
    [
      'VP:J14 required true is the default (m-set-required-true)',
      () => choose([], { ...AB_OR_C, required: true }),
      'credential_set_unsatisfied',
    ],
    [
      'VP:J14 one credential may serve two sets (m-set-shared)',
      () => choose(['c'], AB_OR_C, { options: [['c']] }),
      'satisfied',
    ],
    [
      'VP:J14 an optional set may be left out (m-set-optional-missing)',
      () => choose(['c'], AB_OR_C, MAYBE_D),
      'satisfied',
    ],
    ['VP:J14 an optional set may be served (m-set-optional)', () => choose(['c', 'd'], AB_OR_C, MAYBE_D), 'satisfied'],
    [
      'VP:J14 an optional set alone is not enough (m-set-optional-only)',
      () => choose(['d'], AB_OR_C, MAYBE_D),
      'credential_set_unsatisfied',
    ],
    [
      'VP:J14 VP:T17 a credential in no set is not required (m-unreferenced-by-sets)',
      () => choose(['c'], AB_OR_C),
      'satisfied',
    ],
    [
      'VP:J15 only optional sets and nothing presented is satisfied (m-only-optional-sets-empty)',
      () => choose([], MAYBE_D),
      'satisfied',
    ],
    ['VP:J16 a surplus credential is accepted (m-set-surplus)', () => choose(['a', 'c', 'd'], AB_OR_C), 'satisfied'],
    [
      'VP:J16 a surplus credential must match its query too (m-set-surplus-bad)',
      () =>
        verdict(
          queryOf([entry('a'), entry('b')], [{ options: [['a']] }]),
          new Map([
            ['a', [good]],
            ['b', [bad]],
          ]),
        ),
      'claim_missing',
    ],
  ])('%s', (_title, judge, code) => {
    expect(judge()).toBe(code);
  });

  it('VP:J16 surplus credentials are reported by id, half options too', () => {
    const query = queryOf(
      IDS.map((id) => entry(id)),
      [AB_OR_C],
    );
    expect(matchDcql(query, presented('c', 'a', 'd'))).toEqual({ surplusCredentialIds: ['a', 'd'] });
    expect(matchDcql(query, presented('a', 'b', 'c'))).toEqual({ surplusCredentialIds: [] });
    expect(matchDcql(two, presented('a', 'b'))).toEqual({ surplusCredentialIds: [] });
  });

  it('VP:J3 with multiple every presentation must match', () => {
    const query = queryOf([entry('a', { multiple: true })]);
    expect(verdict(query, new Map([['a', [good, good]]]))).toBe('satisfied');
    expect(verdict(query, new Map([['a', [good, bad]]]))).toBe('claim_missing');
  });

  it('names credentials and paths of the query in its details, and nothing of the answer', () => {
    const answer = new Map([['a', [{ ...bad, claims: { b: 'Ms-Canary' } }]]]);
    expect(() => matchDcql(queryOf([entry('a')]), answer)).toThrow(
      expect.objectContaining({ code: 'claim_missing', detail: expect.stringMatching(/\["a"\].*"a"/) }),
    );
    expect(() => matchDcql(two, presented('Ms-Canary'))).toThrow(
      expect.objectContaining({ detail: expect.not.stringContaining('Canary') }),
    );
  });
});

/** `count` types, each of which extends the next. */
const lineOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count - 1 }, (_one, index) => [`t${index}`, `t${index + 1}`]));

describe('parseVctSubtypes', () => {
  const child = { ...good, vct: 'urn:pid:at:vienna' };
  const query = queryOf([entry('a')]);
  const subtypesOf = (value: unknown) => {
    const result = parseVctSubtypes(value, 'subtypes');
    return result.ok ? result.subtypes : result.faults.map((fault) => fault.path);
  };
  const faultsOf = (value: unknown) => subtypesOf(value);

  it('VP:J6 a subtype fails without a map and satisfies with it, over several steps too', () => {
    const result = parseVctSubtypes({ 'urn:pid:at': ['urn:other', 'urn:pid'], 'urn:pid:at:vienna': ['urn:pid:at'] });
    if (!result.ok) throw new Error('refused');
    const answer = new Map([['a', [child]]]);
    expect(verdict(query, answer)).toBe('vct_not_requested');
    expect(() => matchDcql(query, answer, result.subtypes)).not.toThrow();
    const parent = new Map([['a', [{ ...good, vct: 'urn:other' }]]]);
    expect(() => matchDcql(query, parent, result.subtypes)).toThrow(
      expect.objectContaining({ code: 'vct_not_requested' }),
    );
  });

  it.each<[title: string, value: unknown, faults: string[]]>([
    ['VP:J6 a type that extends itself is refused', { a: ['a'] }, ['subtypes.a']],
    ['VP:J6 a circle is refused', { a: ['b'], b: ['c'], c: ['a'] }, ['subtypes.a', 'subtypes.b', 'subtypes.c']],
    ['VP:J6 a type before a circle is not blamed', { x: ['a'], a: ['a'] }, ['subtypes.a']],
    ['VP:J6 parents must be listed', { a: [] }, ['subtypes.a']],
    ['VP:J6 one parent must not be empty', { a: '' }, ['subtypes.a']],
    ['VP:J6 parents must be text', { a: 1, b: null, c: { d: 'e' } }, ['subtypes.a', 'subtypes.b', 'subtypes.c']],
    ['VP:J6 a type has at most 16 types above it', lineOf(18), ['subtypes.t0']],
    ['VP:J6 parents must be strings', { a: ['b', 1, ''] }, ['subtypes.a[1]', 'subtypes.a[2]']],
    ['VP:J6 the map must be an object', [['a', 'b']], ['subtypes']],
  ])('%s', (_title, value, faults) => {
    expect(faultsOf(value)).toEqual(faults);
  });

  it('VP:J6 one parent may be given without a list, and 16 types above another are allowed', () => {
    expect(subtypesOf({ a: 'b' })).toEqual(new Map([['a', new Set(['b'])]]));
    expect(subtypesOf(lineOf(17))).toMatchObject({ size: 16 });
  });

  it('VP:J6 types may have the names of inherited members', () => {
    const map = JSON.parse('{"__proto__":["toString"],"b":["__proto__"]}') as unknown;
    const subtypes = subtypesOf(map);
    expect(subtypes instanceof Map && [...subtypes]).toEqual([
      ['__proto__', new Set(['toString'])],
      ['b', new Set(['__proto__', 'toString'])],
    ]);
  });
});
