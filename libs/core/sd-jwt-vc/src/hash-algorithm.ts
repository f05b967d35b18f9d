import { createHash } from 'node:crypto';

const ALGORITHMS = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' } as const;

/** A hash algorithm by its IANA name ("Named Information Hash Algorithm Registry"); truncated variants are not allowed. */
export type HashAlgorithm = keyof typeof ALGORITHMS;

/** What applies where nothing is said (RFC 9901 §4.1.1, OpenID4VP 1.0 B.3.3.1). */
export const DEFAULT_HASH_ALGORITHM: HashAlgorithm = 'sha-256';

/** True for the name of a hash algorithm on the allow-list; names are case-sensitive (RFC 9901 §4.1.1). */
export function isHashAlgorithm(value: unknown): value is HashAlgorithm {
  return typeof value === 'string' && Object.hasOwn(ALGORITHMS, value);
}

/** The hash of a text's ASCII bytes, base64url without padding (RFC 9901 §4.2.3). */
export function hashBase64url(algorithm: HashAlgorithm, ascii: string): string {
  return createHash(ALGORITHMS[algorithm]).update(ascii, 'ascii').digest('base64url');
}
