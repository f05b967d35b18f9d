import { issuanceEvent, presentedCredentialsEvent } from '@vestibule/contracts';
import { z } from 'zod';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

/** The headers of Standard Webhooks, which a callback has if the operator configured a key. */
const HEADERS = [
  header('webhook-id', 'The id of the event: the same in every attempt'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970'),
  header('webhook-signature', 'One signature for each key: `v1,<HMAC>` or `v1a,<Ed25519>`, separated by spaces'),
];

const RESPONSES = {
  '2XX': { description: 'The event is taken: it is not sent again' },
  '410': { description: 'The event is given up at once' },
  '4XX': { description: 'Tried again, except for OFFER_CREATED, which is given up unless it is 408, 425 or 429' },
  '5XX': { description: 'Tried again with back-off, by default for a day' },
};

interface Call {
  readonly id: string;
  readonly summary: string;
  readonly schema: string;
  readonly example: object;
}

const call = ({ id, summary, schema, example }: Call) => ({
  post: {
    operationId: id,
    // Generators write one class for each tag: beside calls to this listener, those would be lost.
    tags: ['Events'],
    summary,
    description:
      'Posted to the callback URL. Delivery is at least once: remove duplicates by `webhook-id`, and verify the signature over the raw body.',
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } },
    },
    responses: RESPONSES,
  },
});

const testEvent = z
  .object({ status: z.literal('TEST'), eventId: z.string().describe('Its `webhook-id`') })
  .meta({ id: 'TestEvent', description: 'Sent when an operator tests the callback URL' });

const CLAIMS = { family_name: 'Mustermann' };
const ISSUER = 'https://connector.example';
const THUMBPRINT = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';

const FULFILLED = {
  status: 'FULFILLED',
  state: 'VfIQd2nGkzqOCRAkcPDh9Q',
  credentials: {
    card: [
      {
        issuer: ISSUER,
        claims: CLAIMS,
        signatureIsValid: true,
        supportRevocation: true,
        isRevoked: false,
        supportTrustAnchor: true,
        isTrusted: true,
        kbKeyId: THUMBPRINT,
        kbSignatureIsValid: true,
      },
    ],
  },
  credentialsRaw: {
    card: [
      {
        claims: Buffer.from(JSON.stringify(CLAIMS)).toString('base64'),
        issuer: ISSUER,
        validFrom: '2026-03-01T12:00:00.000Z',
        validUntil: '2027-03-01T12:00:00.000Z',
        kbKeyId: THUMBPRINT,
      },
    ],
  },
};

const ISSUED = { eventId: 'pJ9ycDnUUZeuyYsTwhmzQA', status: 'ISSUED', offerId: 'pJ9ycDnUUZeuyYsTwhmzQA' };

/** What the backend receives. */
export const CALLBACK_DESCRIPTIONS = {
  events: [presentedCredentialsEvent, issuanceEvent, testEvent],
  calls: {
    presentedCredentials: call({
      id: 'receivePresentedCredentialsEvent',
      summary: 'How a presentation request ended',
      schema: 'PresentedCredentialsEvent',
      example: FULFILLED,
    }),
    issuance: call({
      id: 'receiveIssuanceEvent',
      summary: 'What became of a credential offer',
      schema: 'IssuanceEvent',
      example: ISSUED,
    }),
    test: call({
      id: 'receiveTestEvent',
      summary: 'A test of the callback URL',
      schema: 'TestEvent',
      example: { status: 'TEST', eventId: 'AZygtGgAVfIQd2nGkzqOCRAkcPDh9Qab' },
    }),
  },
};
