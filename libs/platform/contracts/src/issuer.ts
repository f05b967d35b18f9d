import { z } from 'zod';
import { contract } from './contract';
import { MAX_UNSERVED, MAX_UNSERVED_MILLISECONDS } from './verifier';
import { creation, flowList, formEntries, headerValues, inAnyCase, instant, jsonObject, readiness } from './fields';

/** The states of a credential offer; all but OFFER_CREATED are final. */
export const OFFER_STATUSES = ['OFFER_CREATED', 'ISSUED', 'FAILED', 'EXPIRED'] as const;

/** Body of `POST /offers`. The claims are validated against the credential type. */
export const credentialOfferBody = z
  .strictObject({
    credential_configuration_id: z.string().min(1).max(256).describe('A credential type of this issuer'),
    claims: jsonObject
      .meta({ description: 'Claims to embed; the standard SD-JWT VC claims are added', type: 'object' })
      .default({}),
    tx_code: z
      .strictObject({
        input_mode: z.enum(['numeric', 'text']).default('numeric'),
        length: z.int().min(4).max(16).default(6).describe('Characters in the code'),
        description: z.string().min(1).max(300).optional(),
      })
      .optional()
      .describe('Requires a transaction code, which you send to the user over a different channel'),
    expires_in: z.int().min(1).max(86_400).default(300).describe('Seconds until the offer expires'),
    credential_offer_endpoint: z
      .string()
      .max(2_048)
      .optional()
      .describe(
        'The wallet to invoke, instead of the configured one: `openid-credential-offer://`, `haip-vci://` or the https URL (universal link, app link) of a wallet. `credential_offer_uri` begins with it',
      ),
    callback_url: z
      .string()
      .max(2_048)
      .optional()
      .describe(
        'Receives the events of this offer instead of the configured receiver: an absolute URL (RFC 3986) in normal form at an allowed origin',
      ),
    deferred: z
      .boolean()
      .default(false)
      .describe('You supply the claims later, with PATCH /offers/{offer_id}; mandatory ones may be missing until then'),
  })
  .meta({ id: 'CredentialOffer' });
export type CredentialOfferBody = z.infer<typeof credentialOfferBody>;

/** Answer of `POST /offers`. */
export const credentialOfferCreated = z
  .object({
    offer_id: z
      .string()
      .describe('Correlation token: offerId in the callbacks. A secret while the offer is open: it leads to the offer'),
    credential_offer_uri: z.string().describe('QR code or deep link; whoever redeems it first gets the credential'),
    tx_code_value: z.string().optional().describe('Only if a transaction code was requested'),
  })
  .meta({ id: 'CredentialOfferCreated' });

/** Body of `PATCH /offers/{offer_id}`: exactly one of its members. */
export const credentialOfferChange = z
  .strictObject({
    claims: jsonObject
      .meta({ description: 'All claims of the credential; they replace those of the offer', type: 'object' })
      .optional(),
    status: inAnyCase(['denied'], 'Ends the offer as FAILED: there will be no credential').optional(),
  })
  .meta({ id: 'CredentialOfferChange' });

/** What a wallet may report about its credentials (OpenID4VCI 1.0 §11.1). */
const notification = z.object({
  event: z.enum(['credential_accepted', 'credential_failure', 'credential_deleted']),
  received_at: instant,
});

/** What is known about the delivery of an issued credential to its wallet. */
const DELIVERY_STATES = ['unconfirmed', 'handed_over', 'repeated', 'accepted'] as const;

/** The members describe the offer as a whole, not one of its credentials: each is the first time. */
const delivery = z.object({
  state: z
    .enum(DELIVERY_STATES)
    .describe(
      'unconfirmed: it is not known that a response was sent completely. handed_over: it was. repeated: it was sent again to a wallet that asked again. accepted: the wallet says that it has the credential',
    ),
  handed_over_at: instant.optional().describe('When the response had been sent completely'),
  repeated_at: instant.optional().describe('When a repetition of the response had been sent completely'),
  accepted_at: instant.optional().describe('When the wallet sent credential_accepted'),
});

