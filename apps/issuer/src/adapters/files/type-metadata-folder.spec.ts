import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DomainError } from '@vestibule/foundation';
import { withFolder } from '../../testing/issuer-key.fixture-spec';
import { ISSUER_URL } from '../../testing/issuer.fixture-spec';
import { reportMissingLabels } from './report-missing-labels';
import { readTypeMetadataFolder, type LoadedTypes } from './type-metadata-folder';

type Files = Readonly<Record<string, unknown>>;
const CARD = { claims: [{ path: ['given_name'] }] };

function load(files: Files, prepare: (folder: string) => void = () => undefined): LoadedTypes {
  const texts = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? content : JSON.stringify(content),
  ]);
  return withFolder(Object.fromEntries(texts) as Record<string, string>, (folder) => {
    prepare(folder);
    return readTypeMetadataFolder(folder, ISSUER_URL);
  });
}

/** The places of all faults, below the folder; every one must also be in the sentence that an operator reads. */
function faultsOf(files: Files, prepare?: (folder: string) => void): string[] {
  try {
    load(files, prepare);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'type_metadata_invalid') throw error;
    for (const { path: place, message } of error.faults) expect(error.detail).toContain(`${place} ${message}`);
    return error.faults.map(({ path: place }) => path.basename(place.replaceAll('\\', '/')));
  }
  throw new Error('the folder was accepted');
}

describe('18.15 labels of claims', () => {
  it('that users of other languages would miss are logged, by their type', () => {
    const display = ['de', 'en'].map((locale) => ({ locale, name: 'Card' }));
    const claims = [{ path: ['given_name'], display: [{ locale: 'en', label: 'Given name' }] }];
    const { types } = load({ 'card.json': { display, claims }, 'badge.json': CARD });
    const lines: unknown[] = [];
    reportMissingLabels(types, { warn: (message, fields) => lines.push([message, fields]) });
    const fields = { type: 'card', locale: 'de', claims: '["given_name"]' };
    expect(lines).toEqual([[expect.stringContaining('none in the first language of their type'), fields]]);
  });
});

