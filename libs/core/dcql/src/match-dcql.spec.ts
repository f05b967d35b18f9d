import { matchDcql, parseDcqlQuery, type DcqlQuery, type PresentedCredential } from './index';

const CLAIMS = {
  vct: 'urn:pid',
  given_name: 'Ms-Canary-Given',
  age: 30,
  adult: true,
  nothing: null,
  address: { locality: 'Wien' },
  nationalities: ['AT', 'DE'],
  degrees: [{ type: 'BSc' }, { type: 'MSc' }],
};
const credential = (claims: object = CLAIMS, extra: Partial<PresentedCredential> = {}): PresentedCredential => ({
  vct: 'urn:pid',
  claims: claims as PresentedCredential['claims'],
  authorityKeyIdentifiers: [],
  ...extra,
});

function queryOf(credentials: object[], rest: object = {}): DcqlQuery {
  const filled = credentials.map((item) => ({ format: 'dc+sd-jwt', meta: { vct_values: ['urn:pid'] }, ...item }));
  const result = parseDcqlQuery({ credentials: filled, ...rest });
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.query;
}
const pidQuery = (extra: object) => queryOf([{ id: 'pid', ...extra }]);
const present = (...credentials: PresentedCredential[]) => new Map([['pid', credentials]]);

/** The code of the failure, or `satisfied`; a failure never carries a value of the credential. */
function verdict(query: DcqlQuery, presented: ReadonlyMap<string, readonly PresentedCredential[]>): string {
  try {
    matchDcql(query, presented);
    return 'satisfied';
  } catch (error) {
    expect(JSON.stringify(error) + String(error)).not.toContain('Canary');
    return (error as { code: string }).code;
  }
}
const judge = (extra: object, claims: object = CLAIMS) => verdict(pidQuery(extra), present(credential(claims)));
const byPath = (...path: unknown[]) => ({ claims: [{ path }] });
const byValue = (path: unknown[], ...values: unknown[]) => ({ claims: [{ path, values }] });
const EMPTY_ADDRESS = { ...CLAIMS, address: {} };

describe('matchDcql: one credential', () => {
  it.each<[title: string, query: object, code: string, claims?: object]>([
    ['VP:J7 a disclosed claim satisfies (m-claim-present)', byPath('given_name'), 'satisfied'],
    ['VP:J7 a claim that was not disclosed fails (m-claim-missing)', byPath('family_name'), 'claim_missing'],
    ['VP:J7 one missing of two fails', { claims: [{ path: ['age'] }, { path: ['x'] }] }, 'claim_missing'],
    [
      'VP:J7 an empty parent does not satisfy a child (m-parent-empty)',
      byPath('address', 'locality'),
      'claim_missing',
      EMPTY_ADDRESS,
    ],
    [
      'VP:J7 an empty parent satisfies a query for itself (m-parent-empty)',
      byPath('address'),
      'satisfied',
      EMPTY_ADDRESS,
    ],
    ['VP:J7 a claim that is null is disclosed (m-claim-null)', byPath('nothing'), 'satisfied'],
    ['VP:J8 inherited members are not disclosed (m-claim-inherited)', byPath('toString'), 'claim_missing'],
    ['VP:J8 a component of the wrong type fails (m-claim-wrong-type)', byPath('given_name', 0), 'claim_missing'],
    ['VP:J9 without claims none is required (m-claims-absent)', {}, 'satisfied', {}],
    ['VP:J11 VP:T16 the requested value satisfies (m-val-match)', byValue(['age'], 30), 'satisfied'],
    ['VP:J11 one of several values satisfies (m-val-one-of)', byValue(['age'], 'x', 29, 30), 'satisfied'],
    ['VP:J11 VP:T16 another value fails (m-val-mismatch)', byValue(['age'], 31), 'claim_value_not_accepted'],
    ['VP:J11 30 is not "30" (m-val-type-number)', byValue(['age'], '30'), 'claim_value_not_accepted'],
    ['VP:J11 "1" is not 1 (m-val-type-string)', byValue(['age'], 1), 'claim_value_not_accepted', { age: '1' }],
    ['VP:J11 true is not 1 (m-val-type-boolean)', byValue(['adult'], 1), 'claim_value_not_accepted'],
    ['VP:J11 true is not "true" (m-val-type-boolean-string)', byValue(['adult'], 'true'), 'claim_value_not_accepted'],
    ['VP:J11 false is matched as a value (m-val-false)', byValue(['adult'], false), 'satisfied', { adult: false }],
    ['VP:J11 null is not "null" (m-val-null)', byValue(['nothing'], 'null', 0, false, ''), 'claim_value_not_accepted'],
    ['VP:J11 letter case counts (m-val-case)', byValue(['nationalities', 0], 'at'), 'claim_value_not_accepted'],
    ['VP:J11 an array is not its element (m-val-array)', byValue(['nationalities'], 'AT'), 'claim_value_not_accepted'],
    ['VP:J11 an object is no value (m-val-object)', byValue(['address'], 'Wien'), 'claim_value_not_accepted'],
    [
      'VP:J11 1.0 is the integer 1 (m-val-integer-spelling)',
      byValue(['age'], 1),
      'satisfied',
      JSON.parse('{"age":1.0}') as object,
    ],
    ['VP:J11 a missing claim is missing, whatever its values (m-val-missing)', byValue(['x'], 1), 'claim_missing'],
    [
      'VP:J12 one matching element of many is enough (m-val-array-null-path)',
      byValue(['nationalities', null], 'DE'),
      'satisfied',
    ],
    [
      'VP:J12 no matching element of many fails (m-val-array-null-path)',
      byValue(['nationalities', null], 'FR'),
      'claim_value_not_accepted',
    ],
    [
      'VP:J12 one matching member of many is enough (m-val-member-null-path)',
      byValue(['degrees', null, 'type'], 'MSc'),
      'satisfied',
    ],
    ['VP:J16 claims that were not asked for are accepted (m-extra-claims)', byPath('age'), 'satisfied'],
  ])('%s', (_title, ...[query, code, claims]) => {
    expect(judge(query, claims)).toBe(code);
  });

  it('VP:T9 an index means the place in the array as issued', () => {
    const claims = { nat: [undefined, 'FR'] };
    expect([judge(byValue(['nat', 1], 'FR'), claims), judge(byPath('nat', 0), claims)]).toEqual([
      'satisfied',
      'claim_missing',
    ]);
  });

  it.each<[title: string, vct: string, code: string]>([
    ['VP:J5 a requested type satisfies', 'urn:b', 'satisfied'],
    ['VP:J5 VP:T16 another type fails (neg-vct-not-requested)', 'urn:c', 'vct_not_requested'],
    ['VP:J5 letter case counts (neg-vct-case)', 'URN:B', 'vct_not_requested'],
    ['VP:J5 a prefix is another type', 'urn:b#1', 'vct_not_requested'],
    ['VP:J5 an empty type fails', '', 'vct_not_requested'],
  ])('%s', (_title, vct, code) => {
    const query = pidQuery({ meta: { vct_values: ['urn:a', 'urn:b'] } });
    expect(verdict(query, present(credential({}, { vct })))).toBe(code);
  });

  it.each<[title: string, identifiers: string[], code: string]>([
    ['VP:J20 VP:T16 another authority fails (m-aki-mismatch)', ['_____w'], 'authority_not_trusted'],
    ['VP:J20 a credential without authority key identifiers fails (m-aki-none)', [], 'authority_not_trusted'],
    ['VP:J20 letter case counts (m-aki-case)', ['aaec', 'AWI'], 'authority_not_trusted'],
    ['VP:J20 any certificate of the chain will do (m-aki-intermediate)', ['_____w', 'AAEC'], 'satisfied'],
    ['VP:J20 any value of an entry will do (m-aki-second-value)', ['AwQF'], 'satisfied'],
    ['VP:J20 any entry will do (m-aki-second-entry)', ['BgcI'], 'satisfied'],
  ])('%s', (_title, authorityKeyIdentifiers, code) => {
    const trusted_authorities = [
      { type: 'aki', values: ['AAEC', 'AwQF'] },
      { type: 'aki', values: ['BgcI'] },
    ];
    expect(verdict(pidQuery({ trusted_authorities }), present(credential({}, { authorityKeyIdentifiers })))).toBe(code);
  });
});