/** Answer of `GET /offers/{offer_id}`: never claims. */
export const credentialOfferView = z
  .object({
    offer_id: z.string(),
    status: z.enum(OFFER_STATUSES),
    created_at: instant,
    expires_at: instant,
    finished_at: instant.optional(),
    deferral: z
      .enum(['waiting', 'ready'])
      .optional()
      .describe('Whether the claims of an offer with deferred: true are still missing; absent if it ended without'),
    validity_shortened_to: instant
      .optional()
      .describe(
        'When the credentials expire, if the certificates of the issuer expire before the validity of the type ends',
      ),
    delivery: delivery.optional().describe('Only after ISSUED: whether the credential reached the wallet'),
    notification: notification.optional().describe('The last notification of the wallet about its credentials, if any'),
  })
  .meta({ id: 'CredentialOfferView' });

/** The name of an issuer identifier below that of the installation; absent for the installation's own. */
export const issuerName = { issuer: z.string().min(1).max(64).optional() };

const offerId = z.string().max(128);
const proofHeaders = { dpop: headerValues };
/** For the `DPoP-Nonce` header, not for the body. */
const dpopNonce = { dpop_nonce: z.string().optional() };

/** A backend offers a credential. Fails with `unknown_credential_configuration`, `invalid_request`, `idempotency_conflict`. */
export const CreateCredentialOffer = contract('issuer.credential-offer.create', creation, credentialOfferCreated);

/** Returns an offer to a backend. Fails with `credential_offer_not_found`. */
export const GetCredentialOffer = contract('issuer.credential-offer.get', z.object({ offerId }), credentialOfferView);

/**
 * Lists offers to a backend, newest first; a page may have fewer items than its limit although there is a next one.
 * Fails with `invalid_request` for an invalid cursor.
 */
export const ListCredentialOffers = contract(
  'issuer.credential-offer.list',
  z.object({ status: z.enum(OFFER_STATUSES).optional(), ...flowList }),
  z.object({ items: z.array(credentialOfferView), nextCursor: z.string().optional() }),
);

/**
 * A backend supplies the claims of a deferred offer, or denies it. Fails with `credential_offer_not_found`,
 * `credential_offer_ended`, `credential_offer_not_deferred` and `invalid_request`.
 */
export const ChangeCredentialOffer = contract(
  'issuer.credential-offer.change',
  z.object({ offerId, body: jsonObject }),
  credentialOfferView,
);

/** A backend cancels an open offer. Fails with `credential_offer_not_found` and `credential_offer_ended`. */
export const CancelCredentialOffer = contract('issuer.credential-offer.cancel', z.object({ offerId }), z.object({}));

/** A wallet fetches the offer object (OpenID4VCI 1.0 §4.1.3). */
export const GetOfferObject = contract(
  'issuer.offer-object.get',
  z.object({ ...issuerName, offerId }),
  z.object({ offer: jsonObject }),
);

/** The documents by which wallets discover the issuer. */
export const ISSUER_DOCUMENTS = ['openid-credential-issuer', 'oauth-authorization-server', 'jwt-vc-issuer'] as const;

/** One of the metadata documents, as the exact bytes to serve. */
export const GetIssuerDocument = contract(
  'issuer.document.get',
  z.object({ ...issuerName, document: z.enum(ISSUER_DOCUMENTS) }),
  z.object({ json: z.string() }),
);

/** The Credential Issuer Metadata as a signed JWT (OpenID4VCI 1.0 §12.2.3); empty if it is disabled. */
export const GetSignedMetadata = contract(
  'issuer.signed-metadata.get',
  z.object(issuerName),
  z.object({ jwt: z.string().optional() }),
);

/**
 * Type Metadata of a credential type (SD-JWT VC §6), as the exact bytes to serve. Fails with `type_metadata_not_found`.
 */
export const GetTypeMetadata = contract(
  'issuer.type-metadata.get',
  z.object({ ...issuerName, configurationId: z.string().max(256) }),
  z.object({ json: z.string() }),
);

