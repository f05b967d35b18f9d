import type { ClaimsSchema } from '@vestibule/claims-schema';
import {
  publishedSchemaSearchBody,
  schemaSearchBody,
  type ApiVersion,
  type PublishedDocument,
  type ResourceView,
} from '@vestibule/contracts';
import { ApiError, type JsonObject } from '@vestibule/foundation';
import type { FindContext } from '@vestibule/vcdm';
import type { PublishedSchema } from '../domain/claims-schemas';
import type { Schemas } from '../domain/ports';
import { EVERYBODY, type Asker } from '../domain/records';
import { resourceOf } from '../domain/resources';
import { isTenantId, parsePublishedUrl, publishedUrl, type PublishedName } from '../domain/schema-addresses';
import { pageOf, parseSearch } from '../domain/search';
import { authenticate, type AuthenticateDeps } from './authenticate';
import { derivedDocument } from './publish-schema';
import { schemaToChange, schemaView, type Caller } from './write-schema';

export interface SearchInput extends Caller {
  readonly body: JsonObject;
}

/** A page of resources, and where the next one begins. */
export interface ResourcePage {
  readonly items: ResourceView[];
  readonly next_cursor?: string;
}

/** The answer of a search. */
export function pageAnswer(items: ResourceView[], nextCursor: string | undefined): ResourcePage {
  return { items, ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) };
}

export interface SearchSchemasDeps extends AuthenticateDeps {
  readonly baseUrl: string;
  readonly searchSchemas: Schemas['searchSchemas'];
}

/** The tenant's schemas, published or not. Throws `invalid_request`. */
export function searchSchemas(deps: SearchSchemasDeps) {
  return async function searchSchemas({ apiKeyDigest, version, body }: SearchInput): Promise<ResourcePage> {
    const tenant = await authenticate(deps, apiKeyDigest);
    const search = parseSearch('schemas', schemaSearchBody, body);
    const { items, nextCursor } = pageOf(search, await deps.searchSchemas(tenant, search));
    return pageAnswer(
      items.map((item) => schemaView(deps.baseUrl, tenant, version, item)),
      nextCursor,
    );
  };
}

export interface ReadSchemaDeps extends AuthenticateDeps {
  readonly baseUrl: string;
  readonly findSchema: Schemas['findSchema'];
}

/** One schema of the tenant in its latest revision. Throws `schema_not_found`. */
export function readSchema(deps: ReadSchemaDeps) {
  return async function readSchema({
    apiKeyDigest,
    version,
    id,
  }: Caller & { readonly id: string }): Promise<ResourceView> {
    const tenant = await authenticate(deps, apiKeyDigest);
    return schemaView(deps.baseUrl, tenant, version, await schemaToChange(deps, tenant, id, undefined));
  };
}

function publishedView(baseUrl: string, version: ApiVersion, schema: PublishedSchema): ResourceView {
  const { id, definition, ownerDid, labels, annotations, createdAt } = schema;
  const record = { id, labels, annotations, createdAt, updatedAt: createdAt, revision: 1 };
  return resourceOf({ name: 'PublishedSchema', version }, record, {
    schema: definition.schema as unknown as JsonObject,
    slug: schema.slug,
    version: schema.version,
    owner: ownerDid,
    meta_schema: publishedUrl(baseUrl, schema),
    json_ld_vocab: publishedUrl(baseUrl, schema, 'context'),
    vcdm_json_schema: publishedUrl(baseUrl, schema, 'json-schema'),
    type_metadata: publishedUrl(baseUrl, schema, 'type-metadata'),
  });
}

export interface SearchPublishedSchemasDeps extends AuthenticateDeps {
  readonly baseUrl: string;
  readonly searchPublished: Schemas['searchPublished'];
}

/** The tenant's published schemas. Throws `invalid_request`. */
export function searchPublishedSchemas(deps: SearchPublishedSchemasDeps) {
  return async function searchPublishedSchemas({ apiKeyDigest, version, body }: SearchInput): Promise<ResourcePage> {
    const tenant = await authenticate(deps, apiKeyDigest);
    const search = parseSearch('published-schemas', publishedSchemaSearchBody, body);
    const { items, nextCursor } = pageOf(search, await deps.searchPublished(tenant, search));
    return pageAnswer(
      items.map((item) => publishedView(deps.baseUrl, version, item)),
      nextCursor,
    );
  };
}

export interface ReadPublishedDeps {
  readonly baseUrl: string;
  readonly findPublished: Schemas['findPublished'];
}

/** One of the public documents, as the exact bytes to serve. Throws `published_schema_not_found`. */
export function getPublishedSchema(deps: ReadPublishedDeps) {
  return async function getPublishedSchema(
    input: PublishedName & { readonly document: PublishedDocument },
  ): Promise<{ json: string }> {
    const { document, ...name } = input;
    const schema = isTenantId(name.tenant) ? await deps.findPublished(EVERYBODY, name) : undefined;
    if (schema) return { json: JSON.stringify(derivedDocument(deps.baseUrl, schema, document)) };
    const detail = 'there is no published schema at this URL';
    throw new ApiError({ kind: 'not_found', code: 'published_schema_not_found', detail });
  };
}

/** The contexts of published schemas of all tenants, for signing and verifying on behalf of an asker. */
export function findPublishedContext(deps: ReadPublishedDeps, asker: Asker): FindContext {
  return async function findPublishedContext(url) {
    const name = parsePublishedUrl(deps.baseUrl, url);
    const schema = name?.document === 'context' ? await deps.findPublished(asker, name) : undefined;
    return schema && derivedDocument(deps.baseUrl, schema, 'context');
  };
}

/** The exact text of any document of the published schemas of all tenants, as it is served; undefined for other addresses. */
export function findPublishedText(deps: ReadPublishedDeps, asker: Asker) {
  return async function findPublishedText(url: string): Promise<string | undefined> {
    const name = parsePublishedUrl(deps.baseUrl, url);
    const schema = name && (await deps.findPublished(asker, name));
    return schema && JSON.stringify(derivedDocument(deps.baseUrl, schema, name.document));
  };
}

/** The JSON Schemas of published schemas of all tenants. */
export function findPublishedJsonSchema(deps: ReadPublishedDeps) {
  return async function findPublishedJsonSchema(asker: Asker, url: string): Promise<JsonObject | undefined> {
    const name = parsePublishedUrl(deps.baseUrl, url);
    const schema = name?.document === 'json-schema' ? await deps.findPublished(asker, name) : undefined;
    return schema && derivedDocument(deps.baseUrl, schema, 'json-schema');
  };
}

/** The function that {@link findDefinition} returns. */
export type FindDefinition = ReturnType<typeof findDefinition>;

/** The definition of a published schema by its address; undefined if there is none. */
export function findDefinition(deps: ReadPublishedDeps) {
  return async function findDefinition(
    asker: Asker,
    url: string,
  ): Promise<(PublishedName & { readonly schema: ClaimsSchema }) | undefined> {
    const name = parsePublishedUrl(deps.baseUrl, url);
    const found = name?.document === 'schema' ? await deps.findPublished(asker, name) : undefined;
    return found && { tenant: found.tenant, slug: found.slug, version: found.version, schema: found.definition.schema };
  };
}
