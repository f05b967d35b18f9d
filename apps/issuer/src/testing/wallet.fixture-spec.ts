import { createHash, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, SignJWT, type JWK } from 'jose';
import { ISSUER_URL, NOW } from './issuer.fixture-spec';

export const TOKEN_URL = `${ISSUER_URL}/oidc4vci/token`;
export const CREDENTIAL_URL = `${ISSUER_URL}/oidc4vci/credential`;
const SECONDS = Math.floor(NOW.getTime() / 1000);

/** A key of a wallet: for DPoP, or to bind a credential to. */
export interface WalletKey {
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
  readonly thumbprint: string;
}

export async function createWalletKey(namedCurve = 'P-256'): Promise<WalletKey> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const jwk = await exportJWK(publicKey);
  return { privateKey, jwk, thumbprint: await calculateJwkThumbprint(jwk) };
}

/** Claims to change; `undefined` leaves one out. */
type Changes = Readonly<Record<string, unknown>>;

function signed(key: WalletKey, typ: string, claims: Changes, header: Changes = {}): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ typ, alg: 'ES256', jwk: key.jwk, ...header })
    .sign(key.privateKey);
}

/** A DPoP proof for the token endpoint. */
export function tokenProof(key: WalletKey, changes: Changes = {}): Promise<string> {
  return signed(key, 'dpop+jwt', { jti: randomUUID(), htm: 'POST', htu: TOKEN_URL, iat: SECONDS, ...changes });
}

/** A DPoP proof for the credential endpoint. */
export function credentialProof(key: WalletKey, accessToken: string, changes: Changes = {}): Promise<string> {
  const ath = createHash('sha256').update(accessToken, 'ascii').digest('base64url');
  return tokenProof(key, { htu: CREDENTIAL_URL, ath, ...changes });
}

/** A key proof of type `jwt`. */
export function keyProof(key: WalletKey, nonce: string, changes: Changes = {}, header: Changes = {}): Promise<string> {
  return signed(key, 'openid4vci-proof+jwt', { aud: ISSUER_URL, iat: SECONDS, nonce, ...changes }, header);
}

/** The same text with another signature. */
export function withBrokenSignature(jwt: string): string {
  const at = jwt.lastIndexOf('.') + 10;
  return `${jwt.slice(0, at)}${jwt[at] === 'A' ? 'B' : 'A'}${jwt.slice(at + 1)}`;
}