/** A wallet exchanges the pre-authorized code (OpenID4VCI 1.0 §6). */
export const ExchangePreAuthorizedCode = contract(
  'issuer.token.issue',
  z.object({
    ...issuerName,
    form: formEntries,
    ...proofHeaders,
    authorization: headerValues.optional(),
    clientAttestation: headerValues.optional(),
    clientAttestationPop: headerValues.optional(),
  }),
  z.object({
    access_token: z.string(),
    token_type: z.literal('DPoP'),
    expires_in: z.int(),
    scope: z.string().optional(),
    authorization_details: z.array(jsonObject).optional(),
    ...dpopNonce,
  }),
);

/** A fresh c_nonce (OpenID4VCI 1.0 §7). */
export const IssueNonce = contract(
  'issuer.nonce.issue',
  z.object(issuerName),
  z.object({ c_nonce: z.string(), ...dpopNonce }),
);

/** A fresh challenge for a wallet attestation (draft 07 §8). Fails with `route_not_found` if none are required. */
export const IssueChallenge = contract(
  'issuer.challenge.issue',
  z.object(issuerName),
  z.object({ attestation_challenge: z.string() }),
);

/** A wallet's message: `body` is its JSON, absent if it could not be parsed, `jwt` the string of an encrypted one. */
const walletMessage = z.object({
  ...issuerName,
  authorization: headerValues,
  ...proofHeaders,
  body: z.unknown().optional(),
  jwt: z.string().optional(),
});

/** Identifies a response with credentials to the issuer that made it. Only for the gateway: no wallet receives it. */
const handOver = z.string().max(128);

/** Credentials, a deferral, or either encrypted for the wallet (OpenID4VCI 1.0 §8.3, §9.2, §10). */
const credentialAnswer = z.union([
  z.object({
    credentials: z.array(z.object({ credential: z.string() })),
    notification_id: z.string().optional(),
    handOver: handOver.optional(),
  }),
  z.object({ transaction_id: z.string(), interval: z.int() }),
  z.object({ jwe: z.string(), pending: z.boolean(), handOver: handOver.optional() }),
]);
export type CredentialAnswer = z.infer<typeof credentialAnswer>;

/** Set by a gateway that will report when the response was handed over. Without it, the issuer does not wait. */
const credentialMessage = walletMessage.extend({ reportsHandOver: z.boolean().optional() });

/** A wallet requests the credential (OpenID4VCI 1.0 §8). */
export const IssueCredential = contract('issuer.credential.issue', credentialMessage, credentialAnswer, 20_000);

/** A wallet requests the deferred credential (OpenID4VCI 1.0 §9). */
export const IssueDeferredCredential = contract(
  'issuer.deferred-credential.issue',
  credentialMessage,
  credentialAnswer,
  20_000,
);

/** The maximum number of responses in one report. */
export const MAX_HAND_OVERS = 500;

/**
 * A gateway reports responses with credentials whose bytes were all given to the operating system, by the names that
 * the issuer gave them. Names that are unknown, or were reported before, are ignored: a report may be repeated.
 */
export const ReportHandOvers = contract(
  'issuer.hand-over.report',
  z.object({ handOvers: z.array(handOver).min(1).max(MAX_HAND_OVERS) }),
  z.object({}),
);

/** A wallet reports what happened to its credentials (OpenID4VCI 1.0 §11). */
export const AcceptNotification = contract(
  'issuer.notification.accept',
  walletMessage.omit({ jwt: true }),
  z.object({}),
);

/** How a gateway identifies an offer: by its id, or by the SHA-256 of the code or of the access token that came. */
export const OFFER_NAMES = ['offer_id', 'code_digest', 'token_digest'] as const;

/**
 * A gateway reports offers whose wallet received a 5xx, and when. Those that are open are marked; other and unknown
 * ones are ignored: a report may be repeated.
 */
export const ReportUnservedIssuances = contract(
  'issuer.unserved-wallet.report',
  z.object({
    flows: z
      .array(
        z.object({
          by: z.enum(OFFER_NAMES),
          /** base64url */
          name: z.string().max(128),
          millisecondsAgo: z.int().min(0).max(MAX_UNSERVED_MILLISECONDS),
        }),
      )
      .min(1)
      .max(MAX_UNSERVED),
  }),
  z.object({}),
  10_000,
);

export const CheckIssuerHealth = contract('issuer.health.check', z.object({}), readiness, 2_000);
