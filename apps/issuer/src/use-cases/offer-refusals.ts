import { ApiError, ownMember, type JsonObject } from '@vestibule/foundation';
import { claimsSizeFault } from '@vestibule/oid4vci';

/** No offer has this id. */
export const offerNotFound = () =>
  new ApiError({
    kind: 'not_found',
    code: 'credential_offer_not_found',
    detail: 'there is no credential offer with this id, or its retention has ended',
  });

/** The offer has ended as ISSUED, FAILED or EXPIRED, and nothing changes it any more. */
export const offerEnded = () =>
  new ApiError({
    kind: 'conflict',
    code: 'credential_offer_ended',
    detail: 'the credential offer has ended; create a new one',
  });

/** The offer was not made with `deferred: true`. */
export const offerNotDeferred = () =>
  new ApiError({
    kind: 'conflict',
    code: 'credential_offer_not_deferred',
    detail:
      'the credential offer was created with all of its claims; revoke or suspend what was issued with PATCH /offers/{offer_id}/status',
  });

/** Throws `body_too_large` for a body whose claims are larger than those of any offer; nothing else of it is judged then. */
export function requireClaimsSize(body: JsonObject): void {
  const fault = claimsSizeFault(ownMember(body, 'claims'));
  if (!fault) return;
  const detail = `${fault.path} ${fault.message}`;
  throw new ApiError({ kind: 'too_large', code: 'body_too_large', detail, faults: [fault] });
}
