import { z } from 'zod';
import { contract } from './contract';
import { creation, flowList, formEntries, instant, jsonObject, readiness } from './fields';

/** The two ways to take the request to the wallet: a QR code for another device, a deep link on the same one. */
export const FLOW_TYPES = ['same-device', 'cross-device'] as const;
export type FlowType = (typeof FLOW_TYPES)[number];

/** The states of a presentation request; all but PENDING are final. */
export const PRESENTATION_STATUSES = [
  'PENDING',
  'FULFILLED',
  'REJECTED',
  'EXPIRED',
  'PROCESSING_ERROR',
  'VERIFICATION_FAILED',
] as const;

/** Body of `POST /oidc4vp`. The verifier validates `dcql_query` in more depth. */
export const presentationRequestBody = z
  .strictObject({
    dcql_query: jsonObject.meta({
      description: 'DCQL query (OpenID4VP 1.0 §6) with at least one credential query of format dc+sd-jwt',
      type: 'object',
    }),
    expires_in: z.int().min(1).max(86_400).default(600).describe('Seconds until the request expires'),
    transaction_data: z
      .array(z.union([z.string(), jsonObject.meta({ type: 'object' })]))
      .min(1)
      .max(20)
      .optional()
      .describe(
        'Transaction data (OpenID4VP 1.0 §5.1): base64url strings, passed on unchanged, or objects, encoded once. Payments and other types of TS12 (`urn:eudi:sca:payment:1`) are checked against their schema',
      ),
    redirect_uri: z
      .string()
      .max(2_048)
      .optional()
      .describe(
        'Where the browser returns after a successful same-device presentation: an absolute URL (RFC 3986) in normal form, without fragment and user information. A response_code parameter is added, so it must not have one: compare it with responseCode of the event for the state in the session of this browser',
      ),
    authorization_endpoint: z
      .string()
      .max(2_048)
      .optional()
      .describe(
        'The wallet to invoke, instead of the configured one: `openid4vp://`, `haip-vp://`, `eudi-openid4vp://` or the https URL (universal link, app link) of a wallet. The URIs of the answer begin with it',
      ),
    relying_party: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe(
        'In whose name the request is made: a name in the file of relying parties, whose access certificate and registrations it gets. By default, the relying party of the installation',
      ),
    intended_use: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        'The registration that the request is made under: its `id` in the registration file, or the `intended_use_id` of its certificate. Wallets receive it in `verifier_info`. By default, the default of that file',
      ),
    callback_url: z
      .string()
      .max(2_048)
      .optional()
      .describe(
        'Receives the events of this request instead of the configured receiver: an absolute URL (RFC 3986) in normal form at an allowed origin',
      ),
  })
  .meta({ id: 'PresentationRequest' });
export type PresentationRequestBody = z.infer<typeof presentationRequestBody>;

/** Answer of `POST /oidc4vp`. */
export const presentationRequestCreated = z
  .object({
    state: z
      .string()
      .describe(
        'Correlation token: the same in the callback. Keep it in the session of the browser: wallets and onlookers see it, so it must not be enough to get a result',
      ),
    same_device_request_uri: z
      .string()
      .describe(
        'Deep link for a wallet on the same device. Set `redirect_uri`, or nothing binds the result to a browser',
      ),
    cross_device_request_uri: z
      .string()
      .describe('Show it as a QR code, if an unknown person may answer: whoever scans it need not be at the screen'),
  })
  .meta({ id: 'PresentationRequestCreated' });

/** One line of a request's decision record: which rule was checked and the result, never a claim. */
export const checkEntry = z
  .object({
    check: z.string(),
    section: z.string().describe('The rule, with its document'),
    credential: z.string().optional().describe('The id of the credential query'),
    outcome: z.enum(['passed', 'failed']),
    milliseconds: z.number(),
    surplusClaims: z.number().optional().describe('Number of disclosures that were not requested'),
    surplusCredentials: z.number().optional().describe('Number of presentations that were not requested'),
    code: z.string().optional().describe('Only for a failure'),
    remedy: z.string().optional().describe('How to fix a failure'),
    note: z
      .string()
      .optional()
      .describe('A code for something unusual about a check that passed: `status_list_past_ttl`'),
  })
  .meta({ id: 'Check' });

