import {
  addressFaults,
  callbackUrlOf,
  credentialOfferBody,
  judge,
  type CallbackUrlFault,
  type CredentialOfferBody,
  type Hints,
} from '@vestibule/contracts';
import { createSecret, createTimedId } from '@vestibule/crypto';
import {
  answerAgain,
  ApiError,
  ownMember,
  schemeOf,
  type Clock,
  type Fault,
  type JsonObject,
  type RandomBytes,
} from '@vestibule/foundation';
import {
  createTxCode,
  credentialOfferEndpointFault,
  credentialOfferUri,
  validateClaims,
  type TxCodeRequest,
} from '@vestibule/oid4vci';
import { shortenedValidity } from '@vestibule/sd-jwt-vc';
import { sizeFault } from '../domain/answer-size';
import type { IssuableType, OpenOffer } from '../domain/credential-offer';
import type { CredentialOffers, OfferAnswer, Repeatable, Reports, SigningKeys } from '../domain/ports';
import { requireClaimsSize } from './offer-refusals';

/** Judges the addresses that a body may name. */
export interface AddressRules {
  readonly callbackUrlFault: CallbackUrlFault;
  /** The wallets to invoke where the backend names none. */
  readonly credentialOfferEndpoint: string;
}

export interface CreateCredentialOfferDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly addresses: AddressRules;
  readonly chainEndsAt: SigningKeys['chainEndsAt'];
  readonly reportShortened: Reports['reportShortened'];
  readonly insert: CredentialOffers['insert'];
  readonly recall: CredentialOffers['recall'];
}

export interface CreateCredentialOfferInput {
  readonly body: JsonObject;
  readonly idempotencyKey?: string | undefined;
}

const CONFIGURATION_ID = 'credential_configuration_id';

function refuse(faults: readonly Fault[]): never {
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the credential offer is not valid', faults });
}

/** However many there are, a message names this many. */
const MAX_NAMED_TYPES = 20;

function refuseType(types: ReadonlyMap<string, IssuableType>, others: readonly Fault[]): never {
  const known = [...types.keys()].sort();
  const named = [...known.slice(0, MAX_NAMED_TYPES), ...(known.length > MAX_NAMED_TYPES ? ['…'] : [])].join(', ');
  const fault = { path: CONFIGURATION_ID, message: `is not a credential type of this issuer, which has: ${named}` };
  const faults = [fault, ...others.filter(({ path }) => path !== CONFIGURATION_ID)];
  throw new ApiError({
    kind: 'invalid',
    code: 'unknown_credential_configuration',
    detail: `${CONFIGURATION_ID} ${fault.message}`,
    faults,
  });
}

/** Claims are checked against their type; if that is unknown, only their form can be checked. */
function faultsOf(body: JsonObject, faults: readonly Fault[], type: IssuableType | undefined): readonly Fault[] {
  if (!type) return faults;
  const claims = ownMember(body, 'claims');
  const mandatory = ownMember(body, 'deferred') === true ? 'later' : 'now';
  const claimFaults = validateClaims(type, claims === undefined ? {} : claims, mandatory);
  return [...faults.filter(({ path }) => path !== 'claims'), ...claimFaults];
}

/** What backends write beside `claims` that belongs into it, and what this service makes itself. */
function hintsOf(type: IssuableType | undefined): Hints {
  const names = [...(type?.claimTree.members.keys() ?? [])];
  const claims = names.map((name) => [name, `is not a known member here; its place is claims.${name}`]);
  const txCode = 'is made by this service and returned: leave it out';
  return { about: { ...(Object.fromEntries(claims) as Record<string, string>), tx_code_value: txCode } };
}

function parseBody(
  body: JsonObject,
  { types, addresses: { callbackUrlFault, credentialOfferEndpoint } }: CreateCredentialOfferDeps,
): { parsed: CredentialOfferBody; type: IssuableType; callbackUrl: string | undefined } {
  requireClaimsSize(body);
  const configurationId = ownMember(body, CONFIGURATION_ID);
  const type = typeof configurationId === 'string' ? types.get(configurationId) : undefined;
  const { value, faults: found } = judge(credentialOfferBody, body, hintsOf(type));
  const { callbackUrl, faults: callbackFaults } = callbackUrlOf(body, callbackUrlFault);
  const endpointFault = (text: string) => credentialOfferEndpointFault(text, [schemeOf(credentialOfferEndpoint)]);
  const faults = [
    ...faultsOf(body, found, type),
    ...addressFaults(body, 'credential_offer_endpoint', endpointFault),
    ...callbackFaults,
  ];
  if (typeof configurationId === 'string' && !type) return refuseType(types, faults);
  if (!value || !type || faults.length > 0) return refuse(faults);
  const tooLarge = sizeFault(value.claims, type);
  if (tooLarge) return refuse([tooLarge]);
  return { parsed: value, type, callbackUrl };
}

function txCodeOf(body: CredentialOfferBody): TxCodeRequest | undefined {
  if (!body.tx_code) return undefined;
  const { input_mode: inputMode, length, description } = body.tx_code;
  return { inputMode, length, ...(description === undefined ? {} : { description }) };
}

function reportShortened(
  deps: CreateCredentialOfferDeps,
  { configurationId, validitySeconds }: IssuableType,
  now: Date,
) {
  const end = shortenedValidity({ now, validitySeconds, chainEndsAt: deps.chainEndsAt() });
  if (end) deps.reportShortened(configurationId, end);
}

/**
 * A backend offers a credential: checks the claims against the type, creates the offer and, on request, a transaction
 * code, which is shown only in this answer. A repeated call is answered as before even if its body would be refused now,
 * for example because its credential type has changed. Throws `body_too_large` for claims
 * beyond 128 KiB, `unknown_credential_configuration`, `invalid_request` with every fault, `idempotency_conflict`.
 */
export function createCredentialOffer(deps: CreateCredentialOfferDeps) {
  const create = async (body: JsonObject, call: Repeatable | undefined): Promise<OfferAnswer> => {
    const now = deps.clock();
    const { parsed, type, callbackUrl } = parseBody(body, deps);
    reportShortened(deps, type, now);
    const txCode = txCodeOf(parsed);
    const txCodeValue = txCode && createTxCode(txCode, deps.random);
    const offer: OpenOffer = {
      offerId: createTimedId(now, deps.random),
      configurationId: type.configurationId,
      claims: parsed.claims,
      preAuthorizedCode: createSecret(deps.random),
      ...(txCode ? { txCode } : {}),
      ...(callbackUrl === undefined ? {} : { callbackUrl }),
      createdAt: now,
      expiresAt: new Date(now.getTime() + parsed.expires_in * 1000),
      ...(parsed.deferred ? { deferral: 'waiting' as const } : {}),
    };
    const answer: OfferAnswer = {
      offer_id: offer.offerId,
      credential_offer_uri: credentialOfferUri(
        parsed.credential_offer_endpoint ?? deps.addresses.credentialOfferEndpoint,
        type.issuer.url,
        offer.offerId,
      ),
      ...(txCodeValue === undefined ? {} : { tx_code_value: txCodeValue }),
    };
    return deps.insert(offer, txCodeValue, answer, call);
  };
  return function createCredentialOffer(input: CreateCredentialOfferInput): Promise<OfferAnswer> {
    const { body, idempotencyKey: key } = input;
    const call = key === undefined ? undefined : { key, body };
    return answerAgain(
      () => create(body, call),
      () => (call ? deps.recall(call) : Promise.resolve(undefined)),
    );
  };
}
