import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toPem } from '@vestibule/dev-pki';
import { DomainError } from '@vestibule/foundation';
import { printedJson } from '@vestibule/testkit';
import { createWorld, failsWith, type World } from '../../testing/verifier.fixture-spec';
import { trackFiles } from '@vestibule/keys';
import { readTrustFile } from './trust-file';

let world: World;
const folder = mkdtempSync(path.join(tmpdir(), 'trust-file-'));
const file = path.join(folder, 'trust.json');
beforeAll(async () => {
  world = await createWorld();
  const { root, intermediate, issuer } = world.pki;
  mkdirSync(path.join(folder, 'anchors'));
  const write = (name: string, content: string | Uint8Array) =>
    writeFileSync(path.join(folder, 'anchors', name), content);
  write('root.pem', toPem([root.certificate]));
  write('both.pem', toPem([root.certificate, intermediate.certificate]));
  write('root.der', root.certificate);
  write('leaf.pem', toPem([issuer.certificate]));
  write('garbage.der', 'garbage');
  write('broken.pem', '-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----');
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(content: unknown) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readTrustFile(file, reading());
}

const warned: string[] = [];
const reading = () => ({
  files: trackFiles(),
  logger: { warn: (message: string, fields = {}) => warned.push(`${message} ${JSON.stringify(fields)}`) },
  skewSeconds: 60,
});

function faultsOf(step: () => unknown) {
  try {
    step();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error).toEqual(failsWith('trust_file_invalid'));
    for (const fault of error.faults) expect(error.detail).toContain(fault.path);
    return error.faults.map((fault) => fault.path);
  }
  throw new Error('nothing was wrong');
}

interface PrintedTrust {
  readonly anchors: readonly { readonly file: string }[];
  readonly lists?: readonly { readonly signers: readonly string[] }[];
}

describe.each([
  ['phone.md', 4],
  ['trust.md', 5],
])('the samples of docs/%s', (page, count) => {
  const samples = printedJson(page);

  it('21.4 are trust files, with their anchors', () => {
    expect(samples).toHaveLength(count);
    for (const sample of samples) {
      const { anchors, lists = [] } = JSON.parse(sample) as PrintedTrust;
      for (const name of [...anchors.map(({ file: one }) => one), ...lists.flatMap(({ signers }) => signers)])
        writeFileSync(path.join(folder, name), toPem([world.pki.root.certificate]));
      expect(read(sample).chains.anchors).toHaveLength(anchors.length);
    }
  });
});