describe('matchDcql: claim sets', () => {
  const claims = ['a', 'b', 'c'].map((id) => ({ id, path: [id] }));
  const sets = (...claim_sets: string[][]) => ({ claims, claim_sets });

  it.each<[title: string, query: object, disclosed: object, code: string]>([
    ['VP:J10 the first option satisfies (m-cs-first)', sets(['a', 'b'], ['c']), { a: 1, b: 1 }, 'satisfied'],
    ['VP:J10 the last option satisfies (m-cs-later)', sets(['a', 'b'], ['c']), { c: 1 }, 'satisfied'],
    ['VP:J10 all options at once satisfy (m-cs-all)', sets(['a', 'b'], ['c']), { a: 1, b: 1, c: 1 }, 'satisfied'],
    [
      'VP:J10 VP:T17 halves of two options do not add up (m-cs-mix)',
      sets(['a', 'b'], ['b', 'c']),
      { a: 1, c: 1 },
      'claim_set_unsatisfied',
    ],
    ['VP:J10 no option at all fails (m-cs-none)', sets(['a'], ['b']), { c: 1 }, 'claim_set_unsatisfied'],
    ['VP:J10 a claim in no set is not required (m-cs-unreferenced)', sets(['a', 'b']), { a: 1, b: 1 }, 'satisfied'],
    ['VP:J10 the one option fails by its claim (m-cs-single)', sets(['a', 'b']), { a: 1 }, 'claim_missing'],
    [
      'VP:J10 a wrong value spoils its option only (m-cs-value)',
      {
        claims: [
          { id: 'a', path: ['a'], values: [2] },
          { id: 'b', path: ['b'] },
        ],
        claim_sets: [['a'], ['b']],
      },
      { a: 1, b: 1 },
      'satisfied',
    ],
    [
      'VP:J10 wrong values in every option fail (m-cs-values)',
      {
        claims: [
          { id: 'a', path: ['a'], values: [2] },
          { id: 'b', path: ['b'], values: [2] },
        ],
        claim_sets: [['a'], ['b']],
      },
      { a: 1, b: 1 },
      'claim_set_unsatisfied',
    ],
  ])('%s', (_title, query, disclosed, code) => {
    expect(judge(query, disclosed)).toBe(code);
  });
});
