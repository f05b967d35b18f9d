import { ApiError, type Clock } from '@vestibule/foundation';
import type { Draft, DraftContent } from '../domain/drafts';
import type { Drafts } from '../domain/ports';
import { canBeDid, type TenantId } from '../domain/records';
import { nextState, type ContentOperation } from '../domain/transitions';

export interface FindDraftDeps {
  readonly findDraft: Drafts['findDraft'];
}

const NOT_FOUND = { draft: 'draft_not_found', presentation: 'presentation_not_found' } as const;

type Thing = keyof typeof NOT_FOUND;

function notFound(thing: Thing): ApiError {
  return new ApiError({ kind: 'not_found', code: NOT_FOUND[thing], detail: `there is no such ${thing}` });
}

async function find(deps: FindDraftDeps, thing: Thing, tenant: TenantId, did: string): Promise<Draft> {
  const draft = canBeDid(did) ? await deps.findDraft(tenant, did) : undefined;
  if (draft) return draft;
  throw notFound(thing);
}

/** The latest revision of a draft; throws `draft_not_found`. */
export function getDraft(deps: FindDraftDeps) {
  return function getDraft(tenant: TenantId, did: string): Promise<Draft> {
    return find(deps, 'draft', tenant, did);
  };
}

/** The credential that a draft was issued as; throws `credential_not_found`. */
export function getIssuedDraft(deps: FindDraftDeps) {
  return async function getIssuedDraft(tenant: TenantId, did: string): Promise<Draft> {
    const draft = canBeDid(did) ? await deps.findDraft(tenant, did) : undefined;
    if (draft?.state === 'issued') return draft;
    const detail = 'there is no issued credential with this id that was created from a draft';
    throw new ApiError({ kind: 'not_found', code: 'credential_not_found', detail });
  };
}

/** The latest revision of a presentation in the wallet where it was made; throws `presentation_not_found`. */
export function getPresentationDraft(deps: FindDraftDeps) {
  return function getPresentationDraft(tenant: TenantId, did: string): Promise<Draft> {
    return find(deps, 'presentation', tenant, did);
  };
}

export interface ChangeDraftDeps extends FindDraftDeps {
  readonly clock: Clock;
  readonly replaceDraft: Drafts['replaceDraft'];
}

export interface ChangeDraftInput {
  readonly tenant: TenantId;
  readonly did: string;
  readonly operation: Exclude<ContentOperation, 'present'>;
  /** Only if the draft is in this wallet. */
  readonly walletDid?: string | undefined;
  /** From `If-Match`: only this revision may be changed. */
  readonly ifRevision?: number | undefined;
}

function lost(ifRevision: number | undefined): ApiError {
  if (ifRevision === undefined) {
    const detail = 'another call changed it at the same time; read it again';
    return new ApiError({ kind: 'conflict', code: 'concurrent_change', detail });
  }
  const detail = 'it has a newer revision; read it again';
  return new ApiError({ kind: 'precondition_failed', code: 'revision_mismatch', detail });
}

/** Returns the content of the draft's next revision. */
export type Change = (draft: Draft, now: Date) => Promise<DraftContent> | DraftContent;

async function changing(deps: ChangeDraftDeps, thing: Thing, input: ChangeDraftInput, change: Change): Promise<Draft> {
  const { tenant, did, operation, walletDid, ifRevision } = input;
  const draft = await find(deps, thing, tenant, did);
  if (walletDid !== undefined && walletDid !== draft.walletDid) throw notFound(thing);
  const state = nextState(draft.state, operation);
  if (ifRevision !== undefined && ifRevision !== draft.revision) throw lost(ifRevision);
  const now = deps.clock();
  const content = await change(draft, now);
  const replaced = await deps.replaceDraft(tenant, { draft, state, content, updatedAt: now });
  if (replaced) return replaced;
  throw lost(ifRevision);
}

/**
 * Reads a draft, lets `change` decide on its next revision, and replaces it. Of two concurrent changes neither is lost
 * silently: one wins, the other fails. Throws `draft_not_found`, `transition_forbidden`, `revision_mismatch` (with
 * `ifRevision`) and `concurrent_change` (without), and whatever `change` throws.
 */
export function changeDraft(deps: ChangeDraftDeps) {
  return function changeDraft(input: ChangeDraftInput, change: Change): Promise<Draft> {
    return changing(deps, 'draft', input, change);
  };
}

/** {@link changeDraft} for a presentation; throws `presentation_not_found` instead of `draft_not_found`. */
export function changePresentation(deps: ChangeDraftDeps) {
  return function changePresentation(input: ChangeDraftInput, change: Change): Promise<Draft> {
    return changing(deps, 'presentation', input, change);
  };
}

/** The function that {@link changePresentation} returns. */
export type ChangePresentation = ReturnType<typeof changePresentation>;

/**
 * Marks a draft as deleted: its content stays readable, but it cannot be changed any more. Throws as {@link
 * changeDraft} does.
 */
export function abandonDraft(deps: ChangeDraftDeps) {
  return function abandonDraft(input: Omit<ChangeDraftInput, 'operation'>): Promise<Draft> {
    return changing(deps, 'draft', { ...input, operation: 'abandon' }, (draft) => draft);
  };
}
