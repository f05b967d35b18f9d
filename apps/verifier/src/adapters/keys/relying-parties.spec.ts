import { toPem } from '@vestibule/dev-pki';
import { createMetrics } from '@vestibule/process';
import { printedJson, until } from '@vestibule/testkit';
import {
  createFolder,
  createMemoryLogger,
  faultOf,
  issueFor,
  noDevice,
  type Folder,
} from '../../testing/key-files.fixture-spec';
import { registrationJwt } from '../../testing/registration.fixture-spec';
import { noLists } from '../../testing/trusted-lists.fixture-spec';
import { createWorld, failsWith, NOW, type World } from '../../testing/verifier.fixture-spec';
import { openKeys } from './open-keys';
import { readRelyingPartiesFile } from './relying-parties-file';
import { trackFiles } from '@vestibule/keys';

let world: World;
let files: Folder;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  world = await createWorld();
});
beforeEach(() => {
  files = createFolder();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  files.remove();
});

const PAIR = { certificate: 'shop.pem', key: 'shop-key.pem' };
const SHOP = { name: 'shop', accessCertificates: [PAIR] };
const write = (...relyingParties: object[]) => files.write('parties.json', JSON.stringify({ relyingParties }));

async function writePair(name: string, days: readonly [number, number] = [-1, 300]) {
  const { pem, privateKey } = await issueFor(world.pki, days);
  files.write(`${name}.pem`, pem);
  files.write(`${name}-key.pem`, toPem(privateKey));
}

async function open() {
  const own = await issueFor(world.pki, [-1, 300]);
  files.write('root.pem', toPem(world.pki.root.certificate));
  files.write('trust.json', JSON.stringify({ anchors: [{ file: 'root.pem' }] }));
  const logger = createMemoryLogger();
  const metrics = createMetrics('verifier');
  const keys = await openKeys({
    skewSeconds: 60,
    certificateFile: files.write('own.pem', own.pem),
    key: toPem(own.privateKey),
    openKey: noDevice,
    allowSelfSigned: false,
    trustFile: files.fileOf('trust.json'),
    relyingPartiesFile: files.fileOf('parties.json'),
    reloadSeconds: 0.02,
    clock: () => NOW,
    logger,
    lists: { ...noLists(), metrics },
  });
  closing.push(() => keys.close());
  const clientIdOf = (name: string) => keys.relyingParties.all().get(name)?.signers.currentClientId(NOW);
  return { ...keys, logger, metrics, clientIdOf, ownId: keys.certificate.currentClientId(NOW) };
}

