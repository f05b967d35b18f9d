import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  webcrypto,
  type KeyObject,
} from 'node:crypto';
import { createEphemeralKeyPair } from '@vestibule/crypto';
import { encodeBase64url } from '@vestibule/foundation';

/** Types of keys for test certificates; all except P-256 exist to be refused or to sign a CA. */
export type KeyType = 'P-256' | 'P-384' | 'P-521' | 'secp256k1' | 'Ed25519' | 'RSA-1024' | 'RSA-2048';

/** Hashes for signatures of test certificates. */
export type SignatureHash = 'SHA-1' | 'SHA-256' | 'SHA-384';

/**
 * P-256 keys are made from raw bytes: on Node 20 `generateKeyPairSync` followed by a JWK export can deadlock in a loop.
 */
function createP256Key(): KeyObject {
  const pair = createEphemeralKeyPair(randomBytes);
  return createPrivateKey({ key: { ...pair.publicJwk, d: encodeBase64url(pair.privateKey) }, format: 'jwk' });
}

/** Creates a new private key, which is exportable. */
export function createPrivateKeyOf(type: KeyType): KeyObject {
  switch (type) {
    case 'P-256':
      return createP256Key();
    case 'P-384':
    case 'P-521':
    case 'secp256k1':
      return generateKeyPairSync('ec', { namedCurve: type }).privateKey;
    case 'Ed25519':
      return generateKeyPairSync('ed25519').privateKey;
    case 'RSA-1024':
    case 'RSA-2048':
      return generateKeyPairSync('rsa', { modulusLength: Number(type.slice(4)) }).privateKey;
  }
}

const CURVES: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** The WebCrypto name of the signature of `key` with `hash`. */
export function signingAlgorithm(key: KeyObject, hash: SignatureHash): webcrypto.Algorithm {
  if (key.asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash } as webcrypto.Algorithm;
  if (key.asymmetricKeyType === 'ed25519') return { name: 'Ed25519' };
  return { name: 'ECDSA', hash } as webcrypto.Algorithm;
}

/** The same key for WebCrypto, ready to sign; unsupported curves throw a TypeError. */
export async function toSigningKey(key: KeyObject, hash: SignatureHash): Promise<webcrypto.CryptoKey> {
  const namedCurve = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (key.asymmetricKeyType === 'ec' && !namedCurve) throw new TypeError('this curve cannot sign a certificate here');
  const algorithm = { ...signingAlgorithm(key, hash), namedCurve };
  return webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithm, true, ['sign']);
}

/** SubjectPublicKeyInfo of a key, DER. */
export function publicKeyDer(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}
