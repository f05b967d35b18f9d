import { z } from 'zod';
import { contract } from './contract';
import { jsonObject } from './fields';
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

const claimsSchema = jsonObject.meta({ description: 'ClaimsSchema: {fields: [{kind, value: {name, …}}]}' });

/** What a slug is; the library of claims schemas decides, and says in its own words what is wrong. */
const SLUG = {
  pattern: '^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$',
  maxLength: 64,
  description: 'Words of lower-case letters and digits joined by -',
};

/** A name of schemas, as described to callers. */
export const schemaSlug = z.string().meta(SLUG);

/** Body of `POST /schemas`; every member is optional. */
export const schemaCreateBody = z
  .strictObject({
    ...resourceMarks,
    data: z
      .strictObject({
        schema: claimsSchema.optional(),
        slug: schemaSlug.optional(),
        version: z.int().optional(),
      })
      .default({}),
  })
  .meta({ id: 'SchemaCreateRequest' });

/** Body of `PATCH /schemas/{id}/publish`. */
export const schemaPublishBody = z
  .strictObject({
    slug: schemaSlug.optional().describe(`${SLUG.description}; default: that of the definition`),
    version: z.int().min(1).optional().describe('Default: that of the definition, else 1'),
  })
  .meta({ id: 'SchemaPublishRequest' });

/** The fields by which schemas can be searched and sorted. */
const SCHEMA_FIELDS = {
  id: 'text',
  slug: 'text',
  version: 'integer',
  published: 'boolean',
  created_at: 'instant',
  modified_at: 'instant',
} as const;
export const schemaSearchBody = searchBody(SCHEMA_FIELDS, ['id', 'slug', 'version', 'created_at', 'modified_at']).meta({
  id: 'SchemaSearchRequest',
});

/** The fields by which published schemas can be searched and sorted. */
const PUBLISHED_SCHEMA_FIELDS = {
  id: 'text',
  slug: 'text',
  version: 'integer',
  owner: 'text',
  meta_schema: 'text',
  created_at: 'instant',
} as const;
export const publishedSchemaSearchBody = searchBody(PUBLISHED_SCHEMA_FIELDS, [
  'id',
  'slug',
  'version',
  'created_at',
]).meta({
  id: 'PublishedSchemaSearchRequest',
});

const schemaId = { id: z.string().max(128) };
const SIGNING_MILLISECONDS = 20_000;

/** Fails with `api_key_invalid`, `invalid_request`, `idempotency_conflict`. */
export const CreateSchema = contract(
  'wallet-store.schema.create',
  z.object({ ...asCaller, ...repeatable, ...judgedBody }),
  resourceView,
);

/** A schema in its latest revision, published or not. Fails with `api_key_invalid`, `schema_not_found`. */
export const GetSchema = contract('wallet-store.schema.get', z.object({ ...asCaller, ...schemaId }), resourceView);

/** Fails with `schema_not_found`, `schema_published`, `revision_mismatch`, `concurrent_change`, `invalid_request`. */
export const UpdateSchema = contract(
  'wallet-store.schema.update',
  z.object({ ...asCaller, ...schemaId, ...ifRevision, ...judgedBody }),
  resourceView,
);

/** Fails as {@link UpdateSchema} does, and with `schema_version_taken`, `schema_version_outdated`, `entity_not_found`. */
export const PublishSchema = contract(
  'wallet-store.schema.publish',
  z.object({ ...asCaller, ...schemaId, ...ifRevision, ...judgedBody, entityDid: z.string().max(512).optional() }),
  resourceView,
  SIGNING_MILLISECONDS,
);

/** Fails with `invalid_request`. */
export const SearchSchemas = contract(
  'wallet-store.schema.search',
  z.object({ ...asCaller, ...judgedBody }),
  resourcePage,
);

/** Fails with `invalid_request`. */
export const SearchPublishedSchemas = contract(
  'wallet-store.published-schema.search',
  z.object({ ...asCaller, ...judgedBody }),
  resourcePage,
);

/** The documents that are served for a published schema. */
export const PUBLISHED_DOCUMENTS = ['schema', 'context', 'json-schema', 'type-metadata'] as const;
export type PublishedDocument = (typeof PUBLISHED_DOCUMENTS)[number];

/** One of them, as the exact bytes to serve to anybody. Fails with `published_schema_not_found`. */
export const GetPublishedSchema = contract(
  'wallet-store.published-schema.get',
  z.object({
    tenant: z.string().max(64),
    slug: z.string().max(64),
    version: z.int().min(1),
    document: z.enum(PUBLISHED_DOCUMENTS),
  }),
  z.object({ json: z.string() }),
);
