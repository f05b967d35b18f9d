import { createHash } from 'node:crypto';
import { SDJwtInstance, splitSdJwt } from '@sd-jwt/core';
import { compactVerify, type CryptoKey } from 'jose';
import { isJsonObject, type JsonObject } from './json';
import { WalletRefusal } from './refusal';

/** For @sd-jwt/core. */
export const hasher = (text: string | ArrayBuffer, algorithm: string): Uint8Array => {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'ascii') : Buffer.from(text);
  return new Uint8Array(createHash(algorithm.replace('-', '')).update(bytes).digest());
};

const reader = new SDJwtInstance<JsonObject>({ hasher, hashAlg: 'sha-256' });

/** The content of an SD-JWT with all of its disclosures (RFC 9901 §7.1); nothing is verified yet. */
export interface ReadSdJwt {
  readonly header: JsonObject;
  /** As signed. */
  readonly payload: JsonObject;
  /** The processed payload. */
  readonly claims: JsonObject;
  readonly disclosures: readonly string[];
}

/** Parses an issued SD-JWT; throws `credential_malformed`, also for duplicate or unreferenced disclosures. */
export async function readSdJwt(compact: string): Promise<ReadSdJwt> {
  try {
    const decoded = await reader.decode(compact);
    const claims = await reader.getClaims(compact);
    const { header, payload } = decoded.jwt ?? {};
    const { disclosures, kbJwt } = splitSdJwt(compact);
    if (!header || !payload || !isJsonObject(claims) || kbJwt || !compact.endsWith('~'))
      throw new TypeError('no SD-JWT');
    return { header, payload, claims, disclosures };
  } catch (error) {
    throw new WalletRefusal('credential_malformed', 'this is not a well-formed SD-JWT', error);
  }
}

/** Throws `credential_signature_invalid` unless the issuer-signed JWT is ES256 and signed with this key. */
export async function verifyIssuerSignature(compact: string, key: CryptoKey): Promise<void> {
  try {
    await compactVerify(splitSdJwt(compact).jwt, key, { algorithms: ['ES256'] });
  } catch (error) {
    throw new WalletRefusal('credential_signature_invalid', 'the signature does not verify with x5c[0]', error);
  }
}

/** Paths of everything that can be disclosed, parts joined with dots, in the notation of @sd-jwt/core. */
export function presentableKeys(compact: string): Promise<string[]> {
  return reader.presentableKeys(compact);
}

/** The SD-JWT with only these disclosures, without key binding (it ends with `~`). */
export async function disclose(compact: string, keys: readonly string[]): Promise<string> {
  const frame = Object.fromEntries(keys.map((key) => [key, true]));
  return reader.present(compact, frame);
}

/** Base64url digest of a presentation for the `sd_hash` of its key binding (RFC 9901 §4.3). */
export function sdHash(presentation: string, payload: JsonObject): string {
  const algorithm = typeof payload['_sd_alg'] === 'string' ? payload['_sd_alg'] : 'sha-256';
  return Buffer.from(hasher(presentation, algorithm)).toString('base64url');
}
