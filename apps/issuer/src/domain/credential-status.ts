import { STATUS_INVALID, STATUS_SUSPENDED, STATUS_VALID, type StatusBits } from '@vestibule/status-list';

/** What a backend can say of the credentials of an offer. */
export type CredentialStatus = 'valid' | 'suspended' | 'revoked';

/** The value of each in a status list (TSL §7.1). */
export const STATUS_VALUES: Readonly<Record<CredentialStatus, number>> = {
  valid: STATUS_VALID,
  revoked: STATUS_INVALID,
  suspended: STATUS_SUSPENDED,
};

/** Entries of a list, always the same number, so that its length says nothing about how many credentials there are. */
export const STATUS_LIST_SIZE = 1_048_576;

/** "Suspended" needs a second bit (TSL §7.1). */
export const STATUS_LIST_BITS: StatusBits = 2;

/** A credential that lives no longer is not worth a look into a list: no status unless its type says otherwise. */
export const SHORT_LIVED_SECONDS = 86_400;

/** What became of a wish to change the status of an offer's credentials. */
export type StatusChange =
  | { readonly outcome: 'changed'; readonly credentials: number }
  | { readonly outcome: 'offer_unknown' | 'not_issued' | 'without_status' | 'already_revoked' };