describe('readTypeMetadataFolder', () => {
  it('VCI:M24 takes the name of each document as its configuration id, valid for a year', () => {
    const { types, issuers } = load({ 'card.json': CARD, 'badge.json': CARD, 'README.md': 'not a document' });
    expect([...types.keys()]).toEqual(['badge', 'card']);
    expect(types.get('card')).toMatchObject({
      configurationId: 'card',
      vct: `${ISSUER_URL}/oidc4vci/types/card`,
      validitySeconds: 31_536_000,
    });
    expect(issuers).toMatchObject([{ identity: { name: '', url: ISSUER_URL, profile: 'open' }, display: [] }]);
  });

  it('takes display and validities from issuance.json, which is no type', () => {
    const issuance = { display: [{ locale: 'en', name: 'Issuer' }], types: { card: { validity_seconds: 3_600 } } };
    const { types, issuers } = load({ 'card.json': CARD, 'badge.json': CARD, 'issuance.json': issuance });
    expect([...types.values()].map(({ configurationId: id, validitySeconds: seconds }) => [id, seconds])).toEqual([
      ['badge', 31_536_000],
      ['card', 3_600],
    ]);
    expect(issuers[0]?.display).toEqual([{ locale: 'en', name: 'Issuer' }]);
  });

  it('VCI:V9 VCI:V21 gives a status to what lives longer than a day, unless issuance.json decides otherwise', () => {
    const types = {
      long: { validity_seconds: 86_401 },
      short: { validity_seconds: 86_400 },
      'long-without': { validity_seconds: 86_401, status_list: false },
      'short-with': { validity_seconds: 3_600, status_list: true },
      without: { status_list: false },
    };
    const names = [...Object.keys(types), 'unnamed'];
    const documents = Object.fromEntries(names.map((name) => [`${name}.json`, CARD]));
    const loaded = load({ ...documents, 'issuance.json': { types } });
    const decided = [...loaded.types.values()].map(({ configurationId: id, hasStatus }) => [id, hasStatus] as const);
    expect(Object.fromEntries(decided)).toEqual({
      long: true,
      short: false,
      'long-without': false,
      'short-with': true,
      without: false,
      unnamed: true,
    });
    expect(loaded.types.get('without')?.validitySeconds).toBe(31_536_000);
  });

  it('VCI:M16 takes the algorithms of a type’s keys, by default ES256 alone', () => {
    const types = { both: { proof_signing_alg_values: ['ES256', 'ES384'] }, plain: {} };
    const loaded = load({ 'both.json': CARD, 'plain.json': CARD, 'issuance.json': { types } });
    const found = ['both', 'plain'].map((id) => loaded.types.get(id)?.proofAlgorithms);
    expect(found).toEqual([['ES256', 'ES384'], undefined]);
  });

  it('VCI:M18 takes the reuse policy of a type, and what is known of the issuer’s registration', () => {
    const option = { details: ['once_only'], batch_size: 4, reissue_trigger_unused: 1 };
    const policy = { id: 'arf_annex_ii', options: [option] };
    const issuer_info = [{ format: 'registration_cert', data: 'e30.e30.AA' }];
    const types = { card: { credential_reuse_policy: policy } };
    const loaded = load({ 'card.json': CARD, 'other.json': CARD, 'issuance.json': { issuer_info, types } });
    expect(loaded.issuers[0]?.issuerInfo).toEqual(issuer_info);
    expect(loaded.types.get('card')).toMatchObject({ reusePolicy: policy, mostCredentials: 4 });
    expect(loaded.types.get('other')).not.toHaveProperty('reusePolicy');
  });

  describe('with issuer identifiers of their own', () => {
    const files = { 'card.json': CARD, 'badge.json': CARD, 'pid.json': CARD };

    it('EU:M2 gives each type its identifier, and the others that of the installation', () => {
      const issuers = { eu: { profile: 'eudi', types: { pid: { pid: true } } }, other: { types: { badge: {} } } };
      const loaded = load({ ...files, 'issuance.json': { types: { card: {} }, issuers } });
      const found = loaded.issuers.map(({ identity, types }) => [identity, [...types.keys()]]);
      expect(found).toEqual([
        [{ name: '', url: ISSUER_URL, profile: 'open' }, ['card']],
        [{ name: 'eu', url: `${ISSUER_URL}/eu`, profile: 'eudi' }, ['pid']],
        [{ name: 'other', url: `${ISSUER_URL}/other`, profile: 'open' }, ['badge']],
      ]);
      expect([...loaded.types.keys()]).toEqual(['badge', 'card', 'pid']);
      expect(loaded.types.get('pid')).toMatchObject({
        vct: `${ISSUER_URL}/eu/oidc4vci/types/pid`,
        isPid: true,
        issuer: { name: 'eu' },
      });
    });

    it('EU:M1 has every key of the profile eudi attested, whatever the type says', () => {
      const levels = { key_storage: ['iso_18045_high'] };
      const types = { pid: {}, card: { key_attestation: levels } };
      const loaded = load({ ...files, 'issuance.json': { issuers: { eu: { profile: 'eudi', types } } } });
      expect(loaded.types.get('pid')?.keyAttestation).toEqual({ keyStorage: [], userAuthentication: [] });
      expect(loaded.types.get('card')?.keyAttestation?.keyStorage).toEqual(levels.key_storage);
      expect(loaded.types.get('badge')?.keyAttestation).toBeUndefined();
      const whole = load({ ...files, 'issuance.json': { profile: 'eudi' } });
      expect([...whole.types.values()].every(({ keyAttestation }) => keyAttestation !== undefined)).toBe(true);
    });

    it('leaves out an identifier without types', () => {
      const types = { card: {}, badge: {}, pid: {} };
      const loaded = load({ ...files, 'issuance.json': { issuers: { eu: { types } } } });
      expect(loaded.issuers.map(({ identity }) => identity.name)).toEqual(['eu']);
    });

    it('types of one may extend those of another', () => {
      const national = { extends: `${ISSUER_URL}/oidc4vci/types/card`, claims: [] };
      const issuers = { eu: { types: { pid: {} } } };
      const loaded = load({ ...files, 'pid.json': national, 'issuance.json': { issuers } });
      expect(loaded.types.get('pid')?.claims).toHaveLength(1);
    });

    it.each<[string, object, string]>([
      ['two identifiers list a type', { a: { types: { pid: {} } }, b: { types: { pid: {} } } }, 'issuers.b.types.pid'],
      ['a type is not there', { a: { types: { none: {} } } }, 'issuers.a.types.none'],
      ['a name is not a segment', { 'a/b': { types: { pid: {} } } }, 'issuers.a/b'],
      ['a name has upper case', { A: { types: { pid: {} } } }, 'issuers.A'],
      ['a name is empty', { '': { types: { pid: {} } } }, 'issuers.'],
      ['a name is that of the endpoints', { oidc4vci: { types: { pid: {} } } }, 'issuers.oidc4vci'],
      ['a profile is unknown', { a: { profile: 'eu', types: { pid: {} } } }, 'issuers.a.profile'],
      ['identifiers are nested', { a: { issuers: {} } }, 'issuers.a.issuers'],
    ])('EU:M2 does not start where %s', (_what, issuers, place) => {
      expect(
        faultsOf({ ...files, 'issuance.json': { issuers } }).map((one) => one.replace('issuance.json: ', '')),
      ).toEqual([path.basename(place)]);
    });

    it('EU:M2 does not start where the installation and another identifier list a type', () => {
      const issuance = { types: { pid: {} }, issuers: { a: { types: { pid: {} } } } };
      expect(faultsOf({ ...files, 'issuance.json': issuance })).toEqual(['issuance.json: issuers.a.types.pid']);
    });
  });

  it('follows links, as mounted configuration has them', () => {
    const { types } = load({ 'card.txt': CARD }, (folder) =>
      symlinkSync(path.join(folder, 'card.txt'), path.join(folder, 'card.json')),
    );
    expect([...types.keys()]).toEqual(['card']);
  });
});

