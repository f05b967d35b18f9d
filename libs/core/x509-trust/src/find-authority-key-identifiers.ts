import { createHash, type KeyObject } from 'node:crypto';
import { SubjectPublicKeyInfo } from '@peculiar/asn1-x509';
import { parseDer } from './asn1';
import type { Certificate } from './certificate';
import type { TrustAnchor } from './trust-anchor';

const HASHES = ['sha1', 'sha256', 'sha384', 'sha512'];
/** 160 bits: a key could be found for a shorter identifier of somebody else. */
const LEAST_BYTES = 20;

/**
 * True if this is a hash of the key, or its beginning: of its bits (RFC 5280 §4.2.1.2 (1), RFC 7093 §2 (1) to (3)), or
 * of its SubjectPublicKeyInfo (RFC 7093 §2 (4)).
 */
function isDerivedFrom(identifier: Buffer, key: KeyObject): boolean {
  const { byteLength } = identifier;
  if (byteLength < LEAST_BYTES) return false;
  const info = key.export({ type: 'spki', format: 'der' });
  const bits = Buffer.from(parseDer(info, SubjectPublicKeyInfo).subjectPublicKey);
  return HASHES.some((hash) =>
    [bits, info].some((bytes) => createHash(hash).update(bytes).digest().subarray(0, byteLength).equals(identifier)),
  );
}

/**
 * True if this is what an anchor of the operator's own file with this key calls its key, and none there with another key does.
 * Authorities on lists are not asked: they could call their keys what an intermediate of another is called.
 */
function isOfAnchor(identifier: Buffer, key: KeyObject, anchors: readonly TrustAnchor[]): boolean {
  const named = anchors.filter(
    ({ certificate, list }) => list === undefined && certificate.subjectKeyIdentifier?.equals(identifier),
  );
  return named.length > 0 && named.every(({ certificate }) => certificate.publicKey.equals(key));
}

/**
 * AuthorityKeyIdentifier.keyIdentifier of the certificates of a chain, base64url (OpenID4VP 1.0 §6.1.1.1), as far as it
 * identifies the key that signed the certificate; `above` is the key that signed the last one. An authority can write
 * the identifier of any other into what it certifies, and into its own certificate.
 */
export function findAuthorityKeyIdentifiers(
  chain: readonly Certificate[],
  above: KeyObject,
  anchors: readonly TrustAnchor[],
): readonly string[] {
  return chain.flatMap(({ authorityKeyIdentifier: identifier }, index) => {
    const key = chain[index + 1]?.publicKey ?? above;
    const isTrue = identifier && (isOfAnchor(identifier, key, anchors) || isDerivedFrom(identifier, key));
    return isTrue ? [identifier.toString('base64url')] : [];
  });
}
