import { credentialOfferChange, schemaFaults, type IssuanceEvent } from '@vestibule/contracts';
import { ApiError, ownMember, type Fault, type JsonObject } from '@vestibule/foundation';
import { validateClaims } from '@vestibule/oid4vci';
import type { IssuableType } from '../domain/credential-offer';
import { failedEvent } from '../domain/issuance-event';
import { offerEnded, offerNotDeferred, offerNotFound } from './offer-refusals';
import { viewOffer, type OfferView, type ViewOfferDeps } from './read-credential-offer';

/** What has to be known of an offer before it is changed. */
export interface ChangeableOffer {
  readonly configurationId: string;
  readonly isOpen: boolean;
  readonly isDeferred: boolean;
}

export interface ChangeCredentialOfferDeps extends ViewOfferDeps {
  readonly findChangeable: (offerId: string, now: Date) => Promise<ChangeableOffer | undefined>;
  /** False when the offer ended meanwhile. */
  readonly completeClaims: (offerId: string, claims: JsonObject, now: Date) => Promise<boolean>;
  /** Ends the offer as FAILED with its event; false when it ended meanwhile. */
  readonly fail: (offerId: string, event: IssuanceEvent, now: Date) => Promise<boolean>;
}

export interface ChangeCredentialOfferInput {
  readonly offerId: string;
  readonly body: JsonObject;
}

function memberFaults(body: JsonObject): Fault[] {
  const faults = schemaFaults(credentialOfferChange.safeParse(body).error, Object.keys(credentialOfferChange.shape));
  const named = ['claims', 'status'].filter((name) => Object.hasOwn(body, name));
  return named.length === 1 ? faults : [...faults, { path: 'body', message: 'needs either claims or status' }];
}

function faultsOf(body: JsonObject, type: IssuableType | undefined): Fault[] {
  const claims = ownMember(body, 'claims');
  const faults = memberFaults(body);
  if (claims === undefined || !type) return faults;
  return [...faults.filter(({ path }) => path !== 'claims'), ...validateClaims(type, claims)];
}

/** The claims of a valid body; undefined where it denies the credential. */
function parseBody(body: JsonObject, type: IssuableType | undefined): JsonObject | undefined {
  const faults = faultsOf(body, type);
  if (faults.length > 0)
    throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the change is not valid', faults });
  return credentialOfferChange.parse(body).claims;
}

/**
 * A backend completes a deferred offer with all of its claims, as often as it likes until the credential is issued, or
 * denies it: then it ends as FAILED. Throws `credential_offer_not_found`, `credential_offer_ended`,
 * `credential_offer_not_deferred` and `invalid_request` with every fault.
 */
export const changeCredentialOffer =
  (deps: ChangeCredentialOfferDeps) =>
  async ({ offerId, body }: ChangeCredentialOfferInput): Promise<OfferView> => {
    const now = deps.clock();
    const offer = await deps.findChangeable(offerId, now);
    if (!offer) throw offerNotFound();
    if (!offer.isOpen) throw offerEnded();
    if (!offer.isDeferred) throw offerNotDeferred();
    const claims = parseBody(body, deps.types.get(offer.configurationId));
    const changed = claims
      ? await deps.completeClaims(offerId, claims, now)
      : await deps.fail(offerId, failedEvent(offerId, 'issuance_denied: the backend denied the credential'), now);
    if (!changed) throw offerEnded();
    return viewOffer(deps, offerId);
  };
