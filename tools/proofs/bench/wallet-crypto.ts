import {
  createCipheriv,
  createECDH,
  createHash,
  generateKeyPairSync,
  randomBytes,
  sign,
  type ECDH,
  type KeyObject,
} from 'node:crypto';
import { compactDecrypt, importJWK } from 'jose';

/** The public members of a P-256 key. */
export interface EcJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
}

/** An ES256 key pair, with the encoded header of its JWTs. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly jwk: EcJwk;
}

/**
 * One key pair for all key agreements of a wallet, which a real wallet must never use: it saves the driver a key per
 * flow.
 */
export interface AgreementKey {
  readonly ecdh: ECDH;
  readonly jwk: EcJwk;
}

export interface Recipient {
  readonly jwk: EcJwk;
  readonly kid: string;
  readonly enc: 'A128GCM' | 'A256GCM';
}

const IV_BYTES = 12;
const COORDINATE_BYTES = 32;
const KEY_BYTES = { A128GCM: 16, A256GCM: 32 } as const;
const CIPHERS = { A128GCM: 'aes-128-gcm', A256GCM: 'aes-256-gcm' } as const;

export const encodeJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

export function createSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return { privateKey, jwk: { kty: 'EC', crv: 'P-256', x, y } };
}

/** A compact JWS with ES256 and an already encoded header. */
export function signJwt(encodedHeader: string, claims: object, key: KeyObject): string {
  const input = `${encodedHeader}.${encodeJson(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

export function createAgreementKey(): AgreementKey {
  const ecdh = createECDH('prime256v1');
  const point = ecdh.generateKeys();
  const x = point.subarray(1, 1 + COORDINATE_BYTES).toString('base64url');
  const y = point.subarray(1 + COORDINATE_BYTES).toString('base64url');
  return { ecdh, jwk: { kty: 'EC', crv: 'P-256', x, y } };
}

function lengthPrefixed(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
}

/** Concat KDF with SHA-256 and empty party information: one round is enough for both key sizes (RFC 7518 §4.6.2). */
function deriveKey(secret: Buffer, enc: Recipient['enc']): Buffer {
  const bits = Buffer.alloc(4);
  bits.writeUInt32BE(KEY_BYTES[enc] * 8);
  const info = [lengthPrefixed(enc), lengthPrefixed(''), lengthPrefixed(''), bits];
  const digest = createHash('sha256').update(Buffer.concat([Buffer.from([0, 0, 0, 1]), secret, ...info]));
  return digest.digest().subarray(0, KEY_BYTES[enc]);
}

/** A compact JWE with ECDH-ES (RFC 7518 §4.6), as a wallet sends with `direct_post.jwt`. */
export function encryptJwe(plaintext: string, { jwk, kid, enc }: Recipient, key: AgreementKey): string {
  const point = Buffer.concat([Buffer.from([4]), ...[jwk.x, jwk.y].map((value) => Buffer.from(value, 'base64url'))]);
  const contentKey = deriveKey(key.ecdh.computeSecret(point), enc);
  const header = encodeJson({ alg: 'ECDH-ES', enc, kid, epk: key.jwk });
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHERS[enc], contentKey, iv);
  cipher.setAAD(Buffer.from(header));
  const content = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return [header, '', ...[iv, content, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
}

/** Decrypts with jose what `encryptJwe` has encrypted for the public key of `key`. */
export async function decryptJwe(jwe: string, { ecdh, jwk }: AgreementKey): Promise<string> {
  const own = await importJWK({ ...jwk, d: ecdh.getPrivateKey('base64url') }, 'ECDH-ES');
  const { plaintext } = await compactDecrypt(jwe, own, { keyManagementAlgorithms: ['ECDH-ES'] });
  return Buffer.from(plaintext).toString('utf8');
}

/** The payload of a JWT, unverified: the driver is not a model for real wallets. */
export function readJwt(jwt: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(jwt.split('.', 2)[1] ?? '', 'base64url').toString('utf8')) as Record<string, unknown>;
}
