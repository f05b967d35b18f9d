import { withFolder } from '../../testing/issuer-key.fixture-spec';
import { ISSUER_URL } from '../../testing/issuer.fixture-spec';
import { reportLongPids } from './report-long-pids';
import { readTypeMetadataFolder, type LoadedTypes } from './type-metadata-folder';

const CARD = JSON.stringify({ claims: [{ path: ['given_name'] }] });

/** Types with these names, and this `issuance.json`. */
function load(names: readonly string[], issuance: object): LoadedTypes {
  const documents = Object.fromEntries(names.map((name) => [`${name}.json`, CARD]));
  const files = { ...documents, 'issuance.json': JSON.stringify(issuance) };
  return withFolder(files, (folder) => readTypeMetadataFolder(folder, ISSUER_URL));
}

describe('a PID', () => {
  it('that is valid for a day or longer is logged: its attestations are not looked at again', () => {
    const pid = (seconds: number) => ({ pid: true, validity_seconds: seconds });
    const types = { long: pid(82_801), short: pid(82_800) };
    const issuers = { eu: { profile: 'eudi', types } };
    const card = { validity_seconds: 31_536_000 };
    const loaded = load(['long', 'short', 'card'], { issuers, types: { card } });
    const lines: unknown[] = [];
    reportLongPids(loaded.types, { warn: (message, fields) => lines.push([message, fields]) });
    expect(lines).toEqual([
      [expect.stringContaining('valid for a day or longer'), { type: 'long', validitySeconds: 82_801 }],
    ]);
  });
});

describe('the key of a PID', () => {
  const HIGH = ['iso_18045_high'];
  it.each([
    ['whatever it says', undefined, { keyStorage: HIGH, userAuthentication: [] }],
    ['with an attestation of any level', {}, { keyStorage: HIGH, userAuthentication: [] }],
    ['with a level of its user', { user_authentication: HIGH }, { keyStorage: HIGH, userAuthentication: HIGH }],
    ['unless it names others', { key_storage: ['lower'] }, { keyStorage: ['lower'], userAuthentication: [] }],
  ])('EU:K14 is in a device of level high, %s', (_what, key_attestation, expected) => {
    const types = { card: key_attestation === undefined ? { pid: true } : { pid: true, key_attestation } };
    for (const issuance of [{ types }, { profile: 'eudi', types }])
      expect(load(['card'], issuance).types.get('card')?.keyAttestation).toEqual(expected);
  });
});
