import { credentialOfferChange, judge } from '@vestibule/contracts';
import { ApiError, isJsonObject, ownMember, type Clock, type Fault, type JsonObject } from '@vestibule/foundation';
import { validateClaims } from '@vestibule/oid4vci';
import { sizeFault } from '../domain/answer-size';
import type { IssuableType } from '../domain/credential-offer';
import { failedEvent } from '../domain/issuance-event';
import type { OfferChanges } from '../domain/ports';
import { offerEnded, offerNotDeferred, offerNotFound, requireClaimsSize } from './offer-refusals';
import type { GetCredentialOffer } from './read-credential-offer';
import { requireType } from './require-type';
import type { OfferView } from '../domain/stored-offer';

export interface ChangeCredentialOfferDeps {
  readonly clock: Clock;
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly findChangeable: OfferChanges['findChangeable'];
  readonly completeClaims: OfferChanges['completeClaims'];
  readonly deny: OfferChanges['deny'];
  readonly view: GetCredentialOffer;
}

export interface ChangeCredentialOfferInput {
  readonly offerId: string;
  readonly body: JsonObject;
}

function memberFaults(body: JsonObject): Fault[] {
  const { faults } = judge(credentialOfferChange, body);
  const named = ['claims', 'status'].filter((name) => Object.hasOwn(body, name));
  return named.length === 1 ? faults : [...faults, { path: 'body', message: 'needs either claims or status' }];
}

function faultsOf(body: JsonObject, type: IssuableType | undefined): Fault[] {
  const claims = ownMember(body, 'claims');
  const faults = memberFaults(body);
  if (claims === undefined || !type) return faults;
  const tooLarge = isJsonObject(claims) ? sizeFault(claims, type) : undefined;
  const ofClaims = tooLarge ? [tooLarge] : validateClaims(type, claims);
  return [...faults.filter(({ path }) => path !== 'claims'), ...ofClaims];
}

/** The claims of a valid body; undefined if it denies the credential. */
function parseBody(body: JsonObject, type: IssuableType | undefined): JsonObject | undefined {
  requireClaimsSize(body);
  const faults = faultsOf(body, type);
  if (faults.length > 0)
    throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the change is not valid', faults });
  return credentialOfferChange.parse(body).claims;
}

/**
 * A backend supplies all claims of a deferred offer, as often as it likes until the credential is issued, or denies it:
 * then the offer ends as FAILED. Throws `credential_offer_not_found`, `credential_offer_ended`,
 * `credential_offer_not_deferred`, `body_too_large`, `invalid_request` with every fault, and `credential_type_missing` for claims.
 */
export function changeCredentialOffer(deps: ChangeCredentialOfferDeps) {
  return async function changeCredentialOffer({ offerId, body }: ChangeCredentialOfferInput): Promise<OfferView> {
    const now = deps.clock();
    const offer = await deps.findChangeable(offerId, now);
    if (!offer) throw offerNotFound();
    if (!offer.isOpen) throw offerEnded();
    if (!offer.isDeferred) throw offerNotDeferred();
    const isDenial = ownMember(body, 'claims') === undefined;
    const claims = parseBody(body, isDenial ? undefined : requireType(deps.types, offer.configurationId));
    const changed = claims
      ? await deps.completeClaims(offerId, claims, now)
      : await deps.deny(offerId, failedEvent(offerId, 'issuance_denied', 'the backend denied the credential'), now);
    if (!changed) throw offerEnded();
    return deps.view({ offerId });
  };
}
