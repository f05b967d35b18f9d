import { MAX_URL_LENGTH, urlFault } from '@vestibule/foundation';
import { z } from 'zod';
import { contract } from './contract';
import { DID, jsonObject } from './fields';
import {
  asCaller,
  ifRevision,
  judgedBody,
  repeatable,
  resourceMarks,
  resourcePage,
  resourceView,
  searchBody,
} from './resources';
import { statusPurpose } from './stored-credential-status';
import { CONTENT_STATES } from './wallet-store';

const url = z
  .string()
  .max(MAX_URL_LENGTH, { abort: true })
  .superRefine((text, context) => {
    const message = urlFault(text, { schemes: ['https', 'http'] });
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
const urls = z.array(url).max(20).default([]);
const values = jsonObject.default({});
const draftId = { id: z.string().max(512) };
const definition = jsonObject.meta({ description: 'MetaSchema: {schema: ClaimsSchema, slug?, version?}' });

/** Body of `POST /drafts`. */
export const draftCreateBody = z
  .strictObject({
    ...resourceMarks,
    data: z.strictObject({
      values: values.describe('Claims by name, each {kind, value}'),
      meta_schema: z.union([url, definition]).optional().describe('URL of a published schema, or a definition'),
      schema: definition.optional().describe('A temporary schema; either this or meta_schema is required'),
      json_ld_vocabs: urls.describe('JSON-LD contexts applied after that of the schema'),
      vcdm_json_schemas: urls.describe('JSON Schemas that replace that of the schema'),
    }),
  })
  .meta({ id: 'DraftCreateRequest' });

/** Body of `POST /drafts` in version 0.38. */
export const previousDraftCreateBody = z
  .strictObject({
    ...resourceMarks,
    data: z.strictObject({
      values: values.describe('Claims by name, plain'),
      schema: z.union([url, definition]).describe('URL of a published schema, or a definition'),
    }),
  })
  .meta({ id: 'PreviousDraftCreateRequest' });

/** An instant that its document can say: with years of four digits in UTC, whatever its own time zone is. */
const validity = z.iso.datetime({ offset: true }).refine((text) => {
  const year = new Date(text).getUTCFullYear();
  return !(year < 1 || year > 9999);
}, 'must be in the years 1 to 9999 in UTC');

/** Body of `POST /drafts/{id}/issue`. */
export const draftIssueBody = z
  .strictObject({
    holder_did: z
      .string()
      .max(512)
      .regex(DID, 'must be a DID, without path, query and fragment')
      .optional()
      .describe('Subject of the credential; becomes the id of credentialSubject'),
    valid_from: validity.optional().describe('Default: now. Fractions of a second are dropped'),
    valid_until: validity.optional().describe('Fractions of a second are dropped'),
    status_purposes: z
      .array(statusPurpose)
      .refine((purposes) => new Set(purposes).size === purposes.length, 'must name each purpose once')
      .optional()
      .describe('What can happen to the credential later (Bitstring Status List); default: nothing'),
  })
  .refine(({ valid_from: from = '', valid_until: until = '' }) => !(Date.parse(from) >= Date.parse(until)), {
    path: ['valid_until'],
    message: 'must be later than valid_from',
  })
  .meta({ id: 'DraftIssueRequest' });

/** The fields by which drafts can be searched and sorted. */
const DRAFT_FIELDS = {
  id: 'text',
  state: CONTENT_STATES,
  entity_did: 'text',
  wallet_did: 'text',
  type: 'text',
  created_at: 'instant',
  modified_at: 'instant',
} as const;
export const draftSearchBody = searchBody(DRAFT_FIELDS, ['id', 'created_at', 'modified_at']).meta({
  id: 'DraftSearchRequest',
});

const wallet = { entityDid: z.string().max(512).optional(), walletDid: z.string().max(512).optional() };
const SIGNING_MILLISECONDS = 20_000;

/** Fails with `api_key_invalid`, `wallet_not_found`, `invalid_request`, `idempotency_conflict`. */
export const CreateDraft = contract(
  'wallet-store.draft.create',
  z.object({ ...asCaller, ...wallet, ...repeatable, ...judgedBody }),
  resourceView,
);

/** A draft in its latest revision, in any state. Fails with `api_key_invalid`, `draft_not_found`. */
export const GetDraft = contract('wallet-store.draft.get', z.object({ ...asCaller, ...draftId }), resourceView);

/** Fails with `draft_not_found`, `transition_forbidden`, `revision_mismatch`, `concurrent_change`, `invalid_request`. */
export const UpdateDraft = contract(
  'wallet-store.draft.update',
  z.object({ ...asCaller, ...draftId, ...ifRevision, ...judgedBody }),
  resourceView,
);

/** Fails with `invalid_request`. */
export const SearchDrafts = contract(
  'wallet-store.draft.search',
  z.object({ ...asCaller, ...judgedBody }),
  resourcePage,
);

/** Fails as {@link UpdateDraft} does, and with `draft_incomplete` and the codes of W3C documents. */
export const IssueDraft = contract(
  'wallet-store.draft.issue',
  z.object({ ...asCaller, ...draftId, ...ifRevision, ...judgedBody }),
  resourceView,
  SIGNING_MILLISECONDS,
);

/** Fails as {@link UpdateDraft} does. */
export const AbandonDraft = contract(
  'wallet-store.draft.abandon',
  z.object({ ...asCaller, ...draftId, ...ifRevision }),
  resourceView,
);

/** The values from which an issued credential was made. Fails with `credential_not_found`. */
export const GetClaimValues = contract(
  'wallet-store.claim-values.get',
  z.object({ ...asCaller, ...draftId }),
  resourceView,
);
