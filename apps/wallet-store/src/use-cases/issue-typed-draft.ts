import { findMissingValues } from '@vestibule/claims-schema';
import { draftIssueBody, judge, type ApiVersion, type ResourceView } from '@vestibule/contracts';
import { ApiError, type JsonObject } from '@vestibule/foundation';
import { draftContent, inVersion } from '../domain/draft-body';
import { sourceFromJson } from '../domain/draft-source';
import type { Draft } from '../domain/drafts';
import { refuseFaults, resourceOf } from '../domain/resources';
import { authenticate, type AuthenticateDeps } from './authenticate';
import { getIssuedDraft, type FindDraftDeps } from './change-draft';
import { refusingDocuments } from './document-errors';
import { issueDraft, type ClaimsOfDraft, type IssueDraftDeps } from './issue-draft';
import type { DraftDocuments } from './validate-credential';
import type { ChangeTypedDraftInput } from './write-draft';
import type { Caller } from './write-schema';

export interface IssueTypedDraftDeps extends AuthenticateDeps, IssueDraftDeps {
  readonly documents: DraftDocuments;
}

export interface GetClaimValuesDeps extends AuthenticateDeps, FindDraftDeps {}

/** An issued credential in its envelope. */
function credentialView(draft: Draft, version: ApiVersion): ResourceView {
  const { did, state, entityDid, walletDid, issuerDid, holderDid, types, body } = draft;
  return resourceOf(
    { name: 'Credential', version },
    { ...draft, id: did },
    {
      state,
      entity_did: entityDid,
      wallet_did: walletDid,
      ...(issuerDid === undefined ? {} : { issuer_did: issuerDid }),
      ...(holderDid === undefined ? {} : { holder_did: holderDid }),
      types: [...types],
      document: body,
    },
  );
}

function requireComplete(draft: Draft, version: ApiVersion): void {
  const { values, definition } = sourceFromJson(draft.source);
  const faults = inVersion(findMissingValues(values, definition.schema, 'data.values'), version);
  if (faults.length === 0) return;
  const detail = 'the draft lacks values for claims that its schema requires';
  throw new ApiError({ kind: 'invalid', code: 'draft_incomplete', detail, faults });
}

/**
 * Issues a draft whose values are complete: it gets a proof and never changes again, but for its status if the caller
 * asks for one. Throws `draft_incomplete`,
 * `json_schema_violated`, `json_schema_unknown`, `vc_context_unknown`, `vc_term_undefined`, `vc_malformed` and as every change of a draft does.
 */
export function issueTypedDraft(deps: IssueTypedDraftDeps) {
  return async function issueTypedDraft(
    input: ChangeTypedDraftInput & { readonly body: JsonObject },
  ): Promise<ResourceView> {
    const { apiKeyDigest, version, id: did, ifRevision } = input;
    const tenant = await authenticate(deps, apiKeyDigest);
    const { value, faults } = judge(draftIssueBody, input.body);
    refuseFaults('request', faults);
    const { holder_did: holderDid, valid_from: from, valid_until: until, status_purposes: purposes = [] } = value ?? {};
    const claimsOf = async (draft: Draft): Promise<ClaimsOfDraft> => {
      requireComplete(draft, version);
      return {
        ...(await deps.documents.claimsOf(tenant, draft, purposes)),
        ...(holderDid === undefined ? {} : { holderDid }),
        ...(from === undefined ? {} : { validFrom: new Date(from) }),
        ...(until === undefined ? {} : { validUntil: new Date(until) }),
      };
    };
    const judgeDocument = (document: JsonObject, draft: Draft) =>
      deps.documents.judge(tenant, sourceFromJson(draft.source), document);
    const issued = await refusingDocuments(issueDraft(deps)({ tenant, did, ifRevision }, claimsOf, judgeDocument));
    return credentialView(issued, version);
  };
}

/** The values from which an issued credential was made. Throws `credential_not_found`. */
export function getClaimValues(deps: GetClaimValuesDeps) {
  return async function getClaimValues({
    apiKeyDigest,
    version,
    id,
  }: Caller & { readonly id: string }): Promise<ResourceView> {
    const tenant = await authenticate(deps, apiKeyDigest);
    const draft = await getIssuedDraft(deps)(tenant, id);
    const { values = {} } = draftContent(sourceFromJson(draft.source), version);
    return resourceOf({ name: 'ClaimValues', version }, { ...draft, id: draft.did }, { values });
  };
}
