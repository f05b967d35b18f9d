import path from 'node:path';
import { exportPublicJwk } from '@vestibule/crypto';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { loadConfiguration } from '@vestibule/process';
import { readTypeMetadataFolder } from './adapters/files/type-metadata-folder';
import type { IssuerKey } from './adapters/keys/issuer-key';
import { issuerConfiguration } from './config';
import { issuerSettings } from './issuer-settings';
import { readIssuerKeyOf, withFolder } from './testing/issuer-key.fixture-spec';
import { ISSUER_URL, NOW } from './testing/issuer.fixture-spec';

const HOUR = 3_600_000;
const at = (hours: number) => new Date(NOW.getTime() + hours * HOUR);
const NO_ATTESTERS = { wallets: undefined, keys: undefined, walletStatus: undefined, keyStatus: undefined };

let authority: Authority;
beforeAll(async () => {
  authority = await createCertificateAuthority({ name: 'CA', now: at(-1_000) });
});

/** A key with a certificate for these hours, and its public key as a JWK. */
async function keyFor(from: number, to: number, by = authority, further: readonly Buffer[] = []) {
  const leaf = await by.issue({ name: 'Issuer', notBefore: at(from), notAfter: at(to) });
  const during = new Date(Math.max(at(from).getTime(), NOW.getTime()));
  const key = readIssuerKeyOf(toPem([leaf.certificate, ...further]), leaf.privateKey, to < 0 ? at(from) : during);
  return { key, x: exportPublicJwk(leaf.privateKey).x };
}

const PASS = { 'pass.json': JSON.stringify({ claims: [{ path: ['club'] }] }) };

function settingsWith(
  keys: { current: IssuerKey; retired: readonly IssuerKey[] },
  clock: () => Date = () => NOW,
  files: Readonly<Record<string, string>> = PASS,
) {
  return withFolder(files, (folder) => {
    const configuration = loadConfiguration(issuerConfiguration, {
      NATS_URL: 'nats://127.0.0.1:4222',
      DATABASE_URL: 'postgres://issuer@127.0.0.1/vestibule',
      SEALING_KEYS: Buffer.alloc(32, 7).toString('base64url'),
      CALLBACK_URL: 'http://127.0.0.1:9/callbacks',
      ISSUER_URL,
      ISSUER_CERTIFICATE_FILE: path.join(folder, 'issuer.pem'),
      ISSUER_KEY: 'not read here',
      TYPE_METADATA_FOLDER: folder,
    });
    const types = readTypeMetadataFolder(folder, ISSUER_URL);
    const logger = { warn: () => undefined };
    return issuerSettings(configuration, { types, attesters: NO_ATTESTERS, keys, clock, logger });
  });
}

describe('the settings of an issuer whose certificates change', () => {
  it('publish the keys of certificates that begin later, but none of those that have ended, so that copies have them in time', async () => {
    const [current, earlier, next, ended] = [
      await keyFor(-10, 1_000),
      await keyFor(-20, 500),
      await keyFor(5, 2_000),
      await keyFor(-30, -1),
    ];
    let now = NOW;
    const retired = [earlier.key, next.key, ended.key];
    const { identifiers } = settingsWith({ current: current.key, retired }, () => now);
    const published = () => {
      const { jwks } = JSON.parse(identifiers[0]?.documents['jwt-vc-issuer'] ?? '') as {
        jwks: { keys: { x: string }[] };
      };
      return jwks.keys.map(({ x }) => x);
    };
    expect(published()).toEqual([current.x, earlier.x, next.x]);
    now = at(600);
    expect(published()).toEqual([current.x, next.x]);
  });

  it('leave room for claims beside the chain that signs now, not that of the start', async () => {
    const below = await authority.issueAuthority({ name: 'Below', notBefore: at(-20), notAfter: at(2_000) });
    const [short, long] = [await keyFor(-10, 1_000), await keyFor(-10, 1_000, below, [below.certificate])];
    const keys: { current: IssuerKey; retired: readonly IssuerKey[] } = { current: short.key, retired: [] };
    const { types, identifiers } = settingsWith(keys);
    const rooms = () =>
      [types, identifiers[0]?.types].map((all) => all?.get('pass')?.mostClaimBytes()) as [number, number];
    const [before] = rooms();
    keys.current = long.key;
    const further = below.certificate.toString('base64').length;
    const leaves = [short, long].map(({ key }) => key.chain[0]?.der.toString('base64').length ?? 0) as [number, number];
    const expected = before - further - (leaves[1] - leaves[0]);
    expect(rooms()).toEqual([expected, expected]);
  });
});

it('an offer of a type that is not configured may be of any identifier, since replicas may differ, and one of another type of none but its own', async () => {
  const { key: current } = await keyFor(-10, 1_000);
  const issuance = { types: {}, issuers: { below: { types: { card: {} } } } };
  const files = { ...PASS, 'card.json': PASS['pass.json'], 'issuance.json': JSON.stringify(issuance) };
  const { identifiers } = settingsWith({ current, retired: [] }, () => NOW, files);
  expect(identifiers.map(({ isOwn }) => ['pass', 'card', 'gone'].map(isOwn))).toEqual([
    [true, false, true],
    [false, true, true],
  ]);
});
