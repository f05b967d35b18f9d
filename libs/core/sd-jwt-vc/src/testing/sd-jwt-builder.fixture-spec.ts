import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { parseSdJwtVc, type KeyBindingExpectation } from '../index';

/** Builds SD-JWTs, right and wrong ones, by the letter of RFC 9901 and without any code of this library. */
export const NOW = new Date('2026-03-01T12:00:00Z');
export const NOW_SECONDS = NOW.getTime() / 1000;
export const AUDIENCE = 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk';
export const NONCE = 'n-0S6_WzA2Mj';

export const issuer = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const holder = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const holderJwk = holder.publicKey.export({ format: 'jwk' });
export const strangerJwk = stranger.publicKey.export({ format: 'jwk' });

export const failsWith = (code: string) => expect.objectContaining({ code });
export const toBase64url = (value: string | Uint8Array) => Buffer.from(value).toString('base64url');
export const encodeJson = (value: unknown) => toBase64url(JSON.stringify(value));
export const hash = (ascii: string, algorithm = 'sha256') => createHash(algorithm).update(ascii).digest('base64url');
export const importKeys = (jwk: object) => ({
  privateKey: createPrivateKey({ key: { ...jwk }, format: 'jwk' }),
  publicKey: createPublicKey({ key: { ...jwk }, format: 'jwk' }),
});

let salts = 0;
export const freshSalt = () => {
  salts += 1;
  return `salt-${salts}`;
};

export interface Disclosed {
  readonly encoded: string;
  readonly digest: string;
}
/** A disclosure from its JSON text. */
export function discloseText(text: string, algorithm = 'sha256'): Disclosed {
  const encoded = toBase64url(text);
  return { encoded, digest: hash(encoded, algorithm) };
}
/** A disclosure of [salt, ...elements]. */
export const disclose = (...elements: unknown[]) => discloseText(JSON.stringify([freshSalt(), ...elements]));

export function signJws(header: object, payload: object | string, key: KeyObject = issuer.privateKey): string {
  const encodedPayload = typeof payload === 'string' ? toBase64url(payload) : encodeJson(payload);
  const input = `${encodeJson(header)}.${encodedPayload}`;
  const hashed = (header as { alg?: unknown }).alg === 'ES384' ? 'sha384' : 'sha256';
  return `${input}.${toBase64url(sign(hashed, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }))}`;
}

export const basePayload = {
  iss: 'https://issuer.example',
  iat: NOW_SECONDS - 3600,
  exp: NOW_SECONDS + 86_400,
  vct: 'urn:example:pid:1',
  cnf: { jwk: holderJwk },
};
export const baseHeader = { alg: 'ES256', typ: 'dc+sd-jwt', x5c: ['MIIB'] };

export interface Ingredients {
  /** Merged over the ordinary header; undefined removes a member. */
  readonly header?: object;
  /** Merged over the ordinary payload; a string replaces it. */
  readonly payload?: object | string;
  readonly disclosures?: readonly (Disclosed | string)[];
  readonly key?: KeyObject;
}

/** An SD-JWT without key binding. */
export function build(ingredients: Ingredients = {}): string {
  const { header = {}, payload = {}, disclosures = [], key } = ingredients;
  const claims = typeof payload === 'string' ? payload : { ...basePayload, ...payload };
  const jws = signJws({ ...baseHeader, ...header }, claims, key);
  return [jws, ...disclosures.map((item) => (typeof item === 'string' ? item : item.encoded)), ''].join('~');
}

export const parse = (ingredients: Ingredients = {}) => parseSdJwtVc(build(ingredients));

export interface KeyBindingIngredients {
  readonly header?: object;
  readonly claims?: object;
  readonly key?: KeyObject;
}

/** Appends a key binding JWT to an SD-JWT that ends with a tilde. */
export function bind(sdJwt: string, ingredients: KeyBindingIngredients = {}): string {
  const { header = {}, claims = {}, key = holder.privateKey } = ingredients;
  const ordinary = { iat: NOW_SECONDS, aud: AUDIENCE, nonce: NONCE, sd_hash: hash(sdJwt) };
  return sdJwt + signJws({ alg: 'ES256', typ: 'kb+jwt', ...header }, { ...ordinary, ...claims }, key);
}

export const expectation: KeyBindingExpectation = {
  audience: AUDIENCE,
  nonce: NONCE,
  requestedAt: new Date(NOW.getTime() - 300_000),
  now: NOW,
  skewSeconds: 60,
  transactionData: [],
};