describe('a trust file in order', () => {
  it('VP:A9 VP:D7 VP:D8 with anchors alone trusts them for credentials and lists, policy auto', () => {
    const { chains, policy, binding } = read({ anchors: [{ file: 'anchors/root.pem' }] });
    expect([policy, binding]).toEqual(['auto', undefined]);
    expect(chains.anchors).toHaveLength(1);
    expect(chains.anchors[0]).toMatchObject({ purposes: ['credential', 'status'] });
    expect(chains.anchors[0]).not.toHaveProperty('vcts');
    expect(chains.anchors[0]?.certificate.der).toEqual(world.pki.root.certificate);
  });

  it('VP:N12 keeps what an anchor is for, and reads DER as well as several PEM blocks', () => {
    const { chains } = read({
      anchors: [
        { file: 'anchors/root.der', purposes: ['status'] },
        { file: 'anchors/both.pem', purposes: ['credential'], vcts: ['urn:example:pid:1'] },
        { file: path.join(folder, 'anchors/root.pem') },
      ],
    });
    expect(chains.anchors.map(({ purposes, vcts }) => [purposes, vcts])).toEqual([
      [['status'], undefined],
      [['credential'], ['urn:example:pid:1']],
      [['credential'], ['urn:example:pid:1']],
      [['credential', 'status'], undefined],
    ]);
  });

  it('VP:D8 an anchor may have a binding of its own', () => {
    const { chains, binding } = read({ anchors: [{ file: 'anchors/root.pem', issuerBinding: { policy: 'san' } }] });
    expect([binding, chains.anchors[0]?.issuerBinding]).toEqual([undefined, { policy: 'san' }]);
  });

  it('VP:N12 reads the former purpose attestation as both, and says so', () => {
    warned.length = 0;
    const { chains } = read({ anchors: [{ file: 'anchors/root.pem', purposes: ['status', 'attestation'] }] });
    expect(chains.anchors[0]?.purposes).toEqual(['status', 'wallet_attestation', 'key_attestation']);
    expect(warned.join()).toContain('wallet_attestation and key_attestation');
    expect(warned.join()).toContain('anchors/root.pem');
  });

  it('VP:D8 VP:N8 says what none and report mean, and nothing for a file with neither', () => {
    warned.length = 0;
    read({ anchors: [{ file: 'anchors/root.pem' }] });
    expect(warned).toEqual([]);
    read({ issuerBinding: { policy: 'none' }, anchors: [{ file: 'anchors/root.pem' }] });
    expect(warned.join()).toContain('may claim any iss');
    warned.length = 0;
    const type = 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList';
    const list = { id: 'pid', url: 'https://lists.example/', signers: ['anchors/root.pem'], type, vcts: ['urn:a'] };
    read({ lists: [list] });
    expect(warned).toEqual([]);
    read({ lists: [{ ...list, issuerBinding: { policy: 'none' } }] });
    read({ lists: [list], issuerBinding: { policy: 'none' } });
    expect(warned.filter((line) => line.includes('may claim any iss') && line.includes('"pid"'))).toHaveLength(2);
    read({ extendedKeyUsage: 'report', anchors: [] });
    expect(warned.join()).toContain('such as TLS servers');
  });

  it('VP:J6 EU:P2 lists subtypes, with one supertype or several; by default there are none', () => {
    const anchors = [{ file: 'anchors/root.pem' }];
    const subtypes = { 'urn:eudi:pid:de:1': 'urn:eudi:pid:1', 'urn:a': ['urn:eudi:pid:de:1', 'urn:b'] };
    expect(read({ anchors, subtypes }).subtypes).toEqual(
      new Map([
        ['urn:eudi:pid:de:1', new Set(['urn:eudi:pid:1'])],
        ['urn:a', new Set(['urn:eudi:pid:de:1', 'urn:b', 'urn:eudi:pid:1'])],
      ]),
    );
    expect(read({ anchors }).subtypes).toEqual(new Map());
    expect(read('{"anchors":[],"subtypes":{"__proto__":"urn:b"}}').subtypes).toEqual(
      new Map([['__proto__', new Set(['urn:b'])]]),
    );
  });

  it.each([
    ['a blank of no width', 'urn:b\u200B', '"urn:b\\u200b"'],
    ['a soft hyphen', 'urn:\u00ADb', '"urn:\\u00adb"'],
    ['a no-break space behind it', 'urn:b\u00A0', '"urn:b\\u00a0"'],
    ['DEL', 'urn:b\u007F', '"urn:b\\u007f"'],
    ['a tag, which is two units', 'urn:b\u{E0041}', '"urn:b\\udb40\\udc41"'],
  ])('VP:J6 shows %s in the fault of a subtype', (_title, above, shown) => {
    expect(() => read({ anchors: [], subtypes: { 'urn:a': above } })).toThrow(shown);
  });

  it('EU:P2 VP:J6 takes subtypes from Type Metadata too, beside those that it lists', () => {
    const national = { vct: 'urn:eudi:pid:de:1', extends: 'urn:eudi:pid:1' };
    writeFileSync(path.join(folder, 'de.json'), JSON.stringify(national));
    const { subtypes, typeDocuments } = read({
      anchors: [],
      subtypes: { 'urn:eudi:pid:de:by:1': 'urn:eudi:pid:de:1', 'urn:eudi:pid:de:1': 'urn:other' },
      typeMetadata: ['de.json'],
    });
    expect(subtypes?.get('urn:eudi:pid:de:1')).toEqual(new Set(['urn:other', 'urn:eudi:pid:1']));
    expect(subtypes?.get('urn:eudi:pid:de:by:1')).toEqual(
      new Set(['urn:eudi:pid:de:1', 'urn:other', 'urn:eudi:pid:1']),
    );
    expect(typeDocuments?.get('urn:eudi:pid:de:1')).toEqual(Buffer.from(JSON.stringify(national)));
    const circle = { anchors: [], subtypes: { 'urn:eudi:pid:1': 'urn:eudi:pid:de:1' }, typeMetadata: ['de.json'] };
    expect(faultsOf(() => read(circle))).toEqual(['subtypes["urn:eudi:pid:1"]', 'subtypes["urn:eudi:pid:de:1"]']);
    const missing = { anchors: [], typeMetadata: ['de.json', 'no.json'] };
    expect(faultsOf(() => read(missing))).toEqual(['typeMetadata[1]']);
    const broken = { anchors: [], typeMetadata: ['anchors/garbage.der'] };
    expect(faultsOf(() => read(broken))).toEqual(['typeMetadata[0]']);
  });

  it('VP:D14 lists the types that may have the typ of early drafts; by default there are none', () => {
    const legacyTypes = ['urn:eudi:pid:1'];
    expect(read({ anchors: [], legacyTypes }).legacyTypes).toEqual(legacyTypes);
    expect(read({ anchors: [] }).legacyTypes).toEqual([]);
  });

  it('VP:D8 says how iss is bound', () => {
    const issuerBinding = { policy: 'allowlist', issuers: ['https://issuer.example'] };
    expect(read({ policy: 'enforce', issuerBinding, anchors: [] })).toMatchObject({
      policy: 'enforce',
      binding: issuerBinding,
    });
  });
});

