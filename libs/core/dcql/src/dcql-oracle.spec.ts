import {
  DcqlPresentationResult,
  DcqlQuery as OracleQuery,
  type DcqlCredentialPresentation,
  type DcqlQuery as OracleQueryType,
} from 'dcql';
import fc from 'fast-check';
import { matchDcql, parseDcqlQuery, type PresentedCredential } from './index';

type Answer = ReadonlyMap<string, readonly PresentedCredential[]>;
const AKI = 's9tIpPmhxdiuNkHMEWNpYim8S8Y';
const PID = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['v'] } };
const withPid = (extra: object) => ({ credentials: [{ ...PID, ...extra }] });
const holding = (claims: object, extra: Partial<PresentedCredential> = {}): Answer => {
  const credential = { vct: 'v', claims: claims as PresentedCredential['claims'], authorityKeyIdentifiers: [] };
  return new Map([['pid', [{ ...credential, ...extra }]]]);
};

/** The npm package `dcql` as a second opinion on queries. */
function oracleAccepts(value: unknown): boolean {
  try {
    OracleQuery.validate(OracleQuery.parse(value as OracleQueryType.Input));
    return true;
  } catch {
    return false;
  }
}

/** The npm package `dcql` as a second opinion on answers. */
function oracleIsSatisfied(value: unknown, answer: Answer): boolean {
  const dcqlQuery = OracleQuery.parse(value as OracleQueryType.Input);
  const presentation = Object.fromEntries(
    [...answer].map(([id, credentials]) => [
      id,
      credentials.map((item) => ({
        credential_format: 'dc+sd-jwt',
        vct: item.vct,
        claims: item.claims,
        cryptographic_holder_binding: true,
        ...(item.authorityKeyIdentifiers.length > 0
          ? { authority: { type: 'aki', values: [...item.authorityKeyIdentifiers] } }
          : {}),
      })),
    ]),
  );
  try {
    return DcqlPresentationResult.fromDcqlPresentation(presentation as Record<string, DcqlCredentialPresentation[]>, {
      dcqlQuery,
    }).can_be_satisfied;
  } catch {
    return false;
  }
}

const accepts = (value: unknown) => parseDcqlQuery(value).ok;
function isSatisfied(value: unknown, answer: Answer): boolean {
  const parsed = parseDcqlQuery(value);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  try {
    matchDcql(parsed.query, answer);
    return true;
  } catch {
    return false;
  }
}

describe('parseDcqlQuery and the package dcql', () => {
  const A = { id: 'a', path: ['a'] };

  it.each<[why: string, value: unknown, both: boolean]>([
    ['a minimal query', withPid({}), true],
    [
      'every member',
      {
        ...withPid({
          multiple: true,
          claims: [{ ...A, values: ['x', 1, true] }],
          claim_sets: [['a']],
          trusted_authorities: [{ type: 'aki', values: [AKI] }],
        }),
        credential_sets: [{ options: [['pid']], required: false }],
      },
      true,
    ],
    ['null and integer path parts', withPid({ claims: [{ path: ['a', null, 0] }] }), true],
    ['no credentials', { credentials: [] }, false],
    ['a bad id', withPid({ id: 'a b' }), false],
    ['a repeated id', { credentials: [PID, PID] }, false],
    ['no format', { credentials: [{ id: 'pid', meta: PID.meta }] }, false],
    ['empty claims', withPid({ claims: [] }), false],
    ['an empty path', withPid({ claims: [{ path: [] }] }), false],
    ['a negative index', withPid({ claims: [{ path: ['a', -1] }] }), false],
    ['a fraction as a value', withPid({ claims: [{ ...A, values: [1.5] }] }), false],
    ['an unknown claim id', withPid({ claims: [A], claim_sets: [['b']] }), false],
    ['empty claim sets', withPid({ claims: [A], claim_sets: [] }), false],
    ['claim sets without claims', withPid({ claim_sets: [['a']] }), false],
    ['an unknown credential id', { ...withPid({}), credential_sets: [{ options: [['x']] }] }, false],
    ['empty credential sets', { ...withPid({}), credential_sets: [] }, false],
    ['empty options', { ...withPid({}), credential_sets: [{ options: [] }] }, false],
    ['empty trusted authorities', withPid({ trusted_authorities: [] }), false],
    ['an unknown authority type', withPid({ trusted_authorities: [{ type: 'x', values: ['y'] }] }), false],
  ])('VP:E1 agree on %s', (_why, value, both) => {
    expect([accepts(value), oracleAccepts(value)]).toEqual([both, both]);
  });

  it.each<[why: string, value: unknown]>([
    ['VP:E4 no meta', { credentials: [{ id: 'pid', format: 'dc+sd-jwt' }] }],
    ['VP:E4 no vct_values', withPid({ meta: {} })],
    ['VP:E7 a repeated path', withPid({ claims: [{ path: ['a'] }, { path: ['a'] }] })],
    ['VP:E8 a claim without id beside claim_sets', withPid({ claims: [A, { path: ['b'] }], claim_sets: [['a']] })],
    ['VP:E8 a repeated claim id', withPid({ claims: [A, { id: 'a', path: ['b'] }] })],
    ['VP:E11 no values in values', withPid({ claims: [{ ...A, values: [] }] })],
    ['VP:E14 a trust list', withPid({ trusted_authorities: [{ type: 'etsi_tl', values: ['https://lotl.example'] }] })],
    ['VP:E3 another format', withPid({ format: 'mso_mdoc', meta: { doctype_value: 'x' } })],
  ])('%s is refused here, and accepted by that package', (_why, value) => {
    expect([accepts(value), oracleAccepts(value)]).toEqual([false, true]);
  });
});

