import { describeWithVectors, readJsonVector } from '@vestibule/testkit';
import { DEFAULT_DCQL_LIMITS, parseDcqlQuery, requiresHolderBinding } from './index';

const PID = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:pid'] } };
const MDL = { ...PID, id: 'mdl' };
const withPid = (extra: object) => ({ credentials: [{ ...PID, ...extra }] });
const withSets = (...credential_sets: unknown[]) => ({ credentials: [PID, MDL], credential_sets });

function accept(value: unknown) {
  const result = parseDcqlQuery(value);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.faults)}`);
  return result;
}
function faultPaths(value: unknown): string[] {
  const result = parseDcqlQuery(value);
  return result.ok ? [] : result.faults.map((fault) => fault.path);
}
const without = (name: string) => Object.fromEntries(Object.entries(PID).filter(([key]) => key !== name));

describe('parseDcqlQuery', () => {
  it.each<[title: string, value: unknown, path: string]>([
    ['VP:E1 a query that is no object is refused (q-not-object)', [], ''],
    ['VP:E1 credentials must be present (q-no-credentials)', {}, 'credentials'],
    ['VP:E1 credentials must not be empty (q-empty-credentials)', { credentials: [] }, 'credentials'],
    ['VP:E1 credentials must be an array (q-credentials-object)', { credentials: PID }, 'credentials'],
    ['VP:E1 credentials must not be null (q-credentials-null)', { credentials: null }, 'credentials'],
    ['VP:E1 an entry must be an object (q-credentials-string-entry)', { credentials: ['pid'] }, 'credentials[0]'],
    ['VP:E2 id must be present (q-id-missing)', { credentials: [without('id')] }, 'credentials[0].id'],
    ['VP:E2 id must not be empty (q-id-empty)', withPid({ id: '' }), 'credentials[0].id'],
    ['VP:E2 id must be a string (q-id-number)', withPid({ id: 1 }), 'credentials[0].id'],
    ['VP:E2 id has a small alphabet (q-id-charset)', withPid({ id: 'p.d' }), 'credentials[0].id'],
    ['VP:E2 id has no blank (q-id-space)', withPid({ id: 'p d' }), 'credentials[0].id'],
    ['VP:E2 id has no final line break (q-id-newline)', withPid({ id: 'pid\n' }), 'credentials[0].id'],
    ['VP:E2 id has ASCII letters only (q-id-umlaut)', withPid({ id: 'pïd' }), 'credentials[0].id'],
    ['VP:E2 id must be unique (q-id-duplicate)', { credentials: [PID, PID] }, 'credentials[1].id'],
    ['VP:E3 format must be present (q-format-missing)', { credentials: [without('format')] }, 'credentials[0].format'],
    [
      'VP:E3 the old name vc+sd-jwt is refused (q-format-vc)',
      withPid({ format: 'vc+sd-jwt' }),
      'credentials[0].format',
    ],
    ['VP:E3 mso_mdoc is not supported (q-format-mdoc)', withPid({ format: 'mso_mdoc' }), 'credentials[0].format'],
    ['VP:E3 format is compared exactly (q-format-case)', withPid({ format: 'DC+SD-JWT' }), 'credentials[0].format'],
    ['VP:E3 format must be a string (q-format-array)', withPid({ format: ['dc+sd-jwt'] }), 'credentials[0].format'],
    [
      'VP:E3 an inherited name is no format (q-format-inherited)',
      withPid({ format: 'toString' }),
      'credentials[0].format',
    ],
    ['VP:E4 meta must be present (q-meta-missing)', { credentials: [without('meta')] }, 'credentials[0].meta'],
    ['VP:E4 meta must be an object (q-meta-array)', withPid({ meta: [] }), 'credentials[0].meta'],
    ['VP:E4 meta must not be null (q-meta-null)', withPid({ meta: null }), 'credentials[0].meta'],
    ['VP:E4 vct_values must be present (q-vct-missing)', withPid({ meta: {} }), 'credentials[0].meta.vct_values'],
    [
      'VP:E4 vct_values must not be empty (q-vct-empty)',
      withPid({ meta: { vct_values: [] } }),
      'credentials[0].meta.vct_values',
    ],
    [
      'VP:E4 vct_values must be an array (q-vct-string)',
      withPid({ meta: { vct_values: 'v' } }),
      'credentials[0].meta.vct_values',
    ],
    [
      'VP:E4 a type must be a string (q-vct-number)',
      withPid({ meta: { vct_values: ['v', 1] } }),
      'credentials[0].meta.vct_values[1]',
    ],
    [
      'VP:E4 a type must not be empty (q-vct-empty-string)',
      withPid({ meta: { vct_values: [''] } }),
      'credentials[0].meta.vct_values[0]',
    ],
    ['VP:E12 multiple must be a boolean (q-multiple-string)', withPid({ multiple: 'true' }), 'credentials[0].multiple'],
    ['VP:E12 multiple must not be null (q-multiple-null)', withPid({ multiple: null }), 'credentials[0].multiple'],
    [
      'VP:E12 require_cryptographic_holder_binding must be a boolean (q-kb-string)',
      withPid({ require_cryptographic_holder_binding: 'false' }),
      'credentials[0].require_cryptographic_holder_binding',
    ],
    [
      'VP:E12 require_cryptographic_holder_binding must not be a number (q-kb-number)',
      withPid({ require_cryptographic_holder_binding: 0 }),
      'credentials[0].require_cryptographic_holder_binding',
    ],
    ['VP:E15 credential_sets must not be empty (q-cs-empty)', withSets(), 'credential_sets'],
    [
      'VP:E15 credential_sets must not be null (q-cs-null)',
      { ...withPid({}), credential_sets: null },
      'credential_sets',
    ],
    ['VP:E15 a set must be an object (q-cs-array-entry)', withSets(['pid']), 'credential_sets[0]'],
    ['VP:E15 options must be present (q-cs-options-missing)', withSets({}), 'credential_sets[0].options'],
    ['VP:E15 options must not be empty (q-cs-options-empty)', withSets({ options: [] }), 'credential_sets[0].options'],
    [
      'VP:E15 an option must not be empty (q-cs-option-empty)',
      withSets({ options: [['pid'], []] }),
      'credential_sets[0].options[1]',
    ],
    [
      'VP:E15 an option must be an array (q-cs-option-string)',
      withSets({ options: ['pid'] }),
      'credential_sets[0].options[0]',
    ],
    [
      'VP:E15 an option names known ids (q-cs-unknown-id)',
      withSets({ options: [['mdl', 'x']] }),
      'credential_sets[0].options[0][1]',
    ],
    [
      'VP:E15 an inherited name is no id (q-cs-inherited-id)',
      withSets({ options: [['toString']] }),
      'credential_sets[0].options[0][0]',
    ],
    [
      'VP:E15 an option names ids as strings (q-cs-number-id)',
      withSets({ options: [[0]] }),
      'credential_sets[0].options[0][0]',
    ],
    [
      'VP:E15 required must be a boolean (q-cs-required-string)',
      withSets({ options: [['pid']], required: 'no' }),
      'credential_sets[0].required',
    ],
  ])('%s', (_title, value, path) => {
    expect(faultPaths(value)).toEqual([path]);
  });

  it('VP:E3 VP:E4 judges meta too where the format is missing, so that all faults are named at once', () => {
    expect(faultPaths({ credentials: [{ id: 'pid' }] })).toEqual(['credentials[0].format', 'credentials[0].meta']);
    const meta = { vct_values: [] };
    expect(faultPaths({ credentials: [{ id: 'pid', meta }] })).toEqual([
      'credentials[0].format',
      'credentials[0].meta.vct_values',
    ]);
  });

  it('VP:E1 every fault is listed, with the prefix that the caller gives', () => {
    const value = {
      credentials: [{ ...PID, id: '', multiple: 1, claims: [{ path: ['a', -1] }] }, 7],
      'a b': 1,
      credential_set: 1,
    };
    const result = parseDcqlQuery(value, DEFAULT_DCQL_LIMITS, 'dcql_query');
    expect(!result.ok && result.faults.map((fault) => fault.path).sort()).toEqual([
      'dcql_query.credential_set',
      'dcql_query.credentials[0].claims[0].path[1]',
      'dcql_query.credentials[0].id',
      'dcql_query.credentials[0].multiple',
      'dcql_query.credentials[1]',
    ]);
    expect(faultPaths({ ...withPid({}), 'a b': () => 1 })).toEqual(['["a b"]']);
  });

  it('counts the characters of texts and names, of which one may be two UTF-16 units', () => {
    const withText = (length: number) =>
      withPid({ claims: [{ path: ['a'], values: ['😀'.repeat(length)] }], ['😀'.repeat(length)]: 1 });
    expect(faultPaths(withText(DEFAULT_DCQL_LIMITS.maxTextLength))).toEqual([]);
    expect(faultPaths(withText(DEFAULT_DCQL_LIMITS.maxTextLength + 1))).toEqual([
      'credentials[0].claims[0].values[0]',
      'credentials[0]',
    ]);
  });

  it('VP:E3 the refusal of a format names the supported one', () => {
    const result = parseDcqlQuery(withPid({ format: 'mso_mdoc', meta: { doctype_value: 'x' } }));
    expect(!result.ok && result.faults).toEqual([
      { path: 'credentials[0].format', message: expect.stringContaining('"dc+sd-jwt"') },
    ]);
  });

  it('VP:E2 ids that every object inherits are ids like any other', () => {
    const ids = ['__proto__', 'toString', 'constructor', '-', '_'];
    const { query } = accept({ credentials: ids.map((id) => ({ ...PID, id })) });
    expect(query.credentials.map((credential) => credential.id)).toEqual(ids);
  });

  it('VP:E12 VP:J17 VP:T8 holder binding is required unless the query says otherwise, and for unknown ids', () => {
    const off = { ...MDL, require_cryptographic_holder_binding: false };
    const on = { ...PID, id: 'on', require_cryptographic_holder_binding: true };
    const { query } = accept({ credentials: [PID, off, on] });
    const answers = ['pid', 'mdl', 'on', 'toString'].map((id) => requiresHolderBinding(query, id));
    expect(answers).toEqual(['required', 'notRequired', 'required', 'required']);
  });

  it('VP:E15 a set is required by default and keeps the order of its options', () => {
    const { query, warnings } = accept(
      withSets({ options: [['mdl'], ['pid']] }, { options: [['mdl', 'pid']], required: false }),
    );
    expect(query.credentialSets).toEqual([
      { required: true, options: [['mdl'], ['pid']] },
      { required: false, options: [['mdl', 'pid']] },
    ]);
    expect(warnings).toEqual([]);
  });

  it('VP:E15 a credential that no set names is not asked for, which is worth a warning (q-cs-unreferenced)', () => {
    const { warnings } = accept(withSets({ options: [['pid']] }));
    expect(warnings.map((warning) => warning.path)).toEqual(['credential_sets']);
  });

  it('VP:E17 require_cryptographic_holder_binding is forwarded', () => {
    const { query } = accept(withPid({ require_cryptographic_holder_binding: false }));
    expect(query.source).toEqual(withPid({ require_cryptographic_holder_binding: false }));
  });

  it('VP:E20 the query is kept as given: order, nulls, unknown members, whatever their names', () => {
    const text =
      '{"zeta":null,"credentials":[{"meta":{"vct_values":["b","a"],"x":[null,[]]},"id":"pid","claims":' +
      '[{"path":["n",null,0],"id":"b"},{"id":"a","path":["z"]}],"format":"dc+sd-jwt","claim_sets":[["b"],["a","b"]],' +
      '"__proto__":{"deep":[1.5,null]}}],"alpha":{}}';
    const given: unknown = JSON.parse(text);
    const { query } = accept(given);
    expect(JSON.stringify(query.source)).toBe(text);
    (given as { credentials: unknown[] }).credentials.length = 0;
    expect(JSON.stringify(query.source)).toBe(text);
  });

  it('VP:E20 the kept query is frozen at every depth', () => {
    const { query } = accept(withPid({ claims: [{ path: ['a'] }], extension: [{ a: [] }] }));
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    expect(isFrozen(query.source)).toBe(true);
  });

  it('VP:E20 the kept query reads back as the same query', () => {
    const first = accept({ ...withSets({ options: [['pid']] }), extension: null });
    expect(accept(first.query.source)).toEqual(first);
  });
});

describeWithVectors('parseDcqlQuery on official queries', () => {
  const examples = 'verifier/openid4vp-1.0/examples/query_lang';
  const variants = 'verifier/openid4vp-1.0/final-tag-variants';
  const resources = 'verifier/eudi-verifier-resources';
  const eudi = (name: string) =>
    (readJsonVector(`${resources}/${name}-dcql.json`) as { dcql_query: unknown }).dcql_query;

  it.each([
    ...['claims_alternatives', 'credentials_alternatives', 'simple', 'value_matching_simple'].map((name) => [
      `${examples}/${name}.json`,
    ]),
    ...['claims_alternatives', 'simple', 'value_matching_simple'].map((name) => [`${variants}/${name}.json`]),
  ])('VP:E1 the example %s is accepted without warnings and kept', (file) => {
    const value = readJsonVector(file);
    const { query, warnings } = accept(value);
    expect(warnings).toEqual([]);
    expect(JSON.stringify(query.source)).toBe(JSON.stringify(value));
  });

  it.each([
    ['complex_mdoc', 4],
    ['multi_credentials', 1],
    ['simple_mdoc', 1],
  ])('VP:E3 the example %s is refused for its format alone', (name, count) => {
    const paths = faultPaths(readJsonVector(`${examples}/${name}.json`));
    expect(paths).toHaveLength(count);
    expect(paths.every((path) => path.endsWith('.format'))).toBe(true);
  });

  it.each(['00', '02', '03', '04', '05', '07-ehicSdJwtVc'])('VP:E1 the EUDI query %s is accepted', (name) => {
    expect(accept(eudi(name)).warnings).toEqual([]);
  });

  it.each(['06-pidPlusMdl', '08-mdl'])('VP:E3 the EUDI query %s is refused for its format alone', (name) => {
    const paths = faultPaths(eudi(name));
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.every((path) => path.endsWith('.format'))).toBe(true);
  });
});