describe('18.6 the relying parties of an installation', () => {
  it('EU:I1 sign with their own access certificates, or as an intermediary with those of the installation', async () => {
    await writePair('shop');
    files.write('use.jwt', registrationJwt());
    files.write('uses.json', JSON.stringify({ registrations: [{ id: 'login', certificate: 'use.jwt' }] }));
    write(
      { ...SHOP, clientName: 'Shop', logoUri: 'https://shop.example/logo.png' },
      { name: 'club', registrations: 'uses.json' },
    );
    const { relyingParties, clientIdOf, ownId } = await open();
    const { shop, club } = Object.fromEntries(relyingParties.all());
    expect(shop?.clientMetadata).toEqual({ client_name: 'Shop', logo_uri: 'https://shop.example/logo.png' });
    expect(clientIdOf('shop')).toMatch(/^x509_hash:/);
    expect(clientIdOf('shop')).not.toBe(ownId);
    expect(clientIdOf('club')).toBe(ownId);
    expect(club?.registrations.all.map(({ id }) => id)).toEqual(['login']);
    expect(shop?.signers.signerOf(clientIdOf('shop') ?? '', NOW).x5c).toHaveLength(1);
    for (const id of [ownId, 'x509_hash:other'])
      expect(() => shop?.signers.signerOf(id, NOW)).toThrow(failsWith('access_certificate_replaced'));
  });

  it('may be those that docs/relying-parties.md prints', async () => {
    await writePair('shop/2026');
    files.write('login.jwt', registrationJwt());
    const registrations = JSON.stringify({ registrations: [{ id: 'login', certificate: '../login.jwt' }] });
    for (const name of ['shop', 'club']) files.write(`${name}/registration.json`, registrations);
    files.write('parties.json', printedJson('relying-parties.md')[0] ?? '');
    const { relyingParties, clientIdOf, ownId } = await open();
    expect([...relyingParties.all().keys()]).toEqual(['shop', 'club']);
    expect([clientIdOf('shop') === ownId, clientIdOf('club') === ownId]).toEqual([false, true]);
  });

  it('follow their files, and stay as they were when these break', async () => {
    await writePair('shop');
    write(SHOP);
    const { relyingParties, clientIdOf, logger } = await open();
    const before = clientIdOf('shop');
    await writePair('shop');
    await until(() => clientIdOf('shop') !== before && clientIdOf('shop') !== undefined);
    const valid = clientIdOf('shop');
    files.write('parties.json', '{');
    await until(() => logger.levels().includes('error'));
    expect(clientIdOf('shop')).toBe(valid);
    write({ ...SHOP, name: 'store' });
    await until(() => relyingParties.all().has('store'));
    expect(relyingParties.all().has('shop')).toBe(false);
  });

  it('show when their certificates end; one that has ended stops no other', async () => {
    await writePair('shop', [-1, 5]);
    await writePair('old', [-10, -1]);
    const old = { name: 'old', accessCertificates: [{ certificate: 'old.pem', key: 'old-key.pem' }] };
    write(SHOP, old);
    const { relyingParties, clientIdOf, logger, metrics } = await open();
    expect(clientIdOf('shop')).toMatch(/^x509_hash:/);
    expect(() => clientIdOf('old')).toThrow(failsWith('signing_certificate_expired'));
    expect(relyingParties.firstEnd(NOW)).toBeUndefined();
    const name = 'vestibule_relying_party_access_certificate_expiry_timestamp_seconds';
    const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith(`${name}{`));
    expect(lines.map((line) => [line.includes('"shop"'), line.endsWith(' 0')])).toEqual([
      [true, false],
      [false, true],
    ]);
    const logged = logger.lines.map(({ level, fields }) => [level, fields['relyingParty']]);
    expect(logged).toEqual(
      expect.arrayContaining([
        ['warn', 'shop'],
        ['error', 'old'],
      ]),
    );
  });

  it.each<[string, object[], string]>([
    ['a name for metrics', [{ ...SHOP, name: 'Shop' }], 'relyingParties[0].name'],
    ['a name of its own', [SHOP, SHOP], 'relyingParties[1].name'],
    ['something of its own', [{ name: 'shop' }], 'relyingParties[0]'],
    ['files that exist', [{ name: 'a', registrations: 'none.json' }], 'relyingParties[0]'],
    [
      'the key of its certificate',
      [{ ...SHOP, accessCertificates: [{ ...PAIR, key: 'other-key.pem' }] }],
      'relyingParties[0]',
    ],
    ['a logo at an https URL', [{ ...SHOP, logoUri: 'javascript:1' }], 'relyingParties[0].logoUri'],
    ['no other member', [{ ...SHOP, clientId: 'x' }], 'relyingParties[0].clientId'],
    ['somebody', [], 'relyingParties'],
  ])('each need %s', async (_, parties, path) => {
    await writePair('shop');
    await writePair('other');
    const file = write(...parties);
    const how = { allowSelfSigned: false, openKey: noDevice };
    const context = { ...how, files: trackFiles(), now: NOW, logger: createMemoryLogger() };
    const fault = faultOf(() => readRelyingPartiesFile(file, context));
    expect([fault.code, ...fault.faults.map((one) => one.path)]).toEqual(['relying_parties_file_invalid', path]);
  });
});
