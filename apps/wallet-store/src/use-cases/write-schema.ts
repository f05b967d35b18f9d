import { parseMetaSchema, type MetaSchema } from '@vestibule/claims-schema';
import { judge, schemaCreateBody, type ApiVersion, type ResourceView } from '@vestibule/contracts';
import { createTimedId } from '@vestibule/crypto';
import {
  ApiError,
  applyMergePatch,
  isJsonObject,
  ownMember,
  type Clock,
  type JsonObject,
  type JsonValue,
  type RandomBytes,
} from '@vestibule/foundation';
import type { SchemaRecord } from '../domain/claims-schemas';
import type { Schemas } from '../domain/ports';
import { newRecord, type TenantId } from '../domain/records';
import { refuseFaults, resourceOf } from '../domain/resources';
import { publishedUrl } from '../domain/schema-addresses';
import { authenticate, type AuthenticateDeps } from './authenticate';

/** Where the members of a definition are that stand in the wrong place. */
const IN_FIELDS = 'is not a known member here; its place is data.schema.fields';
const HINTS = {
  about: {
    fields: IN_FIELDS,
    claims: IN_FIELDS,
    properties: 'is not a known member: claims are listed in data.schema.fields, which is not a JSON Schema',
  },
};
const EMPTY: MetaSchema = { schema: { fields: [] } };

export interface Caller {
  readonly apiKeyDigest: string;
  readonly version: ApiVersion;
}

type Written = Pick<SchemaRecord, 'definition' | 'labels' | 'annotations'>;

/** A schema as the caller writes it; throws `invalid_request` with every fault. */
function parseWritten(body: JsonValue): Written {
  const { value, faults: found } = judge(schemaCreateBody, body, HINTS);
  const given = isJsonObject(body) ? ownMember(body, 'data') : undefined;
  const content = isJsonObject(given) ? given : {};
  const { schema = EMPTY.schema as unknown as JsonValue, slug, version } = content;
  const named = { schema, ...(slug === undefined ? {} : { slug }), ...(version === undefined ? {} : { version }) };
  const { parsed: definition, faults } = parseMetaSchema(named, 'data');
  const judged = new Set(faults.map(({ path }) => path));
  const others = found.filter(({ path }) => !judged.has(path));
  refuseFaults('schema', [...others, ...faults]);
  const { labels, annotations } = value as ReturnType<typeof schemaCreateBody.parse>;
  return { definition: definition as MetaSchema, labels, annotations };
}

/** A schema as its tenant sees it; once published, with the addresses of its public documents. */
export function schemaView(baseUrl: string, tenant: TenantId, version: ApiVersion, record: SchemaRecord): ResourceView {
  const { definition, published } = record;
  const name = published && { tenant, ...published };
  return resourceOf({ name: 'Schema', version }, record, {
    ...(definition as unknown as JsonObject),
    ...(name
      ? {
          slug: name.slug,
          version: name.version,
          meta_schema: publishedUrl(baseUrl, name),
          json_ld_vocab: publishedUrl(baseUrl, name, 'context'),
          vcdm_json_schema: publishedUrl(baseUrl, name, 'json-schema'),
          type_metadata: publishedUrl(baseUrl, name, 'type-metadata'),
        }
      : {}),
  });
}

export interface CreateSchemaDeps extends AuthenticateDeps {
  readonly insertSchema: Schemas['insertSchema'];
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly baseUrl: string;
}

export interface CreateSchemaInput extends Caller {
  readonly body: JsonObject;
  readonly idempotencyKey?: string | undefined;
}

/** Creates a schema, which may be empty and can be changed until it is published. */
export function createSchema(deps: CreateSchemaDeps) {
  return async function createSchema({
    apiKeyDigest,
    version,
    body,
    idempotencyKey,
  }: CreateSchemaInput): Promise<ResourceView> {
    const tenant = await authenticate(deps, apiKeyDigest);
    const now = deps.clock();
    const schema = { ...newRecord(now), ...parseWritten(body), id: createTimedId(now, deps.random) };
    const answer = schemaView(deps.baseUrl, tenant, version, schema);
    const call = idempotencyKey === undefined ? undefined : { idempotencyKey, input: [version, body] };
    return deps.insertSchema(tenant, schema, answer, call);
  };
}

export interface ChangeSchemaDeps extends AuthenticateDeps {
  readonly findSchema: Schemas['findSchema'];
  readonly clock: Clock;
  readonly baseUrl: string;
}

/** The schema that was read, if it is at exactly this revision; throws `schema_not_found`, `revision_mismatch`. */
export async function schemaToChange(
  deps: { readonly findSchema: Schemas['findSchema'] },
  tenant: TenantId,
  id: string,
  ifRevision: number | undefined,
): Promise<SchemaRecord> {
  const schema = await deps.findSchema(tenant, id);
  if (!schema) throw new ApiError({ kind: 'not_found', code: 'schema_not_found', detail: 'there is no such schema' });
  if (ifRevision !== undefined && ifRevision !== schema.revision) throw changedMeanwhile(ifRevision);
  return schema;
}

/** Another call was faster: 412 for a caller with `If-Match`, 409 for one without. */
export function changedMeanwhile(ifRevision: number | undefined): ApiError {
  const detail = 'the schema has a newer revision; read it again';
  if (ifRevision === undefined) return new ApiError({ kind: 'conflict', code: 'concurrent_change', detail });
  return new ApiError({ kind: 'precondition_failed', code: 'revision_mismatch', detail });
}

export interface UpdateSchemaDeps extends ChangeSchemaDeps {
  readonly replaceSchema: Schemas['replaceSchema'];
}

export interface UpdateSchemaInput extends Caller {
  readonly id: string;
  readonly body: JsonObject;
  readonly ifRevision?: number | undefined;
}

/** Applies a JSON merge patch. Throws `schema_published`, `revision_mismatch`, `concurrent_change`, `invalid_request`. */
export function updateSchema(deps: UpdateSchemaDeps) {
  return async function updateSchema({
    apiKeyDigest,
    version,
    id,
    body,
    ifRevision,
  }: UpdateSchemaInput): Promise<ResourceView> {
    const tenant = await authenticate(deps, apiKeyDigest);
    const schema = await schemaToChange(deps, tenant, id, ifRevision);
    if (schema.published) {
      const detail = 'a published schema cannot be changed; create a new schema for its next version';
      throw new ApiError({ kind: 'conflict', code: 'schema_published', detail });
    }
    const { labels, annotations, definition } = schema;
    const before = {
      labels: { ...labels },
      annotations: { ...annotations },
      data: definition as unknown as JsonObject,
    };
    const written = parseWritten(applyMergePatch(before, body));
    const changed = { ...schema, ...written, revision: schema.revision + 1, updatedAt: deps.clock() };
    if (!(await deps.replaceSchema(tenant, changed))) throw changedMeanwhile(ifRevision);
    return schemaView(deps.baseUrl, tenant, version, changed);
  };
}
