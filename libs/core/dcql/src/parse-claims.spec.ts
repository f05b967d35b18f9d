import { parseDcqlQuery } from './index';

const asking = (claims: unknown, claim_sets?: unknown) => ({
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:pid'] },
      ...(claims === undefined ? {} : { claims }),
      ...(claim_sets === undefined ? {} : { claim_sets }),
    },
  ],
});
const byPath = (path: unknown) => asking([{ path }]);
const byValues = (values: unknown) => asking([{ path: ['a'], values }]);
const A = { id: 'a', path: ['a'] };
const B = { id: 'b', path: ['b'] };

function accept(value: unknown) {
  const result = parseDcqlQuery(value);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.faults)}`);
  return { ...result, credential: result.query.credentials[0] };
}
function faultPaths(value: unknown): string[] {
  const result = parseDcqlQuery(value);
  return result.ok ? [] : result.faults.map((fault) => fault.path.replace('credentials[0].', ''));
}

describe('claims of a DCQL query', () => {
  it.each([
    ['a path', byPath('address.locality'), 'must be an array of names, such as ["address", "locality"]'],
    ['a claim', asking(['family_name']), 'must be an object with a path, such as {"path": ["family_name"]}'],
  ])('are not texts: where %s is one, the fault says what to write', (_what, query, message) => {
    const result = parseDcqlQuery(query);
    expect(result.ok ? [] : result.faults.map((fault) => fault.message)).toEqual([message]);
  });

  it.each<[title: string, value: unknown, path: string]>([
    ['VP:E5 claims must not be empty (q-claims-empty)', asking([]), 'claims'],
    ['VP:E5 claims must not be null (q-claims-null)', asking(null), 'claims'],
    ['VP:E5 claims must be an array (q-claims-object)', asking(A), 'claims'],
    ['VP:E5 a claim must be an object (q-claims-string-entry)', asking(['a']), 'claims[0]'],
    ['VP:E5 a claim must have a path (q-claims-path-missing)', asking([{ id: 'a' }]), 'claims[0].path'],
    ['VP:E6 a path must not be empty (q-claims-path-empty)', byPath([]), 'claims[0].path'],
    ['VP:E6 a path must be an array (q-claims-path-string)', byPath('a'), 'claims[0].path'],
    ['VP:E6 a path must not be null (q-claims-path-null)', byPath(null), 'claims[0].path'],
    ['VP:E6 an index must not be negative (q-claims-path-negative)', byPath(['a', -1]), 'claims[0].path[1]'],
    ['VP:E6 an index must be an integer (q-claims-path-fraction)', byPath(['a', 0.5]), 'claims[0].path[1]'],
    ['VP:E6 an index must be exact (q-claims-path-huge)', byPath(['a', 2 ** 53]), 'claims[0].path[1]'],
    ['VP:E6 a path must not begin with null, as a credential is an object', byPath([null, 'a']), 'claims[0].path[0]'],
    ['VP:E6 a path must not begin with an index, as a credential is an object', byPath([0]), 'claims[0].path[0]'],
    ['VP:E6 a component must not be a boolean (q-claims-path-boolean)', byPath([true]), 'claims[0].path[0]'],
    ['VP:E6 a component must not be an array (q-claims-path-array)', byPath(['a', ['b']]), 'claims[0].path[1]'],
    ['VP:E6 a component must not be an object (q-claims-path-object)', byPath([{}]), 'claims[0].path[0]'],
    [
      'VP:E7 a path occurs once (q-claims-duplicate-path)',
      asking([{ path: ['a', 0] }, { path: ['b'] }, { path: ['a', 0] }]),
      'claims[2].path',
    ],
    [
      'VP:E7 other ids do not make it another path (q-claims-duplicate-path)',
      asking([A, { id: 'b', path: ['a'] }]),
      'claims[1].path',
    ],
    ['VP:E8 a claim id occurs once (q-claims-duplicate-id)', asking([A, { id: 'a', path: ['b'] }]), 'claims[1].id'],
    [
      'VP:E8 a claim id has a small alphabet (q-claims-id-charset)',
      asking([{ id: 'a.b', path: ['a'] }]),
      'claims[0].id',
    ],
    ['VP:E8 a claim id must not be empty (q-claims-id-empty)', asking([{ id: '', path: ['a'] }]), 'claims[0].id'],
    ['VP:E8 a claim id must be a string (q-claims-id-number)', asking([{ id: 1, path: ['a'] }]), 'claims[0].id'],
    ['VP:E8 a claim id must not be null (q-claims-id-null)', asking([{ id: null, path: ['a'] }]), 'claims[0].id'],
    [
      'VP:E8 claim_sets need an id on every claim (q-claimsets-claim-without-id)',
      asking([A, { path: ['b'] }], [['a']]),
      'claims[1].id',
    ],
    ['VP:E9 claim_sets must not be empty (q-claimsets-empty)', asking([A], []), 'claim_sets'],
    ['VP:E9 claim_sets must not be null (q-claimsets-null)', asking([A], null), 'claim_sets'],
    ['VP:E9 claim_sets must be an array (q-claimsets-object)', asking([A], {}), 'claim_sets'],
    ['VP:E9 a claim set must not be empty (q-claimsets-empty-option)', asking([A], [['a'], []]), 'claim_sets[1]'],
    ['VP:E9 a claim set must be an array (q-claimsets-flat)', asking([A], ['a']), 'claim_sets[0]'],
    ['VP:E9 a claim set names known claims (q-claimsets-unknown-id)', asking([A], [['a', 'x']]), 'claim_sets[0][1]'],
    [
      'VP:E9 an inherited name is no claim (q-claimsets-inherited-id)',
      asking([A], [['a', 'toString']]),
      'claim_sets[0][1]',
    ],
    [
      'VP:E9 a claim set names claims as strings (q-claimsets-number-id)',
      asking([A], [['a'], [0]]),
      'claim_sets[1][0]',
    ],
    ['VP:E9 claim_sets need claims (q-claimsets-without-claims)', asking(undefined, [['a']]), 'claim_sets'],
    ['VP:E11 values must not be empty (q-values-empty)', byValues([]), 'claims[0].values'],
    ['VP:E11 values must not be null (q-values-null)', byValues(null), 'claims[0].values'],
    ['VP:E11 values must be an array (q-values-string)', byValues('x'), 'claims[0].values'],
    ['VP:E11 a value must not be null (q-values-null-entry)', byValues(['x', null]), 'claims[0].values[1]'],
    ['VP:E11 a value must not be a fraction (q-values-fraction)', byValues([1.5]), 'claims[0].values[0]'],
    ['VP:E11 a value must be exact (q-values-huge)', byValues([2 ** 53]), 'claims[0].values[0]'],
    ['VP:E11 a value must not be an object (q-values-object)', byValues([{}]), 'claims[0].values[0]'],
    ['VP:E11 a value must not be an array (q-values-array)', byValues([['x']]), 'claims[0].values[0]'],
  ])('%s', (_title, value, path) => {
    expect(faultPaths(value)).toEqual([path]);
  });

  it('VP:E6 strings, null and integers from zero are path components, the empty name too', () => {
    const path = ['a', null, 0, '', '0', '__proto__', Number.MAX_SAFE_INTEGER];
    expect(accept(byPath(path)).credential?.claims[0]?.path).toEqual(path);
  });

  it('VP:E7 paths that differ in type are different paths', () => {
    const paths = [['a', 0], ['a', '0'], ['a', null], ['a', 'null'], ['a'], ['a,0']];
    expect(accept(asking(paths.map((path) => ({ path })))).credential?.claims).toHaveLength(paths.length);
  });

  it('VP:E11 strings, integers and booleans are values', () => {
    const values = ['x', '', 0, -7, true, false];
    expect(accept(byValues(values)).credential?.claims[0]?.values).toEqual(values);
  });

  it('VP:E9 the options keep their order and hold the claims they name', () => {
    const { credential, warnings } = accept(asking([A, B], [['b', 'a'], ['a']]));
    expect(credential?.claimOptions.map((option) => option.map((claim) => claim.id))).toEqual([['b', 'a'], ['a']]);
    expect(warnings).toEqual([]);
  });

  it('VP:E5 without claim_sets all claims are the one option, without claims it is empty', () => {
    expect(accept(asking([A, { path: ['c'] }])).credential?.claimOptions).toHaveLength(1);
    expect(accept(asking(undefined)).credential).toMatchObject({ claims: [], claimOptions: [[]] });
  });

  it('VP:E10 a claim that no claim set names is worth a warning (q-claimsets-unreferenced)', () => {
    const { warnings } = accept(asking([A, B, { id: 'c', path: ['c'] }], [['b']]));
    expect(warnings.map((warning) => warning.path)).toEqual(['credentials[0].claim_sets', 'credentials[0].claim_sets']);
  });

  it.each(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts'])(
    'VP:E18 asking for %s is worth a warning, at any depth (q-registered-claim-requested)',
    (name) => {
      const { warnings } = accept(asking([{ path: [name] }, { path: [name, 'x'] }, { path: ['x', name] }]));
      const paths = warnings.map((warning) => warning.path);
      expect(paths).toEqual(['credentials[0].claims[0].path', 'credentials[0].claims[1].path']);
    },
  );
});
