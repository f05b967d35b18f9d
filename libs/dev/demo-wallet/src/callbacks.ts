import { createHash, randomBytes } from 'node:crypto';
import {
  clientAuthenticationAnonymous,
  clientAuthenticationClientAttestationJwt,
  setGlobalConfig,
  type CallbackContext,
  type EncryptJweCallback,
  type SignJwtCallback,
  type VerifyJwtCallback,
} from '@openid4vc/oauth2';
import { base64url, CompactEncrypt, compactVerify, importJWK, type JWK } from 'jose';
import { parseX5c, publicJwkOf } from './certificate-chain';
import type { Journey } from './journey';
import { isJsonObject, patched, type JsonObject, type Patch } from './json';
import { signJwt, tampered, type JwtFault, type KeyRing } from './keys';

/** A fault in the encryption of a response; by default there is none. */
export interface JweFault {
  /** Protected header members to change (`kid`, `enc`, `alg`, `apv`, …); `undefined` removes one. */
  readonly header?: Patch;
  /** Encrypts to this public key instead of the verifier's. */
  readonly recipient?: JWK;
  /** Changes one character of the authentication tag. */
  readonly tamper?: boolean;
}

export interface CallbackOptions {
  readonly journey: Journey;
  readonly keys: KeyRing;
  readonly now: () => Date;
  /** Called for each JWT that a library signs. */
  readonly jwtFault?: (header: JsonObject) => JwtFault | undefined;
  /** Challenge for the proof of possession of a wallet attestation. */
  readonly challenge?: () => string | undefined;
  readonly clientAttestation?: string;
}

/** All cryptography that the protocol libraries leave to the application. */
export type Callbacks = Omit<CallbackContext, 'fetch'> & { readonly fetch: typeof fetch };

/** The libraries refuse http by default, process-wide; the wallet's own rule (loopback only) replaces that. */
export function allowLoopback(): void {
  setGlobalConfig({ allowInsecureUrls: true });
}

// The libraries date some JWTs with the system clock; this replaces it with the wallet's clock.
function redated(payload: JsonObject, now: Date): JsonObject {
  const iat = Math.floor(now.getTime() / 1000);
  const { iat: oldIat, exp } = payload;
  if (typeof oldIat !== 'number') return payload;
  return { ...payload, iat, ...(typeof exp === 'number' ? { exp: exp - oldIat + iat } : {}) };
}

function signing(options: CallbackOptions): SignJwtCallback {
  return async (signer, { header, payload }) => {
    if (signer.method !== 'jwk') throw new TypeError('the wallet signs with bare keys only');
    const key = await options.keys.get(signer.publicJwk);
    const challenge = header.typ === 'oauth-client-attestation-pop+jwt' ? options.challenge?.() : undefined;
    const claims = patched(redated(payload, options.now()), challenge ? { challenge } : undefined);
    const jwt = await signJwt(key, { header, payload: claims }, options.jwtFault?.(header));
    return { jwt, signerJwk: signer.publicJwk };
  };
}

const verifying: VerifyJwtCallback = async (signer, { compact }) => {
  const [leaf] = signer.method === 'x5c' ? parseX5c(signer.x5c) : [];
  const jwk = leaf ? publicJwkOf(leaf) : signer.method === 'jwk' ? signer.publicJwk : undefined;
  if (!jwk) return { verified: false };
  try {
    await compactVerify(compact, await importJWK(jwk as JWK, 'ES256'), { algorithms: ['ES256'] });
    return { verified: true, signerJwk: jwk };
  } catch {
    return { verified: false };
  }
};

const decoded = (text: string | undefined) => (text === undefined ? undefined : base64url.decode(text));

/** Encrypts a response to a verifier's key (OpenID4VP 1.0 §8.3: ECDH-ES, `kid` of the key), with a fault if given. */
export function encrypting(fault?: JweFault): EncryptJweCallback {
  return async ({ publicJwk, enc, alg, apu, apv }, plaintext) => {
    const header = patched({ alg, enc, kid: publicJwk.kid }, fault?.header);
    const recipient = await importJWK((fault?.recipient ?? publicJwk) as JWK, String(header['alg']));
    const jwe = await new CompactEncrypt(Buffer.from(plaintext))
      .setProtectedHeader({ ...header, alg: String(header['alg']), enc: String(header['enc']) })
      .setKeyManagementParameters(patched({ apu: decoded(apu), apv: decoded(apv) }, undefined))
      .encrypt(recipient);
    return { encryptionJwk: publicJwk, jwe: fault?.tamper ? tampered(jwe) : jwe };
  };
}

/** The callbacks of one journey. */
export function createCallbacks(options: CallbackOptions): Callbacks {
  const signJwtCallback = signing(options);
  const generateRandom = (length: number) => randomBytes(length);
  const attested = options.clientAttestation;
  return {
    fetch: options.journey.fetch,
    hash: (bytes, algorithm) => createHash(algorithm.replace('-', '')).update(bytes).digest(),
    generateRandom,
    signJwt: signJwtCallback,
    verifyJwt: verifying,
    encryptJwe: encrypting(),
    decryptJwe: () => ({ decrypted: false }),
    getX509CertificateMetadata: () => ({ sanDnsNames: [], sanUriNames: [] }),
    clientAuthentication: attested
      ? clientAuthenticationClientAttestationJwt({
          clientAttestationJwt: attested,
          callbacks: { signJwt: signJwtCallback, generateRandom },
        })
      : clientAuthenticationAnonymous(),
  };
}

/** Header and payload of a compact JWT, unverified; undefined if it is not a JWT. */
export function peekJwt(compact: string): { header: JsonObject; payload: JsonObject } | undefined {
  const [header, payload, signature, ...rest] = compact.split('.');
  if (!header || !payload || !signature || rest.length > 0) return undefined;
  try {
    const parse = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    const decodedHeader = parse(header);
    const decodedPayload = parse(payload);
    const whole = isJsonObject(decodedHeader) && isJsonObject(decodedPayload);
    return whole ? { header: decodedHeader, payload: decodedPayload } : undefined;
  } catch {
    return undefined;
  }
}
