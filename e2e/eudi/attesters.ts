import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import type { JWK } from 'jose';
import type { Json } from './strict-judgement';
import { sign, type Algorithm, type WalletKey } from './strict-wallet';

/** Who attests: a provider with an algorithm of its own, nobody that is trusted, or one whose certificate is for TLS servers. */
export type Attester = Algorithm | 'stranger' | 'tls';

/** Wallet providers below a root that the issuer trusts, and others. */
export interface WalletProviders {
  /** For ATTESTATION_TRUST_FILE. */
  readonly trustFile: string;
  readonly folder: string;
  /** DER of the authority that all but strangers are below. */
  readonly authority: Buffer;
  attestWallet(instance: JWK, by?: Attester, claims?: Json): Promise<string>;
  attestKeys(keys: readonly JWK[], claims?: Json, by?: Attester): Promise<string>;
  /** A status list token of a provider: the status of each entry, two bits each. */
  statusList(uri: string, statuses: readonly number[], by?: Attester): Promise<string>;
  remove(): void;
}

const CURVES = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' } as const;
/** ExtKeyUsageSyntax with id-kp-serverAuth alone (RFC 5280 §4.2.1.12). */
const SERVER_ALONE = {
  oid: '2.5.29.37',
  critical: false,
  value: Buffer.from('300a06082b06010505070301', 'hex'),
};
const HOUR_SECONDS = 3_600;
const seconds = () => Math.floor(Date.now() / 1000);
/** What a wallet attests of keys in its secure cryptographic device (TS3 1.5 §2.3.2). */
const IN_DEVICE = { key_storage: ['iso_18045_high'], user_authentication: ['iso_18045_high'] };

interface Signer extends WalletKey {
  readonly x5c: readonly string[];
}

async function signerBelow(authority: Authority, alg: Algorithm, isForTls = false): Promise<Signer> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: CURVES[alg] });
  const extensions = isForTls ? { extensions: [SERVER_ALONE] } : {};
  const { certificate } = await authority.issue({ name: `Provider ${alg}`, privateKey, ...extensions });
  const key: KeyObject = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { alg, key, jwk: {}, x5c: [certificate.toString('base64')] };
}

function statusListOf(statuses: readonly number[]): string {
  const bytes = Buffer.alloc(Math.ceil(statuses.length / 4));
  for (const [idx, status] of statuses.entries())
    bytes[idx >> 2] = (bytes[idx >> 2] ?? 0) | (status << ((idx % 4) * 2));
  return deflateSync(bytes).toString('base64url');
}

/** What providers with these keys sign. */
function signing(
  signerOf: (by: Attester) => Signer,
): Omit<WalletProviders, 'trustFile' | 'folder' | 'authority' | 'remove'> {
  const attest = (by: Attester, typ: string, claims: Json) => {
    const signer = signerOf(by);
    const times = { iat: seconds(), exp: seconds() + HOUR_SECONDS };
    return sign(signer, { typ, x5c: [...signer.x5c] }, { ...times, ...claims });
  };
  return {
    attestWallet: (jwk, by = 'ES256', claims = {}) =>
      attest(by, 'oauth-client-attestation+jwt', { sub: 'https://wallet.example', cnf: { jwk }, ...claims }),
    attestKeys: (keys, claims = {}, by = 'ES256') =>
      attest(by, 'key-attestation+jwt', { attested_keys: [...keys], ...IN_DEVICE, ...claims }),
    statusList: (sub, statuses, by = 'ES256') =>
      attest(by, 'statuslist+jwt', { sub, ttl: 300, status_list: { bits: 2, lst: statusListOf(statuses) } }),
  };
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g;

/** The development wallet provider of a folder with the configuration of `npm start`. */
export function developmentProvider(folder: string): Pick<WalletProviders, 'attestWallet' | 'attestKeys'> {
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const key = createPrivateKey(read('wallet-provider-key.pem'));
  const x5c = [...read('wallet-provider.pem').matchAll(PEM_BLOCK)].map(([, body = '']) => body.replaceAll(/\s/g, ''));
  return signing(() => ({ alg: 'ES256', key, jwk: {}, x5c }));
}

export async function createWalletProviders(): Promise<WalletProviders> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-eudi-'));
  const root = await createCertificateAuthority({ name: 'Wallet Providers', now: new Date() });
  const strangers = await createCertificateAuthority({ name: 'Strangers', now: new Date() });
  const signers: Readonly<Record<Attester, Signer>> = {
    ES256: await signerBelow(root, 'ES256'),
    ES384: await signerBelow(root, 'ES384'),
    ES512: await signerBelow(root, 'ES512'),
    tls: await signerBelow(root, 'ES256', true),
    stranger: await signerBelow(strangers, 'ES256'),
  };
  const trustFile = path.join(folder, 'attesters.json');
  writeFileSync(path.join(folder, 'root.pem'), toPem(root.certificate));
  const trusted = { anchors: ['root.pem'] };
  writeFileSync(trustFile, JSON.stringify({ walletAttestation: trusted, keyAttestation: trusted }));
  return {
    ...signing((by) => signers[by]),
    trustFile,
    folder,
    authority: root.certificate,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
