import { STATUS_INVALID, STATUS_SUSPENDED, STATUS_VALID, type StatusBits } from '@vestibule/status-list';

/** The status that a backend can set for the credentials of an offer. */
export type CredentialStatus = 'valid' | 'suspended' | 'revoked';

/** The value of each in a status list (TSL §7.1). */
export const STATUS_VALUES: Readonly<Record<CredentialStatus, number>> = {
  valid: STATUS_VALID,
  revoked: STATUS_INVALID,
  suspended: STATUS_SUSPENDED,
};

/**
 * The number of entries of a list, always the same, so that its length does not reveal how many credentials there are.
 */
export const STATUS_LIST_SIZE = 1_048_576;

/** "Suspended" needs a second bit (TSL §7.1). */
export const STATUS_LIST_BITS: StatusBits = 2;

/** A credential with a shorter validity is not worth a status lookup: no status unless its type requires one. */
export const SHORT_LIVED_SECONDS = 86_400;

/** The result of changing the status of an offer's credentials. */
export type StatusChange =
  | { readonly outcome: 'changed'; readonly credentials: number }
  | { readonly outcome: 'offer_unknown' | 'not_issued' | 'without_status' | 'already_revoked' };
