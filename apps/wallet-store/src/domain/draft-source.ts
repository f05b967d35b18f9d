import { contextTerms, toPlainClaims, typeNameOf, type ClaimValues, type MetaSchema } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import type { CredentialContent } from '@vestibule/vcdm';
import { publishedUrl, type PublishedName } from './schema-addresses';

/** What the caller wrote, as a draft keeps it: enough to show the draft, change it and make the credential. */
export interface DraftSource {
  /** The address that answers contain; for a temporary schema, one that is not served. */
  readonly metaSchemaUrl: string;
  readonly definition: MetaSchema;
  /** Only for a published schema; a temporary one has no name. */
  readonly published?: PublishedName | undefined;
  readonly jsonLdVocabs: readonly string[];
  readonly vcdmJsonSchemas: readonly string[];
  readonly values: ClaimValues;
}

/** The source as the store keeps it, and back: it was written by this program and has been sealed since. */
export const sourceToJson = (source: DraftSource): JsonObject => ({ ...source }) as unknown as JsonObject;
export const sourceFromJson = (json: JsonObject): DraftSource => json as unknown as DraftSource;

type Said = Pick<CredentialContent, 'types' | 'contexts' | 'credentialSubject' | 'credentialSchema'>;

/**
 * A draft as a W3C credential. The context of a published schema is referenced by URL; that of a temporary one is
 * embedded in the document, so that others can verify it. `json_ld_vocabs` follow it: they add terms and override
 * existing ones. `vcdm_json_schemas` replace the JSON Schema of the published schema.
 */
export function credentialOf(source: DraftSource, baseUrl: string): Said {
  const { definition, published, metaSchemaUrl, jsonLdVocabs, vcdmJsonSchemas, values } = source;
  const slug = published?.slug ?? definition.slug;
  const own = published
    ? publishedUrl(baseUrl, published, 'context')
    : contextTerms(definition.schema, { vocabulary: `${metaSchemaUrl}#`, slug });
  const derived = published ? [publishedUrl(baseUrl, published, 'json-schema')] : [];
  const schemas = vcdmJsonSchemas.length > 0 ? vcdmJsonSchemas : derived;
  return {
    types: slug === undefined ? [] : [typeNameOf(slug)],
    contexts: [own, ...jsonLdVocabs.filter((url) => url !== own)],
    credentialSubject: toPlainClaims(values),
    credentialSchema: [...new Set(schemas)].map((id) => ({ id, type: 'JsonSchema' })),
  };
}
