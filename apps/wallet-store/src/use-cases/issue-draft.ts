import { ApiError } from '@vestibule/foundation';
import { buildCredential, signCredential, type CredentialContent, type DidKeyPair } from '@vestibule/vcdm';
import type { Draft } from '../domain/drafts';
import type { TenantId } from '../domain/records';
import { changeDraft, type ChangeDraftDeps, type ChangeDraftInput } from './change-draft';
import { refusingDocuments } from './document-errors';
import { understandingOf, type UnderstandingDeps } from './understanding';

export interface SigningDeps extends UnderstandingDeps {
  /** The unsealed key of an entity. */
  readonly findEntityKey: (tenant: TenantId, entityDid: string) => Promise<DidKeyPair | undefined>;
}

export type IssueDraftDeps = SigningDeps & ChangeDraftDeps;

/** What the draft says as a credential; its id and its issuer are those of the draft. */
export type ClaimsOfDraft = Omit<CredentialContent, 'id' | 'issuerDid'>;

/** The key of an entity that is known to exist; throws `entity_not_found` otherwise. */
export async function signerOf(deps: SigningDeps, tenant: TenantId, entityDid: string): Promise<DidKeyPair> {
  const key = await deps.findEntityKey(tenant, entityDid);
  if (key) return key;
  throw new ApiError({ kind: 'not_found', code: 'entity_not_found', detail: 'there is no such entity' });
}

/**
 * Signs a draft with the key of the entity that owns its wallet: the issued credential is the new revision. `claimsOf`
 * says what the draft holds, and throws where it is not complete. Without `validFrom` the credential is valid from now.
 * Throws as {@link changeDraft} and {@link signCredential} do.
 */
export const issueDraft =
  (deps: IssueDraftDeps) =>
  (
    input: Omit<ChangeDraftInput, 'operation'>,
    claimsOf: (draft: Draft) => Promise<ClaimsOfDraft> | ClaimsOfDraft,
  ): Promise<Draft> =>
    changeDraft(deps)({ ...input, operation: 'issue' }, async (draft, now) => {
      const claims = await claimsOf(draft);
      const signer = await signerOf(deps, input.tenant, draft.entityDid);
      const content: CredentialContent = { validFrom: now, ...claims, id: draft.did, issuerDid: signer.did };
      const options = { signer, now, ...understandingOf(deps, input.tenant) };
      const body = await refusingDocuments(signCredential(buildCredential(content), options));
      const { types, holderDid } = content;
      return { ...draft, body, types: ['VerifiableCredential', ...types], issuerDid: signer.did, holderDid };
    });
