import {
  CONTENT_STATES,
  draftCreateBody,
  previousDraftCreateBody,
  resourceView,
  schemaCreateBody,
  schemaSlug,
  type ApiVersion,
} from '@vestibule/contracts';
import { z } from 'zod';
import {
  claimsSchema,
  claimsSchemaPatch,
  claimValues,
  metaSchema,
  metaSchemaPatch,
  plainValues,
} from './claims-description';

/*
 * The forms of bodies and answers that the contracts leave to the wallet store, for the API description alone: nothing
 * is judged by them. Tests compare them with what the wallet store accepts and returns.
 */

const url = z.string().max(2048).meta({ format: 'uri' });
const urls = z.array(url);

/** The wallet that a draft is in. */
const place = { entity_did: z.string(), wallet_did: z.string() };
/** The same in a change: it may only repeat what the draft says. */
const samePlace = z.object(place).partial().shape;

const resource = <Content extends z.ZodType>(id: string, kind: string, content: Content) =>
  resourceView.extend({ kind: resourceView.shape.kind.extend({ name: z.literal(kind) }), data: content }).meta({ id });

const published = {
  meta_schema: url.describe('Where everybody can read the schema'),
  json_ld_vocab: url.describe('Its JSON-LD context'),
  vcdm_json_schema: url.describe('Its JSON Schema (W3C vc-json-schema)'),
  type_metadata: url.describe('Its Type Metadata (SD-JWT VC)'),
};
const publishedName = { slug: schemaSlug, version: z.int().min(1) };

/** A schema; published once it has `meta_schema`. */
export const resourceSchema = resource(
  'ResourceSchema',
  'Schema',
  z.object({
    schema: claimsSchema,
    slug: publishedName.slug.optional(),
    version: publishedName.version.optional(),
    ...z.object(published).partial().shape,
  }),
);

/** A published schema in a search. */
export const resourcePublishedSchema = resource(
  'ResourcePublishedSchema',
  'PublishedSchema',
  z.object({
    schema: claimsSchema,
    ...publishedName,
    owner: z.string().describe('The DID that signed it'),
    ...published,
  }),
);

/** A credential draft. */
export const resourceDraft = resource(
  'ResourceDraft',
  'Draft',
  z.object({ ...place, meta_schema: url, json_ld_vocabs: urls, vcdm_json_schemas: urls, values: claimValues }),
);

/** The answer to `POST /drafts/{id}/issue`. */
export const resourceCredential = resource(
  'ResourceCredential',
  'Credential',
  z.object({
    state: z.enum(CONTENT_STATES),
    ...place,
    issuer_did: z.string().optional(),
    holder_did: z.string().optional(),
    types: z.array(z.string()),
    document: z.record(z.string(), z.unknown()).describe('The W3C Verifiable Credential with its proof'),
  }),
);

/** The values of an issued credential. */
export const resourceClaimValues = resource('ResourceClaimValues', 'ClaimValues', z.object({ values: claimValues }));

/** A page of a search. */
export const pageOf = (id: string, items: z.ZodType) =>
  z
    .object({ items: z.array(items), next_cursor: z.string().optional().describe('`cursor` of the next page') })
    .meta({ id });

const values = claimValues.default({});

/** Body of `POST /drafts`. */
export const draftCreateRequest = draftCreateBody
  .extend({
    data: draftCreateBody.shape.data.extend({
      values,
      meta_schema: z.union([url, metaSchema]).optional().describe('URL of a published schema, or a definition'),
      schema: metaSchema.optional().describe('A temporary schema; exactly one of schema and meta_schema is required'),
      json_ld_vocabs: urls.max(20).default([]).describe('JSON-LD contexts applied after that of the schema'),
      vcdm_json_schemas: urls.max(20).default([]).describe('JSON Schemas that replace that of the schema'),
    }),
  })
  .meta({ id: 'DraftCreateRequest' });

const dictionary = z.record(z.string(), z.string().nullable()).nullable();

/** Body of `PATCH /drafts/{id}`: null removes a member. */
export const draftUpdateRequest = z
  .strictObject({
    labels: dictionary.optional(),
    annotations: dictionary.optional(),
    data: z
      .strictObject({
        ...samePlace,
        values: z.record(z.string(), z.unknown()).optional().describe('Changes of single claims; null removes one'),
        meta_schema: z.union([url, metaSchemaPatch]).nullable().optional(),
        schema: metaSchemaPatch.nullable().optional(),
        json_ld_vocabs: urls.max(20).nullable().optional(),
        vcdm_json_schemas: urls.max(20).nullable().optional(),
      })
      .optional(),
  })
  .meta({ id: 'DraftUpdateRequest', description: 'JSON merge patch (RFC 7396) of labels, annotations and data' });

/** Body of `POST /schemas`. */
export const schemaCreateRequest = schemaCreateBody
  .extend({
    data: z
      .strictObject({
        schema: claimsSchema.optional(),
        slug: schemaSlug.optional(),
        version: z.int().min(1).max(1_000_000).optional(),
      })
      .default({}),
  })
  .meta({ id: 'SchemaCreateRequest' });

/** Body of `PATCH /schemas/{id}`: null removes a member. */
export const schemaUpdateRequest = z
  .strictObject({
    labels: dictionary.optional(),
    annotations: dictionary.optional(),
    data: z
      .strictObject({
        schema: claimsSchemaPatch.nullable().optional(),
        slug: schemaSlug.nullable().optional(),
        version: z.int().min(1).max(1_000_000).nullable().optional(),
      })
      .nullable()
      .optional(),
  })
  .meta({ id: 'SchemaUpdateRequest', description: 'JSON merge patch (RFC 7396) of labels, annotations and data' });

const previousUrl = { schema: url.describe('URL of the schema') };

/** The forms of the previous version that differ, under the names of the current one. */
const PREVIOUS_FORMS: readonly z.ZodType[] = [
  previousDraftCreateBody
    .extend({
      data: previousDraftCreateBody.shape.data.extend({
        values: plainValues.default({}),
        schema: z.union([url, metaSchema]).describe('URL of a published schema, or a definition'),
      }),
    })
    .meta({ id: 'DraftCreateRequest' }),
  z
    .strictObject({
      labels: dictionary.optional(),
      annotations: dictionary.optional(),
      data: z
        .strictObject({
          ...samePlace,
          values: z.record(z.string(), z.unknown()).optional().describe('Changes of single claims; null removes one'),
          schema: z.union([url, metaSchemaPatch]).optional(),
        })
        .optional(),
    })
    .meta({ id: 'DraftUpdateRequest', description: 'JSON merge patch (RFC 7396) of labels, annotations and data' }),
  resource('ResourceDraft', 'Draft', z.object({ ...place, ...previousUrl, values: plainValues })),
  resource('ResourceClaimValues', 'ClaimValues', z.object({ values: plainValues })),
];

/** The forms that replace those of the same name in a version. */
export const formsOf = (version: ApiVersion): readonly z.ZodType[] => (version === '0.38.2' ? PREVIOUS_FORMS : []);
