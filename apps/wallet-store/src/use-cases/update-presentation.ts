import { judge, presentationCreation } from '@vestibule/contracts';
import { applyMergePatch, type JsonObject } from '@vestibule/foundation';
import { buildPresentation } from '@vestibule/vcdm';
import { presentationView, type PresentationAnswer } from '../domain/content-view';
import type { Draft } from '../domain/drafts';
import { refuseFaults } from '../domain/resources';
import {
  changeOf,
  issuedCredentials,
  sourceDids,
  type AbandonPresentationDeps,
  type FindCredentialsDeps,
  type PresentationInput,
} from './presentations';

export interface UpdatePresentationDeps extends AbandonPresentationDeps, FindCredentialsDeps {}

export interface UpdatePresentationInput extends PresentationInput {
  readonly body: JsonObject;
}

/** What the draft says, changed by a merge patch; throws `invalid_request` with every fault. */
function patched(draft: Draft, body: JsonObject) {
  const { labels, annotations } = draft;
  const before = {
    CredentialDids: sourceDids(draft),
    MetaData: { Labels: { ...labels }, Annotations: { ...annotations } },
  };
  const { value, faults } = judge(presentationCreation, applyMergePatch(before, body));
  refuseFaults('presentation', faults);
  return value as ReturnType<typeof presentationCreation.parse>;
}

/**
 * Applies a JSON merge patch to a presentation draft: other credentials of its wallet, or other labels and annotations.
 * Throws `api_key_invalid`, `wallet_not_found`, `presentation_not_found`, `credential_not_found`,
 * `transition_forbidden`, `revision_mismatch`, `concurrent_change`, `invalid_request`.
 */
export function updatePresentation(deps: UpdatePresentationDeps) {
  return async function updatePresentation(input: UpdatePresentationInput): Promise<PresentationAnswer> {
    const { body } = input;
    const change = { ...(await changeOf(deps, input)), operation: 'update' as const };
    const updated = await deps.changePresentation(change, async (draft) => {
      const { CredentialDids: dids, MetaData: metaData } = patched(draft, body);
      const credentials = await issuedCredentials(deps, change.tenant, draft, dids);
      const content = { id: draft.did, holderDid: draft.entityDid, credentials: credentials.map((one) => one.body) };
      return {
        ...draft,
        body: buildPresentation(content),
        source: { CredentialDids: [...dids] },
        labels: metaData?.Labels ?? {},
        annotations: metaData?.Annotations ?? {},
      };
    });
    return presentationView(updated);
  };
}
