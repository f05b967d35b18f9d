import { createPublicKey, type KeyObject } from 'node:crypto';
import type { SubjectPublicKeyInfo } from '@peculiar/asn1-x509';
import { encodeDer } from './asn1';
import { x509Failure } from './failures';

const RSA = '1.2.840.113549.1.1.1';
const EC = '1.2.840.10045.2.1';
/** DER of the object identifiers of P-256, P-384 and P-521, with the bytes of one coordinate (RFC 5480 §2.1.1.1). */
const COORDINATE_BYTES = new Map([
  ['06082a8648ce3d030107', 32],
  ['06052b81040022', 48],
  ['06052b81040023', 66],
]);

/** Of a key with its algorithm: those of RSA with 16,384 bits, twice what may sign. */
const MAX_BYTES = 2_400;

/** A point, uncompressed or compressed (RFC 5480 §2.2): the one at infinity, which is a single octet, is not a key. */
function isPoint(bytes: Uint8Array, coordinateBytes: number): boolean {
  const [form] = bytes;
  const { length } = bytes;
  if (form === 4) return length === 1 + 2 * coordinateBytes;
  return (form === 2 || form === 3) && length === 1 + coordinateBytes;
}

/** Throws unless OpenSSL may see this key: what it does with others ranges from guessing to ending the process. */
function requireKnownForm({ algorithm: { algorithm, parameters }, subjectPublicKey }: SubjectPublicKeyInfo): void {
  if (algorithm === RSA) {
    if (parameters === null) return;
    throw x509Failure('certificate_malformed', 'an RSA key has parameters other than NULL');
  }
  const curve = algorithm === EC && parameters ? Buffer.from(parameters).toString('hex') : '';
  const coordinateBytes = COORDINATE_BYTES.get(curve);
  if (coordinateBytes === undefined) throw x509Failure('certificate_algorithm_not_allowed');
  if (isPoint(new Uint8Array(subjectPublicKey), coordinateBytes)) return;
  throw x509Failure('certificate_malformed', 'a public key is not a point on its curve');
}

/**
 * The key of a certificate from the bytes in its signed part, imported in the only form that they may have; nothing is
 * searched for. It is RSA, or EC on P-256, P-384 or P-521, the curve given by its name: other keys never reach OpenSSL.
 * Throws `certificate_algorithm_not_allowed` for these and for one that is larger than any, and `certificate_malformed`
 * for an invalid key (RFC 5480 §2.1.1, §2.2; RFC 8017 A.1).
 */
export function importPublicKey(info: SubjectPublicKeyInfo): KeyObject {
  requireKnownForm(info);
  const key = encodeDer(info);
  if (key.byteLength > MAX_BYTES) throw x509Failure('certificate_algorithm_not_allowed', 'a public key is too long');
  try {
    return createPublicKey({ key, format: 'der', type: 'spki' });
  } catch (error) {
    throw x509Failure('certificate_malformed', 'a public key cannot be read', error);
  }
}
