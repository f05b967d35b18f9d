import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createCertificateAuthority, createSelfSignedLeaf, toPem, type Authority } from '@vestibule/dev-pki';
import { printedJson } from '@vestibule/testkit';
import { parsePemCertificates, parseX5c } from '@vestibule/x509-trust';
import type { IssuableType } from '../../domain/credential-offer';
import { readAttesters, walletDemands, type WalletSettings } from '../../wallet-demands';
import type { LoadedIssuer } from '../files/type-metadata-folder';
import { ISSUER, NOW, TYPE_ID, TYPES } from '../../testing/issuer.fixture-spec';
import { createWalletKey, type WalletKey } from '../../testing/wallet.fixture-spec';
import { readAttesterTrust } from './attester-trust';

const base64 = (...certificates: Buffer[]) => certificates.map((der) => der.toString('base64'));
const later = new Date(NOW.getTime() + 400 * 86_400_000);

const OFF_CURVE = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: `${'A'.repeat(42)}E` };
const SECP256K1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ format: 'jwk' });
const P384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });

let folder: string;
let authority: Authority;
let stranger: Authority;
let key: WalletKey;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-attesters-'));
  [authority, stranger] = (await Promise.all(
    ['Wallet Providers', 'Others'].map((name) => createCertificateAuthority({ name, now: NOW })),
  )) as [Authority, Authority];
  key = await createWalletKey();
  writeFileSync(path.join(folder, 'ca.pem'), toPem(authority.certificate));
  writeFileSync(path.join(folder, 'broken.pem'), 'no certificate');
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(content: unknown): string {
  const file = path.join(folder, 'attesters.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const read = (content: unknown) =>
  readAttesterTrust(write(content), { warn: (message) => warnings.push(message) }, noLists);
const warnings: string[] = [];
const nothing = () => undefined;
const silent = { warn: () => undefined };
/** These files name no lists. */
const noLists = () => {
  throw new Error('no list is to be followed');
};
const x = (found: readonly KeyObject[] = []) => found.map((one) => one.export({ format: 'jwk' }).x);

describe('readAttesterTrust', () => {
  it('reads what docs/issuer-operations.md prints, with certificates and a key in the places of theirs', async () => {
    const files = printedJson('issuer-operations.md').filter((sample) => /"(?:walletAttestation|lists)"/.test(sample));
    expect(files).toHaveLength(2);
    for (const name of ['wallet-providers.pem', 'key-attesters.pem', 'scheme-operator.pem'])
      writeFileSync(path.join(folder, name), toPem(authority.certificate));
    const { x: left, y: right } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
      format: 'jwk',
    });
    const [trust = '', lists = ''] = files;
    const filled = trust.replace('"x": "…", "y": "…"', `"x": "${left}", "y": "${right}"`);
    expect(await read(filled)).toMatchObject({ wallets: expect.any(Function), keys: expect.any(Function) });
    const followed: unknown[] = [];
    const follow = (settings: unknown) => {
      followed.push(settings);
      throw new Error('followed');
    };
    await expect(readAttesterTrust(write(lists), silent, follow)).rejects.toThrow('followed');
    expect(followed).toMatchObject([[{ id: 'wallets' }]]);
  });

  it('VCI:C4 VCI:K3 trusts the leaf below an anchor, for what the anchor is listed for', async () => {
    const { wallets, keys } = await read({ walletAttestation: { anchors: ['ca.pem'] } });
    const leaf = await authority.issue({ name: 'Attester' });
    const found = wallets?.({ x5c: base64(leaf.certificate) }, NOW);
    expect(x(found)).toEqual(x([createPublicKey(leaf.privateKey)]));
    expect(keys).toBeUndefined();
  });

  it('VCI:C4 VCI:K3 trusts nobody else: no stranger, no header without certificates', async () => {
    const { keys } = await read({ keyAttestation: { anchors: ['ca.pem'] } });
    const foreign = await stranger.issue({ name: 'Attester' });
    expect(() => keys?.({ x5c: base64(foreign.certificate) }, NOW)).toThrow(
      expect.objectContaining({ code: 'untrusted_issuer' }),
    );
    expect(keys?.({ jwk: { ...key.jwk }, kid: 'x' }, NOW)).toEqual([]);
  });

  it.each<[string, () => Promise<Buffer[]>, Date, string]>([
    [
      'the anchor itself in x5c',
      async () => [(await authority.issue({ name: 'A' })).certificate, authority.certificate],
      NOW,
      'trust_anchor_in_x5c',
    ],
    [
      'a self-signed leaf',
      async () => [(await createSelfSignedLeaf({ name: 'A', now: NOW })).certificate],
      NOW,
      'leaf_self_signed',
    ],
    [
      'a leaf that has expired',
      async () => [(await authority.issue({ name: 'A' })).certificate],
      later,
      'certificate_expired',
    ],
  ])('VCI:K3 refuses %s', async (_what, chain, at, code) => {
    const { keys } = await read({ keyAttestation: { anchors: ['ca.pem'] } });
    const x5c = base64(...(await chain()));
    expect(() => keys?.({ x5c }, at)).toThrow(expect.objectContaining({ code }));
  });

  it('VCI:C4 VCI:K3 takes the certified key of an attester whose certificate carries another one as PEM', async () => {
    const { wallets } = await read({ walletAttestation: { anchors: ['ca.pem'] } });
    const other = await createSelfSignedLeaf({ name: 'Uncertified', now: NOW });
    const value = Buffer.from(`\n${toPem(other.certificate)}`);
    const leaf = await authority.issue({ name: 'A', extensions: [{ oid: '1.2.3', critical: false, value }] });
    const found = wallets?.({ x5c: base64(leaf.certificate) }, NOW);
    expect(x(found)).toEqual(x([createPublicKey(leaf.privateKey)]));
  });

  it('VCI:K3 VCI:C4 refuses an attester whose certificate is for TLS servers, or only reports it', async () => {
    const value = Buffer.from('300a06082b06010505070301', 'hex');
    const leaf = await authority.issue({ name: 'Host', extensions: [{ oid: '2.5.29.37', critical: false, value }] });
    const header = { x5c: base64(leaf.certificate) };
    const trust = { walletAttestation: { anchors: ['ca.pem'] }, keyAttestation: { anchors: ['ca.pem'] } };
    const { wallets, keys } = await read(trust);
    const code = 'extended_key_usage_not_allowed';
    for (const attesters of [wallets, keys]) {
      expect(() => attesters?.(header, NOW)).toThrow(expect.objectContaining({ code }));
    }
    warnings.length = 0;
    expect((await read({ ...trust, extendedKeyUsage: 'report' })).wallets?.(header, NOW)).toHaveLength(1);
    expect(warnings).toHaveLength(1);
  });

  it.each(['P-256', 'P-384', 'P-521'] as const)(
    'VCI:C3 VCI:K2 trusts an attester whose key is on %s',
    async (keyType) => {
      const { wallets, keys } = await read({
        walletAttestation: { anchors: ['ca.pem'] },
        keyAttestation: { anchors: ['ca.pem'] },
      });
      const leaf = await authority.issue({ name: 'Attester', keyType });
      for (const attesters of [wallets, keys]) {
        expect(x(attesters?.({ x5c: base64(leaf.certificate) }, NOW))).toEqual(x([createPublicKey(leaf.privateKey)]));
      }
      const listed = createPublicKey(leaf.privateKey).export({ format: 'jwk' });
      const { wallets: byKey } = await read({ walletAttestation: { keys: [listed] } });
      expect(x(byKey?.({}, NOW))).toEqual([listed.x]);
    },
  );

  it('VCI:C4 VCI:K3 trusts an authority on a list for what the list names it for, and for nothing else', async () => {
    const [certificate] = parsePemCertificates(toPem(authority.certificate));
    if (!certificate) throw new TypeError('the authority has a certificate');
    const anchors = [{ certificate, purposes: ['key_attestation' as const], list: 'list' }];
    const follow = () => ({
      anchors: () => anchors,
      isTried: () => true,
      firstEnd: nothing,
      close: async () => undefined,
    });
    const file = write({ lists: [{ id: 'list', url: 'https://lists.example/wallets', signers: ['ca.pem'] }] });
    const { wallets, keys, walletStatus, keyStatus } = await readAttesterTrust(file, silent, follow);
    const leaf = await authority.issue({ name: 'Attester' });
    const header = { x5c: base64(leaf.certificate) };
    expect(x(keys?.(header, NOW))).toEqual(x([createPublicKey(leaf.privateKey)]));
    for (const other of [wallets, walletStatus, keyStatus]) expect(other?.(header, NOW)).toEqual([]);
  });

  it('VCI:C4 VCI:K3 forgives a clock that is a minute off, in certificates too', async () => {
    const { wallets } = await read({ walletAttestation: { anchors: ['ca.pem'] } });
    const header = { x5c: base64((await authority.issue({ name: 'Attester' })).certificate) };
    const [leaf] = parseX5c(header.x5c);
    const end = leaf?.notAfter.getTime() ?? 0;
    expect(wallets?.(header, new Date(end + 60_000))).toHaveLength(1);
    expect(() => wallets?.(header, new Date(end + 61_000))).toThrow(
      expect.objectContaining({ code: 'certificate_expired' }),
    );
  });

  it('VCI:C4 takes configured keys by kid, and those without for every attestation', async () => {
    const other = await createWalletKey();
    const listed = [{ ...key.jwk, kid: 'one' }, { ...other.jwk }];
    const { wallets } = await read({ walletAttestation: { keys: listed } });
    expect(x(wallets?.({ kid: 'one' }, NOW))).toEqual([key.jwk.x, other.jwk.x]);
    expect(x(wallets?.({ kid: 'two' }, NOW))).toEqual([other.jwk.x]);
    expect(x(wallets?.({}, NOW))).toEqual([key.jwk.x, other.jwk.x]);
  });

  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'file'],
    ['a member twice', '{"keyAttestation":{"keys":[]},"keyAttestation":{"keys":[]}}', 'file'],
    ['a number that no double has', '{"keyAttestation":{"keys":[{"x":[1,1e999]}]}}', 'keyAttestation.keys[0].x[1]'],
    ['an unknown member', { wallets: {} }, 'wallets'],
    ['nobody in a list', { keyAttestation: {} }, 'keyAttestation'],
    ['a file that is not there', { keyAttestation: { anchors: ['none.pem'] } }, 'keyAttestation.anchors[0]'],
    ['a file without certificates', { keyAttestation: { anchors: ['broken.pem'] } }, 'keyAttestation.anchors[0]'],
    [
      'the signers of a list, which is not followed',
      { lists: [{ id: 'list', url: 'https://lists.example/wallets', signers: ['none.pem'] }] },
      'lists[0].signers',
    ],
    ['a point that is not on the curve', { walletAttestation: { keys: [OFF_CURVE] } }, 'walletAttestation.keys[0]'],
    ['a key on another curve', { walletAttestation: { keys: [SECP256K1] } }, 'walletAttestation.keys[0]'],
    ['a key for encryption', { walletAttestation: { keys: [{ ...P384, use: 'enc' }] } }, 'walletAttestation.keys[0]'],
    ['a private key', { walletAttestation: { keys: [{ kty: 'EC', d: 'AA' }] } }, 'walletAttestation.keys[0]'],
  ])('names the place of %s', async (_what, content, place) => {
    const faults = expect.arrayContaining([expect.objectContaining({ path: place })]) as unknown;
    await expect(read(content)).rejects.toEqual(expect.objectContaining({ code: 'attestation_trust_invalid', faults }));
  });
});

