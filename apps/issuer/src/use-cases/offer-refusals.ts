import { ApiError } from '@vestibule/foundation';

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
