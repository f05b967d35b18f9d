import { jsonSchema, typeNameOf, type MetaSchema } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import { buildCredential, signCredential } from '@vestibule/vcdm';
import { SCHEMA_CONTEXT } from '../domain/own-contexts';
import { publishedUrl, type PublishedName } from '../domain/schema-addresses';
import type { FindWallet } from './find-wallet';
import { signerOf, type SigningDeps } from './issue-draft';

/** A `JsonSchemaCredential` (W3C VC JSON Schema §2.2) that also contains the claims schema; the proof covers both. */
function unsignedDocument(baseUrl: string, name: PublishedName, definition: MetaSchema, ownerDid: string): JsonObject {
  const url = publishedUrl(baseUrl, name);
  return buildCredential({
    id: url,
    types: ['JsonSchemaCredential'],
    contexts: [SCHEMA_CONTEXT],
    issuerDid: ownerDid,
    credentialSchema: [
      { id: 'https://www.w3.org/2022/credentials/v2/json-schema-credential-schema.json', type: 'JsonSchema' },
    ],
    credentialSubject: {
      id: publishedUrl(baseUrl, name, 'json-schema'),
      type: 'JsonSchema',
      jsonSchema: jsonSchema(definition.schema, {
        id: publishedUrl(baseUrl, name, 'json-schema'),
        title: typeNameOf(name.slug),
      }),
      metaSchema: { ...(definition as unknown as JsonObject), slug: name.slug, version: name.version },
    },
  });
}

export interface SignPublishedSchemaDeps extends SigningDeps {
  readonly baseUrl: string;
  readonly findWallet: FindWallet;
}

export interface SignPublishedSchemaInput {
  readonly name: PublishedName;
  readonly definition: MetaSchema;
  /** The signing entity; by default the entity of the default wallet, which is created on first use. */
  readonly entityDid: string | undefined;
  /** The document that is already published under the name. */
  readonly document: JsonObject | undefined;
}

/** The function that {@link signPublishedSchema} returns. */
export type SignPublishedSchema = ReturnType<typeof signPublishedSchema>;

/** The document of a published schema, signed by its owner, and the owner. Throws `entity_not_found`. */
export function signPublishedSchema(deps: SignPublishedSchemaDeps) {
  return async function signPublishedSchema(
    { name, definition, entityDid, document }: SignPublishedSchemaInput,
    now: Date,
  ): Promise<{ readonly ownerDid: string; readonly document: JsonObject }> {
    const { tenant } = name;
    const signer = await signerOf(deps, tenant, entityDid ?? (await deps.findWallet(tenant, {})).entityDid);
    const ownerDid = signer.did;
    if (document) return { ownerDid, document };
    const unsigned = unsignedDocument(deps.baseUrl, name, definition, ownerDid);
    return { ownerDid, document: await signCredential(unsigned, { signer, now, ...deps.understand(tenant) }) };
  };
}