describe('walletDemands', () => {
  const settings = (changes: Partial<WalletSettings> = {}): WalletSettings => ({
    dpopNonce: 'off',
    walletAttestation: 'optional',
    attestationChallenge: 'required',
    attestationStatus: 'when-present',
    ...changes,
  });
  const missing = expect.objectContaining({ code: 'attestation_trust_missing' });
  const type = TYPES.get(TYPE_ID) as IssuableType;
  const demanding = { ...type, keyAttestation: { keyStorage: [], userAuthentication: [] } };
  const issuerWith = (changes: Partial<LoadedIssuer> = {}, ...types: IssuableType[]): LoadedIssuer => ({
    identity: ISSUER,
    attestations: undefined,
    display: [],
    issuerInfo: [],
    types: new Map(types.map((one) => [one.configurationId, one])),
    ...changes,
  });
  const demands = async (of: WalletSettings, issuer: LoadedIssuer) =>
    walletDemands(of, issuer, await readAttesters(of, silent, noLists));

  it('demands nothing by default', async () => {
    await expect(demands(settings(), issuerWith({}, type))).resolves.toEqual({
      demandsDpopNonces: false,
      clientAuthentication: { required: false, attesterKeys: undefined, challenge: 'required' },
      keyAttesters: undefined,
      attestationStatus: 'when-present',
    });
  });

  it('VCI:T17 VCI:M17 does not start where what is demanded cannot be trusted', async () => {
    const attestationTrustFile = write({ walletAttestation: { keys: [{ ...key.jwk }] } });
    await expect(demands(settings({ walletAttestation: 'required' }), issuerWith())).rejects.toEqual(missing);
    await expect(demands(settings({ attestationTrustFile }), issuerWith({}, demanding))).rejects.toEqual(missing);
    const required = settings({ walletAttestation: 'required', attestationTrustFile });
    expect((await demands(required, issuerWith())).clientAuthentication.required).toBe(true);
    const keyTrust = settings({ attestationTrustFile: write({ keyAttestation: { keys: [{ ...key.jwk }] } }) });
    expect((await demands(keyTrust, issuerWith({}, demanding))).keyAttesters).toBeDefined();
  });

  it('EU:M1 the profile eudi demands wallet attestations, and looks up every status', async () => {
    const trusted = { keys: [{ ...key.jwk }] };
    const all = write({ walletAttestation: trusted, keyAttestation: trusted });
    const off = settings({ attestationTrustFile: all, attestationStatus: 'off' });
    const identity = { ...ISSUER, profile: 'eudi' as const };
    const found = await demands(off, issuerWith({ identity }, demanding));
    expect(found.clientAuthentication).toMatchObject({ required: true, attesterKeys: expect.any(Function) as unknown });
    expect(found.attestationStatus).toBe('when-present');
    const optional = await demands(off, issuerWith({ identity, attestations: 'optional' }, demanding));
    expect(optional.clientAuthentication.required).toBe(false);
    const without = settings({ attestationTrustFile: write({ keyAttestation: trusted }) });
    await expect(demands(without, issuerWith({ identity }, demanding))).rejects.toEqual(missing);
  });

  it('an identifier whose attestations are off reads none, and can demand none', async () => {
    const trusted = { keys: [{ ...key.jwk }] };
    const all = settings({ attestationTrustFile: write({ walletAttestation: trusted, keyAttestation: trusted }) });
    const found = await demands({ ...all, walletAttestation: 'required' }, issuerWith({ attestations: 'off' }, type));
    expect(found).toMatchObject({ keyAttesters: undefined, clientAuthentication: { required: false } });
    expect(found.clientAuthentication.attesterKeys).toBeUndefined();
    await expect(demands(all, issuerWith({ attestations: 'off' }, demanding))).rejects.toEqual(missing);
    const pid = { ...type, isPid: true };
    await expect(demands(all, issuerWith({ attestations: 'off' }, pid))).rejects.toEqual(missing);
  });
});
