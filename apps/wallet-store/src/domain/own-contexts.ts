import { isDerivedContext } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import { publicJwkOf } from '@vestibule/vcdm';
import { parsePublishedUrl, temporaryUrl } from './schema-addresses';

/**
 * How the document of a published schema describes the schema: a context embedded in the document, the same in all of
 * them.
 */
export const SCHEMA_CONTEXT: JsonObject = {
  metaSchema: { '@id': 'https://www.w3.org/2018/credentials#metaSchema', '@type': '@json' },
};

/** The URL of the vocabulary of a draft's temporary schema. */
export function temporaryVocabulary(baseUrl: string, draftDid: string): string {
  return `${temporaryUrl(baseUrl, draftDid)}#`;
}

/**
 * The contexts that this store writes into credentials, byte for byte: that of a draft's temporary schema, in the
 * credential with that draft's DID; and that of the document of a published schema, in the credential with its address.
 */
export const isOwnContext =
  (baseUrl: string) =>
  (context: JsonObject, credentialId: string): boolean => {
    if (publicJwkOf(credentialId)) return isDerivedContext(context, temporaryVocabulary(baseUrl, credentialId));
    const isSchema = parsePublishedUrl(baseUrl, credentialId)?.document === 'schema';
    return isSchema && JSON.stringify(context) === JSON.stringify(SCHEMA_CONTEXT);
  };
