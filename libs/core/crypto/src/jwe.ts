import { createDecipheriv, createECDH, createHash } from 'node:crypto';
import { joseFailure } from './failures';
import { inflateWhole } from './inflate';
import {
  CONTENT_ENCRYPTION,
  parseJwe,
  readAgreement,
  TAG_BYTES,
  type ContentEncryption,
  type DecryptedJwe,
  type ParsedJwe,
  type SenderAgreement,
} from './parse-jwe';

/** A private key that a JWE may be addressed to, by the `kid` that was published with it. */
export interface DecryptionKey {
  readonly kid: string;
  readonly privateKey: Uint8Array;
}

function lengthPrefixed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.byteLength);
  return Buffer.concat([length, bytes]);
}

/** Concat KDF with SHA-256, one round: both key sizes fit into one digest (RFC 7518 §4.6.2). */
function deriveKey(secret: Uint8Array, enc: ContentEncryption, { apu, apv }: SenderAgreement): Buffer {
  const keyBytes = CONTENT_ENCRYPTION[enc];
  const round = Buffer.from([0, 0, 0, 1]);
  const keyBits = Buffer.alloc(4);
  keyBits.writeUInt32BE(keyBytes * 8);
  const info = [lengthPrefixed(Buffer.from(enc)), lengthPrefixed(apu), lengthPrefixed(apv), keyBits];
  return createHash('sha256')
    .update(Buffer.concat([round, secret, ...info]))
    .digest()
    .subarray(0, keyBytes);
}

function agree(privateKey: Uint8Array, { peer }: SenderAgreement): Uint8Array {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  const coordinates = [peer.x, peer.y].map((value) => Buffer.from(value, 'base64url'));
  return ecdh.computeSecret(Buffer.concat([Buffer.from([4]), ...coordinates]));
}

function decrypt(jwe: ParsedJwe, key: DecryptionKey): Uint8Array {
  const agreement = readAgreement(jwe.header);
  const contentKey = deriveKey(agree(key.privateKey, agreement), jwe.enc, agreement);
  const cipher = jwe.enc === 'A128GCM' ? 'aes-128-gcm' : 'aes-256-gcm';
  const decipher = createDecipheriv(cipher, contentKey, jwe.iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(jwe.aad);
  decipher.setAuthTag(jwe.tag);
  return Buffer.concat([decipher.update(jwe.ciphertext), decipher.final()]);
}

/**
 * Decrypts a compact JWE: ECDH-ES direct key agreement on P-256 with A128GCM or A256GCM, nothing else
 * (RFC 7516 §5.2, RFC 7518 §4.6, HAIP 1.0 §5). `apu` and `apv` may hold anything. Content compressed with DEFLATE is accepted
 * if it inflates to at most `maxInflatedBytes`; by default it is refused.
 * Throws `jwe_malformed`, `jwe_algorithm_not_allowed`, `jwe_key_unknown` or `jwe_decryption_failed`.
 */
export function decryptJwe(text: string, keys: readonly DecryptionKey[], maxInflatedBytes = 0): DecryptedJwe {
  const jwe = parseJwe(text, maxInflatedBytes > 0 ? 'DEF' : 'refused');
  const key = keys.find((candidate) => candidate.kid === jwe.kid);
  if (!key) throw joseFailure('jwe_key_unknown');
  try {
    const content = decrypt(jwe, key);
    const plaintext = Object.hasOwn(jwe.header, 'zip') ? inflateWhole(content, maxInflatedBytes) : content;
    return { header: jwe.header, kid: jwe.kid, plaintext };
  } catch (error) {
    throw joseFailure('jwe_decryption_failed', undefined, error);
  }
}