/** Answer of `GET /oidc4vp/{state}`: never credential data. */
export const presentationRequestView = z
  .object({
    state: z.string(),
    status: z.enum(PRESENTATION_STATUSES),
    created_at: instant,
    expires_at: instant,
    finished_at: instant.optional(),
    checks: z.array(checkEntry).optional().describe('The decision record of an answered request'),
  })
  .meta({ id: 'PresentationRequestView' });
export type PresentationRequestView = z.infer<typeof presentationRequestView>;

/** An item of `GET /oidc4vp`: without the decision record. */
export const presentationRequestItem = presentationRequestView
  .omit({ checks: true })
  .meta({ id: 'PresentationRequestItem' });
export type PresentationRequestItem = z.infer<typeof presentationRequestItem>;

const state = z.string().max(128);

/** A backend requests a presentation. Fails with `invalid_request` (every fault listed) or `idempotency_conflict`. */
export const CreatePresentationRequest = contract(
  'verifier.presentation-request.create',
  creation,
  presentationRequestCreated,
);

/** Returns a request to a backend. Fails with `presentation_request_not_found`. */
export const GetPresentationRequest = contract(
  'verifier.presentation-request.get',
  z.object({ state }),
  presentationRequestView,
);

/**
 * Lists requests to a backend, newest first; a page may have fewer items than its limit although there is a next one.
 * Fails with `invalid_request` for an invalid cursor.
 */
export const ListPresentationRequests = contract(
  'verifier.presentation-request.list',
  z.object({ status: z.enum(PRESENTATION_STATUSES).optional(), ...flowList }),
  z.object({ items: z.array(presentationRequestItem), nextCursor: z.string().optional() }),
);

/**
 * A backend withdraws an open request, which ends as EXPIRED. Fails with `presentation_request_not_found` and
 * `presentation_request_ended`.
 */
export const CancelPresentationRequest = contract(
  'verifier.presentation-request.cancel',
  z.object({ state }),
  z.object({}),
);

/** A wallet fetches the signed request object (OpenID4VP 1.0 §5.10), by GET or, with the form entries, by POST. */
export const GetRequestObject = contract(
  'verifier.request-object.get',
  z.object({ state, flowType: z.string().max(64).optional(), form: formEntries.optional() }),
  z.object({ requestObject: z.string() }),
);

/** Asked by the gateway before it reads a large body: does the request expect a response, or a repeated one? */
export const ExpectPresentation = contract(
  'verifier.presentation.expect',
  z.object({ state }),
  z.object({ expected: z.boolean() }),
  5_000,
);

/** A wallet posts its response (OpenID4VP 1.0 §8.2, §8.3.1). */
export const SubmitPresentation = contract(
  'verifier.presentation.submit',
  z.object({ state, form: formEntries }),
  z.object({ redirectUri: z.string().optional() }),
  // Longer than judging (12 s), connecting to Postgres (5 s) and a statement (3.5 s) may take together.
  30_000,
);

/** The maximum number of wallets in one report. */
export const MAX_UNSERVED = 200;
/** The maximum age of a report: longer than any request or offer lives. */
export const MAX_UNSERVED_MILLISECONDS = 90_000_000;
const millisecondsAgo = z.int().min(0).max(MAX_UNSERVED_MILLISECONDS);

/**
 * A gateway reports requests whose wallet received a 5xx, and when. Those that are open are marked; other and unknown
 * ones are ignored: a report may be repeated.
 */
export const ReportUnservedPresentations = contract(
  'verifier.unserved-wallet.report',
  z.object({ flows: z.array(z.object({ state, millisecondsAgo })).min(1).max(MAX_UNSERVED) }),
  z.object({}),
  10_000,
);

export const CheckVerifierHealth = contract('verifier.health.check', z.object({}), readiness, 2_000);