describe('matchDcql and the package dcql', () => {
  const asking = (...path: (string | number | null)[]) => withPid({ claims: [{ path }] });

  it.each<[why: string, value: unknown, answer: Answer]>([
    ['VP:T9 an index is the place as issued', asking('nat', 5), holding({ nat: ['AT', 'DE'] })],
    ['VP:J8 null selects nothing in an empty array', asking('nat', null), holding({ nat: [] })],
    ['VP:J8 toString is inherited', asking('toString'), holding({})],
    ['VP:J8 __proto__ is inherited', asking('__proto__'), holding({})],
    ['VP:J8 length is no member of an array', asking('a', 'length'), holding({ a: ['x'] })],
  ])('%s: not satisfied here, satisfied for that package', (_why, value, answer) => {
    expect([isSatisfied(value, answer), oracleIsSatisfied(value, answer)]).toEqual([false, true]);
  });

  it('VP:J7 a claim that is null is disclosed here, and absent for that package', () => {
    const answer = holding({ a: null });
    expect([isSatisfied(asking('a'), answer), oracleIsSatisfied(asking('a'), answer)]).toEqual([true, false]);
  });

  const scalar = fc.constantFrom<string | number | boolean>('x', 'x', '1', 1, 2, true);
  // That package throws on objects without a prototype, which JSON.parse never makes.
  const inner = fc.record({ c: scalar }, { noNullPrototype: true });
  const branch = fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 2 }), inner);
  const degrees = fc.array(inner, { minLength: 1, maxLength: 2 });
  const claims = fc.record({ a: branch, b: branch, d: degrees }, { requiredKeys: [], noNullPrototype: true });
  const path = fc.constantFrom<(string | null)[]>(['a'], ['b'], ['a', 'c'], ['a', null], ['b', null], ['d', null, 'c']);
  const sometimes = (name: string, value: fc.Arbitrary<unknown>) =>
    fc.option(value, { nil: undefined }).map((item) => (item === undefined ? {} : { [name]: item }));
  const values = sometimes('values', fc.subarray(['x', '1', 1, true], { minLength: 1 }));
  const claim = (id: number) => fc.tuple(path, values).map(([parts, rest]) => ({ id: `c${id}`, path: parts, ...rest }));
  const claimPair = fc.tuple(claim(0), claim(1)).filter(([one, two]) => `${one.path}` !== `${two.path}`);
  const claimSets = sometimes('claim_sets', fc.constantFrom([['c0'], ['c1']], [['c1']], [['c0', 'c1'], ['c1']]));
  const claimMembers = fc.tuple(claimPair, claimSets).map(([list, rest]) => ({ claims: list, ...rest }));
  const authorities = fc.constantFrom<object>(
    {},
    {},
    {},
    { trusted_authorities: [{ type: 'aki', values: [AKI, 'AAEC'] }] },
  );
  const types = fc.constantFrom(['v', 'w'], ['v', 'w'], ['v'], ['w']);
  const entry = (id: string) =>
    fc
      .tuple(types, fc.oneof(claimMembers, fc.constant({})), authorities)
      .map(([vct_values, asked, rest]) => ({ id, format: 'dc+sd-jwt', meta: { vct_values }, ...asked, ...rest }));
  const sets = fc.constantFrom<object>(
    {},
    { credential_sets: [{ options: [['p', 'q'], ['q']] }] },
    { credential_sets: [{ options: [['p']] }, { options: [['q']], required: false }] },
  );
  const presented = fc.record({
    vct: fc.constantFrom('v', 'v', 'w', 'w', 'V'),
    claims,
    authorityKeyIdentifiers: fc.constantFrom([], ['AAEC'], ['_____w']),
  });
  const answers = fc
    .record({ p: presented, q: fc.option(presented) })
    .map(
      (entries) =>
        new Map(Object.entries(entries).flatMap(([id, item]) => (item ? [[id, [item as PresentedCredential]]] : []))),
    );

  it('VP:J5 VP:J7 VP:J10 VP:J11 VP:J13 VP:J14 VP:J16 VP:J20 agree wherever both are strict', () => {
    const seen = { satisfied: 0, refused: 0 };
    fc.assert(
      fc.property(entry('p'), entry('q'), sets, answers, (p, q, rest, answer) => {
        const value = { credentials: [p, q], ...rest };
        const satisfied = isSatisfied(value, answer);
        seen[satisfied ? 'satisfied' : 'refused'] += 1;
        expect(satisfied).toBe(oracleIsSatisfied(value, answer));
      }),
      { numRuns: 500 },
    );
    expect(Math.min(seen.satisfied, seen.refused)).toBeGreaterThan(15);
  });
});
