import { z } from 'zod';
import { jsonObject } from './fields';

/** A credential that passed every check, as the backend receives it. */
export const verifiedCredential = z
  .strictObject({
    issuer: z.string(),
    claims: jsonObject.meta({ type: 'object' }),
    signatureIsValid: z.boolean(),
    supportRevocation: z.boolean(),
    isRevoked: z.boolean().optional().describe('Present when supportRevocation is true'),
    supportTrustAnchor: z.boolean(),
    isTrusted: z.boolean().optional().describe('Present when supportTrustAnchor is true'),
    kbKeyId: z
      .string()
      .optional()
      .describe(
        'RFC 7638 thumbprint (with CALLBACK_DATA=minimal a pseudonym of it); absent when holder binding was not required',
      ),
    kbSignatureIsValid: z.boolean().optional().describe('Absent when holder binding was not required'),
    jti: z
      .string()
      .optional()
      .describe('Authentication code (TS12); present when the wallet confirmed a payment, an access or a mandate'),
    amr: z
      .array(z.record(z.string(), z.string()))
      .optional()
      .describe('How the user was authenticated for it: {category: method} for each factor'),
    responseMode: z.string().optional().describe('The response_mode of the request for which it was confirmed'),
  })
  .meta({ id: 'VerifiedCredential' });
export type VerifiedCredential = z.infer<typeof verifiedCredential>;

/** The same credential without flags. */
export const rawCredential = z
  .strictObject({
    claims: z.base64().describe('Padded base64 of the JSON of the processed SD-JWT payload'),
    issuer: z.string(),
    validFrom: z.iso.datetime().optional(),
    validUntil: z.iso.datetime().optional(),
    kbKeyId: z.string().optional(),
    transactionDataHashes: z.array(z.string()).min(1).optional(),
  })
  .meta({ id: 'RawCredential' });
export type RawCredential = z.infer<typeof rawCredential>;

const state = z.string();
const failure = <Status extends 'REJECTED' | 'PROCESSING_ERROR' | 'VERIFICATION_FAILED'>(status: Status) =>
  z.strictObject({ status: z.literal(status), state, errorDetails: z.string() });

/** Callback body of a verification: which members are present depends on the status alone. */
export const presentedCredentialsEvent = z
  .discriminatedUnion('status', [
    z
      .strictObject({
        status: z.literal('FULFILLED'),
        state,
        responseCode: z
          .string()
          .optional()
          .describe(
            'Set for a same-device presentation, which counts only when the browser session that began the request brings this code to redirect_uri',
          ),
        credentials: z.record(z.string(), z.array(verifiedCredential)),
        credentialsRaw: z
          .record(z.string(), z.array(rawCredential))
          .optional()
          .describe('Absent with CALLBACK_DATA=minimal'),
      })
      .meta({ id: 'FulfilledEvent' }),
    failure('REJECTED')
      .extend({
        errorDetails: z.string().describe('The error code of the wallet'),
        errorDescription: z.string().optional().describe('What the wallet wrote about it, if anything'),
      })
      .meta({ id: 'RejectedEvent' }),
    failure('PROCESSING_ERROR').meta({ id: 'ProcessingErrorEvent' }),
    failure('VERIFICATION_FAILED').meta({ id: 'VerificationFailedEvent' }),
    z.strictObject({ status: z.literal('EXPIRED'), state }).meta({ id: 'RequestExpiredEvent' }),
  ])
  .meta({ id: 'PresentedCredentialsEvent' });
export type PresentedCredentialsEvent = z.infer<typeof presentedCredentialsEvent>;

const offer = { eventId: z.string(), offerId: z.string() };

/** Callback body of an issuance. `eventId` equals `offerId`; together with `status` it identifies the event. */
export const issuanceEvent = z
  .discriminatedUnion('status', [
    z.strictObject({ ...offer, status: z.literal('OFFER_CREATED') }).meta({ id: 'OfferCreatedEvent' }),
    z.strictObject({ ...offer, status: z.literal('ISSUED') }).meta({ id: 'IssuedEvent' }),
    z
      .strictObject({ ...offer, status: z.literal('FAILED'), errorDetails: z.string() })
      .meta({ id: 'OfferFailedEvent' }),
    z.strictObject({ ...offer, status: z.literal('EXPIRED') }).meta({ id: 'OfferExpiredEvent' }),
  ])
  .meta({ id: 'IssuanceEvent' });
export type IssuanceEvent = z.infer<typeof issuanceEvent>;

/** Events that do not report an end: a 4xx response to one counts as an answer and is not retried. */
const INFORMATIONAL: ReadonlySet<string | null> = new Set<IssuanceEvent['status']>(['OFFER_CREATED']);

/** Is an event with this status only informational? */
export function isInformational(status: string | null): boolean {
  return INFORMATIONAL.has(status);
}

/** The statuses of events that are not rebuilt without their payload: it carried claims, or reported no end. */
export const NOT_REBUILT: readonly (string | null)[] = ['FULFILLED', ...INFORMATIONAL];

/** Does an event with this status report an end, and carry no claims? It can be rebuilt without its payload. */
export function canBeRebuilt(status: string): boolean {
  return !NOT_REBUILT.includes(status);
}

/** What an event can be rebuilt from once its payload is deleted. */
export interface EventRemains {
  /** The state of a presentation request, or the id of an offer. */
  readonly subject: string;
  readonly status: string | null;
  readonly errorDetails: string | undefined;
}

/**
 * Rebuilds the body of an event byte for byte, provided that it contained neither claims nor a wallet's own description
 * (`errorDescription`). Undefined if the remains are not sufficient: FULFILLED carried claims, which have been deleted.
 */
export function rebuildEvent(
  service: 'verifier' | 'issuer',
  { subject, status, errorDetails }: EventRemains,
): string | undefined {
  const details = errorDetails === undefined ? {} : { errorDetails };
  const [schema, event] =
    service === 'verifier'
      ? [presentedCredentialsEvent, { status, state: subject, ...details }]
      : [issuanceEvent, { eventId: subject, status, offerId: subject, ...details }];
  return schema.safeParse(event).success ? JSON.stringify(event) : undefined;
}