describe('readTypeMetadataFolder stops with file, path and reason of', () => {
  it.each<[string, Files, string[]]>([
    ['no document', {}, [expect.stringMatching(/^vestibule-issuer-/) as unknown as string]],
    ['issuance.json alone', { 'issuance.json': {} }, [expect.stringMatching(/^vestibule-/) as unknown as string]],
    ['a document that is not JSON', { 'card.json': '{' }, ['card.json']],
    ['a document that is no object', { 'card.json': [] }, ['card.json']],
    ['a member that occurs twice', { 'card.json': '{"name":"a","name":"b"}' }, ['card.json']],
    ['VCI:M18 claims of the old form', { 'card.json': { claims: { a: {} } } }, ['card.json: claims']],
    ['a broken claim', { 'card.json': { claims: [{ path: [] }] } }, ['card.json: claims[0].path']],
    [
      'VCI:V18 more claims with a disclosure of their own than a credential may have',
      { 'card.json': { claims: Array.from({ length: 501 }, (_, at) => ({ path: [`c${at}`] })) } },
      ['card.json: claims'],
    ],
    ['VCI:Y2 a bare word as vct', { 'card.json': { vct: 'PID' } }, ['card.json: vct']],
    [
      'each of two documents',
      { 'a.json': { claims: [{ path: ['x'], sd: 'maybe' }] }, 'b.json': '', 'c.json': CARD },
      ['a.json: claims[0].sd', 'b.json'],
    ],
    ['issuance.json that is not JSON', { 'card.json': CARD, 'issuance.json': '{' }, ['issuance.json']],
    ['a member twice in it', { 'card.json': CARD, 'issuance.json': '{"types":{},"types":{}}' }, ['issuance.json']],
    [
      'a number in it that no double has',
      { 'card.json': CARD, 'issuance.json': '{"types":{"card":{"validity_seconds":9007199254740993}}}' },
      ['issuance.json: types.card.validity_seconds'],
    ],
    [
      'a number that no double has',
      { 'card.json': '{"claims":[{"path":["a",1e999]}]}' },
      ['card.json: claims[0].path[1]'],
    ],
    ['an unknown member in it', { 'card.json': CARD, 'issuance.json': { typs: {} } }, ['issuance.json: typs']],
    [
      'a validity that is too short',
      { 'card.json': CARD, 'issuance.json': { types: { card: { validity_seconds: 60 } } } },
      ['issuance.json: types.card.validity_seconds'],
    ],
    [
      'a status list that is neither on nor off',
      { 'card.json': CARD, 'issuance.json': { types: { card: { status_list: 'yes' } } } },
      ['issuance.json: types.card.status_list'],
    ],
    [
      'a display without name',
      { 'card.json': CARD, 'issuance.json': { display: [{ locale: 'en' }] } },
      ['issuance.json: display[0].name'],
    ],
    [
      '18.15 a logo of the issuer that is no image',
      {
        'card.json': CARD,
        'issuance.json': { display: [{ locale: 'en', name: 'x', logo: { uri: 'data:text/html,x' } }] },
      },
      ['issuance.json: display[0].logo.uri'],
    ],
    [
      '18.15 a color by its name',
      {
        'card.json': {
          ...CARD,
          display: [{ locale: 'en', name: 'x', rendering: { simple: { text_color: 'white' } } }],
        },
      },
      ['card.json: display[0].rendering.simple.text_color'],
    ],
    ['a display of text', { 'card.json': CARD, 'issuance.json': { display: 'x' } }, ['issuance.json: display']],
    [
      'a type that there is not',
      { 'card.json': CARD, 'issuance.json': { types: { pid: { validity_seconds: 3_600 } } } },
      ['issuance.json: types.pid'],
    ],
    [
      'everything at once, without blaming issuance.json for a broken document',
      {
        'card.json': '{',
        'issuance.json': { types: { pid: { validity_seconds: 3_600 }, card: { validity_seconds: 3_600 } } },
      },
      ['issuance.json: types.pid', 'card.json'],
    ],
  ])('%s', (_what, files, faults) => {
    expect(faultsOf(files)).toEqual(faults);
  });

  it('a folder that is not there, or is a file', () => {
    const read = (folder: string) => () => readTypeMetadataFolder(folder, ISSUER_URL);
    const invalid = expect.objectContaining({ code: 'type_metadata_invalid' });
    expect(read(path.join(__dirname, 'no-such-folder'))).toThrow(invalid);
    expect(read(__filename)).toThrow(invalid);
  });

  it('a folder in place of a document', () => {
    expect(faultsOf({ 'card.json': CARD }, (folder) => mkdirSync(path.join(folder, 'badge.json')))).toEqual([
      'badge.json',
    ]);
  });

  it('a document with bytes that are no UTF-8', () => {
    const prepare = (folder: string) => writeFileSync(path.join(folder, 'card.json'), Buffer.from('7b22ff227d', 'hex'));
    expect(faultsOf({}, prepare)).toEqual(['card.json']);
  });
});
