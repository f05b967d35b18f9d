import {
  jsonLdContext,
  jsonSchema,
  namingFaults,
  parsePublication,
  sdJwtTypeMetadata,
  typeNameOf,
} from '@vestibule/claims-schema';
import type { PublishedDocument, ResourceView } from '@vestibule/contracts';
import { ApiError, type JsonObject } from '@vestibule/foundation';
import { isSameDefinition, type PublishedSchema, type SchemaRecord } from '../domain/claims-schemas';
import type { Schemas } from '../domain/ports';
import type { TenantId } from '../domain/records';
import { refuseFaults } from '../domain/resources';
import { publishedUrl, type PublishedName } from '../domain/schema-addresses';
import { authenticate } from './authenticate';
import type { SignPublishedSchema } from './sign-published-schema';
import { changedMeanwhile, schemaToChange, schemaView, type Caller, type ChangeSchemaDeps } from './write-schema';

export interface PublishSchemaDeps extends ChangeSchemaDeps {
  readonly findPublished: Schemas['findPublished'];
  readonly publishSchema: Schemas['publishSchema'];
  readonly sign: SignPublishedSchema;
}

export interface PublishSchemaInput extends Caller {
  readonly id: string;
  readonly body: JsonObject;
  readonly ifRevision?: number | undefined;
  /** The signing entity; by default the entity of the default wallet. */
  readonly entityDid?: string | undefined;
}

/** The documents that are derived from a published schema, by their kind. */
export function derivedDocument(
  baseUrl: string,
  { definition, document, ...name }: PublishedSchema,
  wanted: PublishedDocument,
): JsonObject {
  const { schema } = definition;
  const title = typeNameOf(name.slug);
  const url = (part: PublishedDocument) => publishedUrl(baseUrl, name, part);
  switch (wanted) {
    case 'schema':
      return document;
    case 'context':
      return jsonLdContext(schema, { vocabulary: `${url('schema')}#`, slug: name.slug });
    case 'json-schema':
      return jsonSchema(schema, { id: url('json-schema'), title });
    case 'type-metadata':
      return sdJwtTypeMetadata(schema, { vct: url('type-metadata'), title });
  }
}

function taken(): ApiError {
  const detail = 'another schema is published under this slug and version; publish yours under a new version';
  return new ApiError({ kind: 'conflict', code: 'schema_version_taken', detail });
}

function outdated(): ApiError {
  const detail = 'a higher version is published under this slug; publish under a version above it';
  return new ApiError({ kind: 'conflict', code: 'schema_version_outdated', detail });
}

/** Is it already published under this name? Throws `schema_published` if it has another name. */
function isPublishedAs({ published }: SchemaRecord, { slug, version }: PublishedName): boolean {
  if (!published) return false;
  if (published.slug === slug && published.version === version) return true;
  const detail = 'the schema is published under another slug or version';
  throw new ApiError({ kind: 'conflict', code: 'schema_published', detail });
}

/** The name in the body, else that of the definition, as answers show it: once published, under the published name. */
function readName(tenant: TenantId, body: JsonObject, { definition, published }: SchemaRecord): PublishedName {
  const { parsed, faults } = parsePublication(body, published ?? definition);
  const naming = parsed ? namingFaults(definition.schema, parsed.slug, 'slug') : [];
  const empty = definition.schema.fields.length === 0;
  const none = empty ? [{ path: 'schema.fields', message: 'must have at least one claim before it is published' }] : [];
  refuseFaults('publication', [...faults, ...naming, ...none]);
  return { tenant, ...(parsed as { slug: string; version: number }) };
}

/**
 * Makes a schema immutable and public, with a proof by its owner. Publishing the same definition under the same name
 * again changes nothing. Throws `schema_version_taken`, `schema_version_outdated`, `schema_published`,
 * `schema_not_found`, `revision_mismatch`, `concurrent_change`, `entity_not_found`, `invalid_request`.
 */
export function publishSchema(deps: PublishSchemaDeps) {
  return async function publishSchema({
    apiKeyDigest,
    version,
    id,
    body,
    ifRevision,
    entityDid,
  }: PublishSchemaInput): Promise<ResourceView> {
    const { baseUrl } = deps;
    const tenant = await authenticate(deps, apiKeyDigest);
    const schema = await schemaToChange(deps, tenant, id, ifRevision);
    const name = readName(tenant, body, schema);
    if (isPublishedAs(schema, name)) return schemaView(baseUrl, tenant, version, schema);
    const known = await deps.findPublished(tenant, name);
    if (known && !isSameDefinition(known.definition, schema.definition)) throw taken();
    const now = deps.clock();
    const { definition, labels, annotations } = schema;
    const signed = await deps.sign({ name, definition, entityDid, document: known?.document }, now);
    const publication = { ...name, ...signed, id, definition, labels, annotations, createdAt: now };
    const changed = { ...schema, published: { slug: name.slug, version: name.version } };
    const next = { ...changed, revision: schema.revision + 1, updatedAt: now };
    const outcome = await deps.publishSchema(tenant, next, publication);
    if (outcome === 'taken') throw taken();
    if (outcome === 'outdated') throw outdated();
    if (outcome === 'lost') throw changedMeanwhile(ifRevision);
    return schemaView(baseUrl, tenant, version, next);
  };
}
