import { createPublicKey, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { AttesterKeys } from '@vestibule/oauth';
import { ISSUER_URL, NOW } from './issuer.fixture-spec';
import { createWalletKey, type WalletKey } from './wallet.fixture-spec';

export const CLIENT_ID = 'https://wallet.example/app';
const SECONDS = Math.floor(NOW.getTime() / 1000);

type Changes = Readonly<Record<string, unknown>>;

/** A wallet provider, and one of its wallets with an attested instance key. */
export async function createAttestedWallet() {
  const [attester, instance] = [await createWalletKey(), await createWalletKey()];
  const sign = (key: WalletKey, typ: string, claims: Changes) =>
    new SignJWT({ ...claims }).setProtectedHeader({ typ, alg: 'ES256' }).sign(key.privateKey);
  const attesterKeys: AttesterKeys = () => [createPublicKey(attester.privateKey)];
  return {
    attesterKeys,
    instance,
    /** The two header values of a token request. */
    async headers(challenge: string | undefined, changes: Changes = {}, claims: Changes = {}) {
      const attested = { sub: CLIENT_ID, exp: SECONDS + 3_600, cnf: { jwk: instance.jwk }, ...claims };
      const possession = { aud: ISSUER_URL, iat: SECONDS, jti: randomUUID(), challenge, ...changes };
      return {
        clientAttestation: [await sign(attester, 'oauth-client-attestation+jwt', attested)],
        clientAttestationPop: [await sign(instance, 'oauth-client-attestation-pop+jwt', possession)],
      };
    },
    /** A key attestation for these keys. */
    attestKeys: (keys: readonly WalletKey[], claims: Changes = {}) =>
      sign(attester, 'key-attestation+jwt', {
        iat: SECONDS,
        exp: SECONDS + 3_600,
        attested_keys: keys.map(({ jwk }) => jwk),
        ...claims,
      }),
  };
}

export type AttestedWallet = Awaited<ReturnType<typeof createAttestedWallet>>;
