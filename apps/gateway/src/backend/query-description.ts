import { credentialOfferBody, credentialOfferChange, presentationRequestBody } from '@vestibule/contracts';
import { z } from 'zod';

/*
 * The forms of bodies that the contracts leave to the services, for the API description alone: nothing is judged by
 * them.
 */

const claimQuery = z
  .looseObject({
    id: z.string().optional().describe('Needed for claim_sets'),
    path: z
      .array(z.union([z.string(), z.int().min(0), z.null()]))
      .min(1)
      .max(16)
      .describe('Names a claim; null stands for all elements of an array, an integer for one'),
    values: z
      .array(z.union([z.string(), z.int(), z.boolean()]))
      .min(1)
      .optional()
      .describe('The claim must have one of these values'),
  })
  .meta({ id: 'ClaimsQuery' });

const credentialQuery = z
  .looseObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]+$/)
      .describe('The key of the credentials in the callback'),
    format: z.literal('dc+sd-jwt'),
    meta: z.looseObject({ vct_values: z.array(z.string()).min(1).describe('Accepted credential types') }),
    multiple: z.boolean().optional().describe('Several credentials may match; default false'),
    require_cryptographic_holder_binding: z.boolean().optional().describe('Default true: the wallet proves its key'),
    trusted_authorities: z
      .array(z.looseObject({ type: z.literal('aki'), values: z.array(z.string()).min(1) }))
      .min(1)
      .optional(),
    claims: z.array(claimQuery).min(1).optional().describe('Absent: no selectively disclosable claim'),
    claim_sets: z.array(z.array(z.string()).min(1)).min(1).optional(),
  })
  .meta({ id: 'CredentialQuery' });

const dcqlQuery = z
  .looseObject({
    credentials: z.array(credentialQuery).min(1).max(32),
    credential_sets: z
      .array(z.looseObject({ options: z.array(z.array(z.string()).min(1)).min(1), required: z.boolean().optional() }))
      .min(1)
      .optional(),
  })
  .meta({ id: 'DcqlQuery', description: 'Which credentials and claims are requested (OpenID4VP 1.0 §6)' });

const object = z.record(z.string(), z.unknown());
const claims = object.describe('Claims by name; the standard SD-JWT VC claims are added');

const transactionData = z
  .looseObject({
    type: z.string().min(1),
    credential_ids: z.array(z.string()).min(1).describe('Ids of credential queries, one of which confirms it'),
  })
  .meta({ id: 'TransactionData', description: 'Members beyond these two depend on the type' });

/** Body of `POST /oidc4vp`. */
export const presentationRequest = presentationRequestBody
  .extend({
    dcql_query: dcqlQuery,
    transaction_data: z
      .array(z.union([z.string(), transactionData]))
      .min(1)
      .max(20)
      .optional()
      .describe(
        'Transaction data (OpenID4VP 1.0 §5.1): base64url strings, passed on unchanged, or objects, encoded once',
      ),
  })
  .meta({ id: 'PresentationRequest' });

/** Body of `POST /offers`. */
export const credentialOffer = credentialOfferBody
  .extend({ claims: claims.default({}) })
  .meta({ id: 'CredentialOffer' });

/** Body of `PATCH /offers/{offer_id}`. */
export const offerChange = credentialOfferChange
  .extend({ claims: claims.optional() })
  .meta({ id: 'CredentialOfferChange', description: 'Exactly one of its members' });
