import { ApiError, type JsonObject } from '@vestibule/foundation';
import { buildCredential, signCredential, type CredentialContent, type DidKeyPair } from '@vestibule/vcdm';
import type { Draft } from '../domain/drafts';
import type { Understand, Wallets } from '../domain/ports';
import type { TenantId } from '../domain/records';
import { changeDraft, type ChangeDraftDeps, type ChangeDraftInput } from './change-draft';
import { refusingDocuments } from './document-errors';

/** What signing a document of an entity requires. */
export interface SigningDeps {
  readonly understand: Understand;
  readonly findEntityKey: Wallets['findEntityKey'];
}

export interface IssueDraftDeps extends SigningDeps, ChangeDraftDeps {}

/** The claims of the draft as a credential, without the id and the issuer, which the draft determines. */
export type ClaimsOfDraft = Omit<CredentialContent, 'id' | 'issuerDid'>;

/** The key of an entity that is known to exist; throws `entity_not_found` otherwise. */
export async function signerOf(
  deps: { readonly findEntityKey: Wallets['findEntityKey'] },
  tenant: TenantId,
  entityDid: string,
): Promise<DidKeyPair> {
  const key = await deps.findEntityKey(tenant, entityDid);
  if (key) return key;
  throw new ApiError({ kind: 'not_found', code: 'entity_not_found', detail: 'there is no such entity' });
}

/**
 * Signs a draft with the key of the entity that owns its wallet: the issued credential is the new revision. `claimsOf`
 * returns the draft's claims, and throws if the draft is incomplete; `judge` throws if the document that they make must
 * not be signed. Without `validFrom` the credential is valid from now. Throws as {@link changeDraft} and {@link signCredential} do.
 */
export function issueDraft(deps: IssueDraftDeps) {
  return function issueDraft(
    input: Omit<ChangeDraftInput, 'operation'>,
    claimsOf: (draft: Draft) => Promise<ClaimsOfDraft> | ClaimsOfDraft,
    judge: (document: JsonObject, draft: Draft) => Promise<void>,
  ): Promise<Draft> {
    return changeDraft(deps)({ ...input, operation: 'issue' }, async (draft, now) => {
      const claims = await claimsOf(draft);
      const signer = await signerOf(deps, input.tenant, draft.entityDid);
      const content: CredentialContent = { validFrom: now, ...claims, id: draft.did, issuerDid: signer.did };
      const options = { signer, now, ...deps.understand(input.tenant) };
      const document = buildCredential(content);
      await judge(document, draft);
      const body = await refusingDocuments(signCredential(document, options));
      const { types, holderDid } = content;
      return { ...draft, body, types: ['VerifiableCredential', ...types], issuerDid: signer.did, holderDid };
    });
  };
}
