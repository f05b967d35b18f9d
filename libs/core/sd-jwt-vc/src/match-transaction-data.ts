import { ownMember, type JsonObject } from '@vestibule/foundation';
import { sdJwtFailure } from './failures';
import { DEFAULT_HASH_ALGORITHM, hashBase64url, isHashAlgorithm, type HashAlgorithm } from './hash-algorithm';

/** One element of the request's `transaction_data` that names this credential. */
export interface RequestedTransactionData {
  /** The base64url string exactly as it was sent: its hash is over these characters. */
  readonly encoded: string;
  /** `transaction_data_hashes_alg` of the element, when it had one. */
  readonly hashAlgorithms?: readonly string[];
  /** True when the element names further credentials, of which any one may confirm it. Default: this one must. */
  readonly mayBeConfirmedElsewhere?: boolean;
}

/** What a key binding JWT confirms. */
export interface ConfirmedTransactionData {
  /** `transaction_data_hashes` as received. */
  readonly hashes: readonly string[];
  /** Positions in the given list of the elements that these hashes confirm. */
  readonly confirmed: readonly number[];
}

interface Claimed {
  readonly hashes: readonly string[];
  readonly algorithm: HashAlgorithm;
  readonly algorithmIsNamed: boolean;
}

function parseClaimed(claims: JsonObject): Claimed | undefined {
  const hashes = ownMember(claims, 'transaction_data_hashes');
  if (hashes === undefined) return undefined;
  const valid = Array.isArray(hashes) && hashes.length > 0 && hashes.every((hash) => typeof hash === 'string');
  if (!valid) throw sdJwtFailure('transaction_data_mismatch', 'transaction_data_hashes is not an array of strings');
  const named = ownMember(claims, 'transaction_data_hashes_alg');
  const algorithm = named === undefined ? DEFAULT_HASH_ALGORITHM : named;
  if (!isHashAlgorithm(algorithm)) throw sdJwtFailure('transaction_data_algorithm');
  return { hashes, algorithm, algorithmIsNamed: named !== undefined };
}

/** An algorithm that was asked for must be named; where none was asked for, SHA-256 is meant (B.3.3.1). */
function requireOfferedAlgorithm(claimed: Claimed, offered: readonly string[] | undefined): void {
  const allowed = offered
    ? claimed.algorithmIsNamed && offered.includes(claimed.algorithm)
    : claimed.algorithm === DEFAULT_HASH_ALGORITHM;
  if (!allowed) throw sdJwtFailure('transaction_data_algorithm');
}

/**
 * Decides whether the key binding JWT confirms the transaction data that was sent for this credential: one hash for
 * each element, in any order, none missing and none too many (OpenID4VP 1.0 §8.4, B.3.3.1).
 * Throws `transaction_data_missing`, `…_mismatch`, `…_algorithm` and `…_unexpected`.
 */
export function matchTransactionData(
  claims: JsonObject,
  requested: readonly RequestedTransactionData[],
): ConfirmedTransactionData | undefined {
  const claimed = parseClaimed(claims);
  if (!claimed) {
    if (requested.some((element) => !element.mayBeConfirmedElsewhere)) throw sdJwtFailure('transaction_data_missing');
    return undefined;
  }
  const unmatched = [...claimed.hashes];
  const confirmed: number[] = [];
  requested.forEach((element, index) => {
    const at = unmatched.indexOf(hashBase64url(claimed.algorithm, element.encoded));
    if (at === -1 && element.mayBeConfirmedElsewhere) return;
    requireOfferedAlgorithm(claimed, element.hashAlgorithms);
    if (at === -1) throw sdJwtFailure('transaction_data_mismatch');
    unmatched.splice(at, 1);
    confirmed.push(index);
  });
  if (unmatched.length > 0) throw sdJwtFailure('transaction_data_unexpected');
  return { hashes: claimed.hashes, confirmed };
}
