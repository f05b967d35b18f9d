import { createHash, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';
import { signCompactJws } from '@vestibule/crypto';
import { createPrivateKeyOf } from '@vestibule/dev-pki';
import type { JsonObject, JsonValue } from '@vestibule/foundation';

/** A signer with an X.509 chain: leaf first, DER. */
export interface Identity {
  readonly chain: readonly Uint8Array[];
  readonly key: KeyObject;
}

/** The holder that a credential is bound to. */
export interface Holder {
  readonly key: KeyObject;
  readonly jwk: JsonObject;
}

/** An SD-JWT up to its last tilde, and the holder who can bind it to a request. */
export interface Credential {
  readonly sdJwt: string;
  readonly holder: Holder;
}

const HOUR = 3_600;

export const nowSeconds = () => Math.floor(Date.now() / 1000);
const base64urlOf = (text: string) => Buffer.from(text).toString('base64url');
export const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
export const x5cOf = ({ chain }: Identity) => chain.map((der) => Buffer.from(der).toString('base64'));

export function createHolder(): Holder {
  const key = createPrivateKeyOf('P-256');
  return { key, jwk: { ...createPublicKey(key).export({ format: 'jwk' }) } as JsonObject };
}

/**
 * `[salt, name, value]`, or `[salt, value]` for an array element, encoded; the salt is short, because space is limited
 * here.
 */
export const disclosureOf = (...content: readonly JsonValue[]) =>
  base64urlOf(JSON.stringify([randomBytes(4).toString('base64url'), ...content]));

export interface CredentialOrder {
  readonly issuer: Identity;
  readonly vct: string;
  readonly holder: Holder;
  readonly claims?: JsonObject;
  /** JSON of further members, without braces: for JSON that no serializer produces, and to encode it only once. */
  readonly rawClaims?: string;
  readonly disclosures?: readonly string[];
}

/** A credential that is valid except for what the order changes. */
export function makeCredential({ issuer, vct, holder, claims = {}, rawClaims, disclosures = [] }: CredentialOrder) {
  const now = nowSeconds();
  const payload = { iat: now - HOUR, exp: now + HOUR, vct, cnf: { jwk: holder.jwk }, ...claims };
  const text = JSON.stringify(payload);
  const whole = rawClaims === undefined ? text : `${text.slice(0, -1)},${rawClaims}}`;
  const header = { alg: 'ES256', typ: 'dc+sd-jwt', x5c: x5cOf(issuer) };
  const input = `${base64urlOf(JSON.stringify(header))}.${base64urlOf(whole)}`;
  const signature = sign('sha256', Buffer.from(input), { key: issuer.key, dsaEncoding: 'ieee-p1363' });
  return { sdJwt: [`${input}.${signature.toString('base64url')}`, ...disclosures, ''].join('~'), holder };
}

/** What a presentation is bound to. */
export interface Binding {
  readonly audience: string;
  readonly nonce: string;
  /** Additional members of the key binding JWT. */
  readonly claims?: JsonObject;
}

/** The presentation: the credential with its key binding JWT (RFC 9901 §4.3). */
export function bindCredential({ sdJwt, holder }: Credential, { audience, nonce, claims = {} }: Binding): string {
  const payload = { iat: nowSeconds(), aud: audience, nonce, sd_hash: digestOf(sdJwt), ...claims };
  return `${sdJwt}${signCompactJws({ typ: 'kb+jwt' }, payload, holder.key)}`;
}
