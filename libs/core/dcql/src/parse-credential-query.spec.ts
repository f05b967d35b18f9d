import { parseDcqlQuery } from './index';
import { findProbableName } from '@vestibule/foundation';

const AKI = 's9tIpPmhxdiuNkHMEWNpYim8S8Y';
const PID = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:pid'] } };
const trusting = (trusted_authorities: unknown) => ({ credentials: [{ ...PID, trusted_authorities }] });
const byValues = (values: unknown) => trusting([{ type: 'aki', values }]);

function pathsOf(value: unknown) {
  const result = parseDcqlQuery(value);
  const paths = (list: readonly { path: string }[]) => list.map((item) => item.path);
  return result.ok ? { warnings: paths(result.warnings) } : { faults: paths(result.faults) };
}

describe('trusted_authorities of a DCQL query', () => {
  const root = 'credentials[0].trusted_authorities';

  it.each<[title: string, value: unknown, path: string]>([
    ['VP:E13 trusted_authorities must not be empty (q-ta-empty)', trusting([]), ''],
    ['VP:E13 trusted_authorities must not be null (q-ta-null)', trusting(null), ''],
    ['VP:E13 trusted_authorities must be an array (q-ta-object)', trusting({ type: 'aki', values: [AKI] }), ''],
    ['VP:E13 an entry must be an object (q-ta-string-entry)', trusting([AKI]), '[0]'],
    ['VP:E13 type must be present (q-ta-type-missing)', trusting([{ values: [AKI] }]), '[0].type'],
    ['VP:E13 type must be a string (q-ta-type-number)', trusting([{ type: 1, values: [AKI] }]), '[0].type'],
    ['VP:E13 values must be present (q-ta-values-missing)', trusting([{ type: 'aki' }]), '[0].values'],
    ['VP:E13 values must not be empty (q-ta-values-empty)', byValues([]), '[0].values'],
    ['VP:E13 values must be an array (q-ta-values-string)', byValues(AKI), '[0].values'],
    ['VP:E13 a value must be a string (q-ta-values-number)', byValues([AKI, 1]), '[0].values[1]'],
    ['VP:E13 a value must not be empty (q-ta-values-empty-string)', byValues(['']), '[0].values[0]'],
    ['VP:E13 a value has no padding (q-ta-aki-padded)', byValues([`${AKI}=`]), '[0].values[0]'],
    ['VP:E13 a value is base64url, not base64 (q-ta-aki-base64)', byValues(['a+b/']), '[0].values[0]'],
    ['VP:E13 a value is not colon hex (q-ta-aki-hex)', byValues(['B3:DB:48']), '[0].values[0]'],
    ['VP:E13 a value has its one spelling (q-ta-aki-trailing-bits)', byValues(['YR']), '[0].values[0]'],
    [
      'VP:E14 etsi_tl is not supported (q-ta-etsi-tl)',
      trusting([{ type: 'etsi_tl', values: ['https://lotl.example'] }]),
      '[0].type',
    ],
    [
      'VP:E14 openid_federation is not supported (q-ta-federation)',
      trusting([{ type: 'openid_federation', values: ['https://ta.example'] }]),
      '[0].type',
    ],
    [
      'VP:E14 an unknown type is not supported (q-ta-unknown-type)',
      trusting([{ type: 'AKI', values: [AKI] }]),
      '[0].type',
    ],
    [
      'VP:E14 one unsupported entry among others is refused too (q-ta-unknown-type)',
      trusting([
        { type: 'aki', values: [AKI] },
        { type: 'x', values: ['y'] },
      ]),
      '[1].type',
    ],
  ])('%s', (_title, value, path) => {
    expect(pathsOf(value)).toEqual({ faults: [`${root}${path}`] });
  });

  it('VP:E13 aki is accepted and kept for matching', () => {
    const result = parseDcqlQuery(byValues([AKI, 'AA']));
    expect(result.ok && result.query.credentials[0]?.trustedAuthorities).toEqual([
      { type: 'aki', values: [AKI, 'AA'] },
    ]);
  });
});