describe('a trust file with a fault', () => {
  it.each([
    ['that is not JSON', '{', ['file']],
    ['that says one thing twice', '{"policy":"enforce","policy":"report","anchors":[]}', ['file']],
    [
      'with numbers that no double has',
      '{"anchors":[{"vcts":[1e999]}],"x":9007199254740993}',
      ['anchors[0].vcts[0]', 'x'],
    ],
    ['without anchors', {}, ['anchors']],
    ['with another policy', { policy: 'none', anchors: [] }, ['policy']],
    ['with a slip in a name', { polices: 'auto', anchors: [] }, ['polices']],
    ['with another extended key usage', { extendedKeyUsage: 'off', anchors: [] }, ['extendedKeyUsage']],
    ['with another binding', { issuerBinding: { policy: 'x' }, anchors: [] }, ['issuerBinding.policy']],
    [
      'with a broken address on the allow-list',
      { issuerBinding: { policy: 'allowlist', issuers: ['CN=Somebody', 'https://issuer.example/a b'] }, anchors: [] },
      ['issuerBinding.issuers[1]'],
    ],
    [
      'with an empty allow-list',
      { issuerBinding: { policy: 'allowlist', issuers: [] }, anchors: [] },
      ['issuerBinding.issuers'],
    ],
    ['with an anchor for nothing', { anchors: [{ file: 'anchors/root.pem', purposes: [] }] }, ['anchors[0].purposes']],
    ['with an anchor for no type', { anchors: [{ file: 'anchors/root.pem', vcts: [] }] }, ['anchors[0].vcts']],
    ['with a purpose that there is not', { anchors: [{ file: 'a', purposes: ['tls'] }] }, ['anchors[0].purposes[0]']],
    ['VP:J6 with a list of subtypes', { anchors: [], subtypes: [['a', 'b']] }, ['subtypes']],
    ['VP:J6 with subtypes null', { anchors: [], subtypes: null }, ['subtypes']],
    ['VP:J6 with a subtype of itself', { anchors: [], subtypes: { 'urn:a': 'urn:a' } }, ['subtypes["urn:a"]']],
    [
      'VP:J6 with subtypes in a circle',
      { anchors: [], subtypes: { 'urn:a': 'urn:b', 'urn:b': ['urn:c', 'urn:a'] } },
      ['subtypes["urn:a"]', 'subtypes["urn:b"]'],
    ],
    ['VP:J6 with a subtype of nothing', { anchors: [], subtypes: { 'urn:a': '' } }, ['subtypes["urn:a"]']],
    ['VP:J6 with a broken type', { anchors: [], subtypes: { 'https://a.example/ b': 'urn:b' } }, [expect.any(String)]],
    [
      'VP:J6 with a broken supertype',
      { anchors: [], subtypes: { 'urn:a': 'https://a.example/ b' } },
      ['subtypes["urn:a"]'],
    ],
    ['VP:D14 with legacyTypes true', { anchors: [], legacyTypes: true }, ['legacyTypes']],
    ['VP:D14 with an empty legacy type', { anchors: [], legacyTypes: [''] }, ['legacyTypes[0]']],
    ['with an anchor that is not there', { anchors: [{ file: 'anchors/no.pem' }] }, ['anchors[0].file']],
    ['with an anchor that is a folder', { anchors: [{ file: 'anchors' }] }, ['anchors[0].file']],
    ['with an anchor that is no certificate', { anchors: [{ file: 'anchors/garbage.der' }] }, ['anchors[0].file']],
    ['with an anchor that is broken PEM', { anchors: [{ file: 'anchors/broken.pem' }] }, ['anchors[0].file']],
    ['VP:N7 with an anchor that is no authority', { anchors: [{ file: 'anchors/leaf.pem' }] }, ['anchors[0].file']],
  ])('%s is refused by its place', (_title, content, paths) => {
    expect(faultsOf(() => read(content))).toEqual(paths);
  });

  it('names every anchor that is wrong', () => {
    const names = ['no.pem', 'root.pem', 'garbage.der', 'leaf.pem'];
    const anchors = names.map((name) => ({ file: `anchors/${name}` }));
    expect(faultsOf(() => read({ anchors }))).toEqual(['anchors[0].file', 'anchors[2].file', 'anchors[3].file']);
  });

  it('that is not there is refused', () => {
    expect(faultsOf(() => readTrustFile(path.join(folder, 'no.json'), reading()))).toEqual(['file']);
  });
});
