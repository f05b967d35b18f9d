import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import type { EcPublicJwk, KeyAttestation } from '@vestibule/demo-wallet';
import { SignJWT } from 'jose';

/** Somebody who attests wallets and keys, below a root of their own. */
export interface Attesters {
  /** For the issuer's ATTESTATION_TRUST_FILE. */
  readonly trustFile: string;
  /** An attestation of a wallet's instance key, by the trusted attester unless told otherwise. */
  attestWallet(instanceKey: EcPublicJwk, claims?: object, by?: 'stranger'): Promise<string>;
  /** Attests keys, at this storage level. */
  keyAttestation(proofType: KeyAttestation['proofType'], storage?: string): KeyAttestation;
  remove(): void;
}

export const WALLET_NAME = 'https://wallet.example/app';
const HOUR_SECONDS = 3_600;

interface Signer {
  readonly key: KeyObject;
  readonly x5c: readonly string[];
}

const now = () => Math.floor(Date.now() / 1000);

function sign({ key, x5c }: Signer, typ: string, claims: object): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', typ, x5c: [...x5c] }).sign(key);
}

async function createSigner(root: Awaited<ReturnType<typeof createCertificateAuthority>>): Promise<Signer> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { certificate } = await root.issue({ name: 'Attester', privateKey });
  return { key: privateKey, x5c: [certificate.toString('base64')] };
}

/** Makes attesters and the trust file that names their root. */
export async function createAttesters(): Promise<Attesters> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-attesters-'));
  const root = await createCertificateAuthority({ name: 'Wallet Providers', now: new Date() });
  const trusted = await createSigner(root);
  const stranger = await createSigner(await createCertificateAuthority({ name: 'Strangers', now: new Date() }));
  const trustFile = path.join(folder, 'attesters.json');
  writeFileSync(path.join(folder, 'root.pem'), toPem(root.certificate));
  const attesters = { anchors: ['root.pem'] };
  writeFileSync(trustFile, JSON.stringify({ walletAttestation: attesters, keyAttestation: attesters }));
  return {
    trustFile,
    attestWallet: (jwk, claims = {}, by = undefined) =>
      sign(by === 'stranger' ? stranger : trusted, 'oauth-client-attestation+jwt', {
        // Draft 07 demands it, and so does the wallet's library.
        iss: 'https://attester.example',
        sub: WALLET_NAME,
        iat: now(),
        exp: now() + HOUR_SECONDS,
        cnf: { jwk },
        ...claims,
      }),
    keyAttestation: (proofType, storage = 'iso_18045_high') => ({
      proofType,
      attest: (keys, nonce) =>
        sign(trusted, 'key-attestation+jwt', {
          iat: now(),
          exp: now() + HOUR_SECONDS,
          attested_keys: keys,
          key_storage: [storage],
          ...(nonce === undefined ? {} : { nonce }),
        }),
    }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