describe('unknown members of a DCQL query', () => {
  const everywhere = (member: object) => ({
    credentials: [
      {
        ...PID,
        meta: { ...PID.meta, ...member },
        claims: [{ path: ['a'], ...member }],
        trusted_authorities: [{ type: 'aki', values: [AKI], ...member }],
        ...member,
      },
    ],
    credential_sets: [{ options: [['pid']], ...member }],
    ...member,
  });
  const placesOf = (name: string) => [
    name,
    `credential_sets[0].${name}`,
    `credentials[0].${name}`,
    `credentials[0].claims[0].${name}`,
    `credentials[0].meta.${name}`,
    `credentials[0].trusted_authorities[0].${name}`,
  ];

  it.each(['ext', 'x', 'purpose', 'intent_to_retain', 'x5c', '__proto__', 'toString', 'name'])(
    'VP:E16 %s is forwarded with a warning, wherever it stands (q-unknown-properties)',
    (name) => {
      const value = everywhere(JSON.parse(`{"${name}":{"credentials":[null]}}`) as object);
      expect(pathsOf(value).warnings?.sort()).toEqual(placesOf(name).sort());
      const result = parseDcqlQuery(value);
      expect(result.ok && JSON.stringify(result.query.source)).toBe(JSON.stringify(value));
    },
  );

  it.each<[name: string, place: string, value: unknown]>([
    [
      'vctValues',
      'credentials[0].meta.vctValues',
      { credentials: [{ ...PID, meta: { ...PID.meta, vctValues: ['v'] } }] },
    ],
    [
      'vct_value',
      'credentials[0].meta.vct_value',
      { credentials: [{ ...PID, meta: { ...PID.meta, vct_value: 'v' } }] },
    ],
    ['claim_set', 'credentials[0].claim_set', { credentials: [{ ...PID, claim_set: [] }] }],
    ['Multiple', 'credentials[0].Multiple', { credentials: [{ ...PID, Multiple: true }] }],
    ['trusted_authority', 'credentials[0].trusted_authority', { credentials: [{ ...PID, trusted_authority: [] }] }],
    [
      'requireCryptographicHolderBinding',
      'credentials[0].requireCryptographicHolderBinding',
      { credentials: [{ ...PID, requireCryptographicHolderBinding: false }] },
    ],
    ['value', 'credentials[0].claims[0].value', { credentials: [{ ...PID, claims: [{ path: ['a'], value: ['x'] }] }] }],
    ['credential-sets', 'credential-sets', { credentials: [PID], 'credential-sets': [] }],
    [
      'option',
      'credential_sets[0].option',
      { credentials: [PID], credential_sets: [{ options: [['pid']], option: [] }] },
    ],
  ])('VP:E16 the near miss %s is refused instead of ignored', (_name, place, value) => {
    expect(pathsOf(value)).toEqual({ faults: [place] });
  });

  it.each<[name: string, place: string, value: unknown]>([
    ['claim_sets', 'claim_sets', { credentials: [PID], claim_sets: [['a']] }],
    ['vctValues', 'credentials[0].vctValues', { credentials: [{ ...PID, vctValues: ['v'] }] }],
    [
      'required',
      'credentials[0].claims[0].required',
      { credentials: [{ ...PID, claims: [{ path: ['a'], required: false }] }] },
    ],
    ['trusted_authorities', 'trusted_authorities', { credentials: [PID], trusted_authorities: [] }],
    ['values', 'credentials[0].values', { credentials: [{ ...PID, values: ['x'] }] }],
  ])('VP:E16 the constraint %s in the wrong place is refused instead of ignored', (_name, place, value) => {
    expect(pathsOf(value)).toEqual({ faults: [place] });
  });

  it.each([
    ['claimSets', 'claim_sets'],
    ['fromat', 'format'],
    ['credential', 'credentials'],
    ['ID', 'id'],
    ['types', 'type'],
    ['x', undefined],
    ['hash', undefined],
    ['data', undefined],
    ['', undefined],
  ])('VP:E16 %j was probably meant to be %j', (name, meant) => {
    const known = ['id', 'type', 'path', 'meta', 'format', 'claim_sets', 'claims', 'credentials'];
    expect(findProbableName(name, known)).toBe(meant);
  });
});
