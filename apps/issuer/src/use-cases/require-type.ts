import { ProcessingFailure, type ErrorCode, type JsonObject } from '@vestibule/foundation';
import { validateClaims } from '@vestibule/oid4vci';
import type { IssuableType } from '../domain/credential-offer';

/**
 * Another replica, or this one after its next start, may know the type as the replica did that accepted the offer or its
 * claims. So these failures end no offer: the wallet may come back until its time is over.
 */
export const OTHER_TYPES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'credential_type_missing',
  'credential_type_changed',
]);

/**
 * The type of an offer. Without it, nobody knows what it demands of wallets and keys, so nothing of theirs is accepted.
 * Throws `credential_type_missing`.
 */
export function requireType(types: ReadonlyMap<string, IssuableType>, configurationId: string): IssuableType {
  const type = types.get(configurationId);
  if (type) return type;
  throw new ProcessingFailure('credential_type_missing', 'the credential type of the offer is not configured');
}

/** A credential that contradicts its type is none that a verifier takes. Throws `credential_type_changed`. */
export function requireFitting(type: IssuableType, claims: JsonObject): void {
  if (validateClaims(type, claims).length === 0) return;
  throw new ProcessingFailure('credential_type_changed', 'the claims of the offer do not fit its credential type');
}
