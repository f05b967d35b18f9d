import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
  attestWallet(instance: JWK, by?: Attester): Promise<string>;
  attestKeys(keys: readonly JWK[], claims?: Json, by?: Attester): Promise<string>;
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
  const attest = (by: Attester, typ: string, claims: Json) =>
    sign(signers[by], { typ, x5c: [...signers[by].x5c] }, { iat: seconds(), exp: seconds() + HOUR_SECONDS, ...claims });
  return {
    trustFile,
    folder,
    attestWallet: (jwk, by = 'ES256') =>
      attest(by, 'oauth-client-attestation+jwt', { sub: 'https://wallet.example', cnf: { jwk } }),
    attestKeys: (keys, claims = {}, by = 'ES256') =>
      attest(by, 'key-attestation+jwt', { attested_keys: [...keys], ...claims }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
