import { isDerivedContext } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import { publicJwkOf } from '@vestibule/vcdm';
import { parsePublishedUrl, temporaryUrl } from './schema-addresses';

/** How the document of a published schema says what the schema is; it stands in the document, and is the same in all of them. */
export const SCHEMA_CONTEXT: JsonObject = {
  metaSchema: { '@id': 'https://www.w3.org/2018/credentials#metaSchema', '@type': '@json' },
};

/** Where the terms of the temporary schema of a draft are. */
export function temporaryVocabulary(baseUrl: string, draftDid: string): string {
  return `${temporaryUrl(baseUrl, draftDid)}#`;
}

/**
 * The contexts that this store writes into credentials, byte for byte: that of the temporary schema of a draft, in the
 * credential with the DID of that draft, and that of the document of a published schema, in the one with its address.
 */
export const isOwnContext =
  (baseUrl: string) =>
  (context: JsonObject, credentialId: string): boolean => {
    if (publicJwkOf(credentialId)) return isDerivedContext(context, temporaryVocabulary(baseUrl, credentialId));
    const isSchema = parsePublishedUrl(baseUrl, credentialId)?.document === 'schema';
    return isSchema && JSON.stringify(context) === JSON.stringify(SCHEMA_CONTEXT);
  };
