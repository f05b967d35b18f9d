import { DomainError } from '@vestibule/foundation';
import type { IssuableType } from '../domain/credential-offer';

/** The issuer's documents as the exact bytes to serve: they change only with the configuration. */
export interface IssuerDocuments {
  readonly 'openid-credential-issuer': string;
  readonly 'oauth-authorization-server': string;
  readonly 'jwt-vc-issuer': string;
}

/** One of the metadata documents. */
export function getIssuerDocument(documents: IssuerDocuments) {
  return async function getIssuerDocument(input: { readonly document: keyof IssuerDocuments }): Promise<{
    json: string;
  }> {
    return { json: documents[input.document] };
  };
}

/** Type Metadata byte for byte, so that `vct#integrity` matches (SD-JWT VC §7). Throws `type_metadata_not_found`. */
export function getTypeMetadata(types: ReadonlyMap<string, IssuableType>) {
  return async function getTypeMetadata(input: { readonly configurationId: string }): Promise<{ json: string }> {
    const type = types.get(input.configurationId);
    if (type) return { json: Buffer.from(type.bytes).toString('utf8') };
    throw new DomainError({
      kind: 'not_found',
      code: 'type_metadata_not_found',
      detail: 'there is no such credential type',
    });
  };
}
