import { jsonSchema, typeNameOf } from '@vestibule/claims-schema';
import { ApiError, type Fault, type JsonObject } from '@vestibule/foundation';
import { isBundledContext, type KnownContexts, type StatusPurpose } from '@vestibule/vcdm';
import { credentialOf, sourceFromJson, type DraftSource } from '../domain/draft-source';
import type { Draft } from '../domain/drafts';
import type { JsonSchemas } from '../domain/ports';
import type { Asker, TenantId } from '../domain/records';
import { publishedUrl } from '../domain/schema-addresses';
import type { DrawCredentialStatus } from './draw-credential-status';
import type { ClaimsOfDraft } from './issue-draft';
import type { FindDefinition } from './read-schemas';

interface ReferenceDeps {
  readonly contextsFor: ContextsFor;
  readonly jsonSchemas: JsonSchemas;
}

/** The contexts that are known, on behalf of an asker. */
export type ContextsFor = (asker: Asker) => KnownContexts;

type References = Pick<DraftSource, 'jsonLdVocabs' | 'vcdmJsonSchemas'>;

const UNKNOWN_CONTEXT =
  'is unknown: it must be a built-in context, the context of a schema that is published here, or in JSON_LD_CONTEXTS_FILE of the operator';
const UNKNOWN_SCHEMA =
  'is unknown: it must be the JSON Schema of a schema that is published here, or in JSON_SCHEMAS_FILE of the operator';

/**
 * What a draft refers to and is not known here, with its path; what `before` already refers to is not judged again, so
 * that its values can still be changed.
 */
async function unknownReferences(
  { contextsFor, jsonSchemas }: ReferenceDeps,
  tenant: TenantId,
  { jsonLdVocabs, vcdmJsonSchemas }: References,
  before: References | undefined,
): Promise<readonly Fault[]> {
  const { find } = contextsFor(tenant);
  const faults: Fault[] = [];
  for (const [index, url] of jsonLdVocabs.entries()) {
    if (before?.jsonLdVocabs.includes(url) || isBundledContext(url) || (await find(url))) continue;
    faults.push({ path: `data.json_ld_vocabs[${index}]`, message: UNKNOWN_CONTEXT });
  }
  if (jsonSchemas.acceptsUnknown) return faults;
  for (const [index, url] of vcdmJsonSchemas.entries()) {
    if (before?.vcdmJsonSchemas.includes(url) || (await jsonSchemas.find(tenant, url))) continue;
    faults.push({ path: `data.vcdm_json_schemas[${index}]`, message: UNKNOWN_SCHEMA });
  }
  return faults;
}

/** What drafts refer to. Nothing is fetched. */
export interface DraftSources {
  readonly findDefinition: FindDefinition;
  /** What is not known here, with its path, unless `before` already referred to it. */
  readonly unknownReferences: (
    tenant: TenantId,
    written: References,
    before: References | undefined,
  ) => Promise<readonly Fault[]>;
}

/** Looks up what drafts refer to when they are written. */
export function draftSources(deps: ReferenceDeps & { readonly findDefinition: FindDefinition }): DraftSources {
  return {
    findDefinition: deps.findDefinition,
    unknownReferences: (tenant, written, before) => unknownReferences(deps, tenant, written, before),
  };
}

/** The JSON Schemas of a draft by their addresses, in the order of `credentialSchema`; that of its own schema is derived. */
function schemasOf({ published, definition, vcdmJsonSchemas }: DraftSource, baseUrl: string) {
  const own = published && {
    id: publishedUrl(baseUrl, published, 'json-schema'),
    title: typeNameOf(published.slug),
  };
  const urls = vcdmJsonSchemas.length > 0 || !own ? vcdmJsonSchemas : [own.id];
  return urls.map((url) => ({ url, known: own?.id === url ? jsonSchema(definition.schema, own) : undefined }));
}

interface DocumentDeps {
  readonly jsonSchemas: JsonSchemas;
  readonly baseUrl: string;
}

async function validateCredential(
  { jsonSchemas, baseUrl }: DocumentDeps,
  tenant: TenantId,
  source: DraftSource,
  document: JsonObject,
): Promise<void> {
  for (const { url, known } of schemasOf(source, baseUrl)) {
    const schema = known ?? (await jsonSchemas.find(tenant, url));
    if (!schema && jsonSchemas.acceptsUnknown) continue;
    if (!schema) {
      const detail = 'the draft refers to a JSON Schema that is not known here';
      const faults = [{ path: url, message: UNKNOWN_SCHEMA }];
      throw new ApiError({ kind: 'invalid', code: 'json_schema_unknown', detail, faults });
    }
    const faults = jsonSchemas.validate(url, schema, document);
    if (faults.length === 0) continue;
    const detail = 'the credential does not satisfy a JSON Schema of its draft';
    throw new ApiError({ kind: 'invalid', code: 'json_schema_violated', detail, faults });
  }
}

/** How drafts become W3C documents. */
export interface DraftDocuments {
  /** What the draft says, with an entry in a status list for each of these purposes. */
  readonly claimsOf: (tenant: TenantId, draft: Draft, purposes: readonly StatusPurpose[]) => Promise<ClaimsOfDraft>;
  /**
   * Validates a document by the JSON Schemas of its draft, before it is signed (W3C vc-json-schema §3). Throws
   * `json_schema_violated` with the places in the document, and `json_schema_unknown` unless the operator accepts
   * unknown ones.
   */
  readonly judge: (tenant: TenantId, source: DraftSource, document: JsonObject) => Promise<void>;
}

/** Makes and validates the documents of drafts. */
export function draftDocuments(
  deps: DocumentDeps & { readonly drawCredentialStatus: DrawCredentialStatus },
): DraftDocuments {
  return {
    claimsOf: async (tenant, draft, purposes) => ({
      ...credentialOf(sourceFromJson(draft.source), deps.baseUrl),
      credentialStatus: await deps.drawCredentialStatus(tenant, draft, purposes),
    }),
    judge: (tenant, source, document) => validateCredential(deps, tenant, source, document),
  };
}
