import { ApiError } from '@vestibule/foundation';
import type { ContentKind, QueryMode } from '../domain/content';
import { credentialView, presentationView } from '../domain/content-view';
import { parseLabelSelector, type LabelRequirement } from '../domain/label-selector';
import { encodeCursor, invalidQuery, parseCursor } from '../domain/page-cursor';
import type { Contents, Wallets } from '../domain/ports';
import { canBeDid, type ContentRecord, type ContentState, type Owner, type TenantId } from '../domain/records';
import { authenticate, type AuthenticateDeps } from './authenticate';

export interface ReadContentDeps extends AuthenticateDeps {
  readonly ownsWallet: Wallets['ownsWallet'];
  readonly findOne: Contents['findOne'];
  readonly findPage: Contents['findPage'];
}

async function ownedBy(deps: ReadContentDeps, input: Owner & { readonly apiKeyDigest: string }): Promise<TenantId> {
  const tenant = await authenticate(deps, input.apiKeyDigest);
  const possible = canBeDid(input.entityDid) && canBeDid(input.walletDid);
  if (possible && (await deps.ownsWallet(tenant, input))) return tenant;
  throw new ApiError({ kind: 'not_found', code: 'wallet_not_found', detail: 'this entity has no such wallet' });
}

export interface GetContentInput extends Owner {
  readonly apiKeyDigest: string;
  readonly did: string;
  readonly queryMode: QueryMode;
  readonly revision?: number | undefined;
}

const NOT_FOUND = { credential: 'credential_not_found', presentation: 'presentation_not_found' } as const;

/** It may be there, and be kept from the caller by the query. */
function narrowed({ revision, queryMode }: Pick<GetContentInput, 'revision' | 'queryMode'>): string {
  const by = [...(revision === undefined ? [] : ['revision']), ...(queryMode === 'All' ? [] : ['queryMode'])];
  return by.length === 0 ? '' : ` with this ${by.join(' and ')}`;
}

/** The latest or a given revision with its body. Throws `wallet_not_found`, `credential_not_found`, `presentation_not_found`. */
export function getContent(kind: ContentKind, deps: ReadContentDeps) {
  return async function getContent(input: GetContentInput): Promise<ContentRecord> {
    const tenant = await ownedBy(deps, input);
    const record = canBeDid(input.did) ? await deps.findOne(tenant, input) : undefined;
    if (record) return record;
    throw new ApiError({
      kind: 'not_found',
      code: NOT_FOUND[kind],
      detail: `this wallet has no such ${kind}${narrowed(input)}`,
    });
  };
}

export interface ListContentInput extends Owner {
  readonly apiKeyDigest: string;
  readonly queryMode: QueryMode;
  readonly state?: ContentState | undefined;
  readonly labelSelector?: string | undefined;
  readonly getBodies: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

function parseLabels(selector: string | undefined): readonly LabelRequirement[] {
  const labels = selector === undefined ? [] : parseLabelSelector(selector);
  if (labels) return labels;
  throw invalidQuery('labelSelector', 'must be a label selector: a=b, a!=b, a in (b,c), a notin (b,c), a, !a');
}

/**
 * A page of the latest revisions, oldest first and limited in bytes, and where the next page begins. Throws
 * `wallet_not_found`.
 */
export function listContent(deps: ReadContentDeps) {
  return async function listContent(
    input: ListContentInput,
  ): Promise<{ records: readonly ContentRecord[]; nextCursor?: string }> {
    const { entityDid, walletDid, queryMode, state, limit, cursor } = input;
    const after = parseCursor(cursor);
    const labels = parseLabels(input.labelSelector);
    const tenant = await ownedBy(deps, input);
    const asked = { entityDid, walletDid, queryMode, state, labels, after, withBodies: input.getBodies };
    const { records, hasMore } = await deps.findPage(tenant, { ...asked, limit });
    const last = hasMore ? records.at(-1) : undefined;
    return last ? { records, nextCursor: encodeCursor(last) } : { records };
  };
}

type AsTenant = Owner & { readonly apiKeyDigest: string };

/** A credential as the API returns it. Throws as {@link getContent} does. */
export function getCredential(deps: ReadContentDeps) {
  const get = getContent('credential', deps);
  return async function getCredential({
    credentialDid: did,
    ...input
  }: AsTenant & { readonly credentialDid: string; readonly revision?: number | undefined }) {
    return credentialView(await get({ ...input, did, queryMode: 'All' }));
  };
}

/** A presentation as the API returns it. Throws as {@link getContent} does. */
export function getPresentation(deps: ReadContentDeps) {
  const get = getContent('presentation', deps);
  return async function getPresentation({
    presentationDid: did,
    ...input
  }: AsTenant & {
    readonly presentationDid: string;
    readonly queryMode: QueryMode;
    readonly revision?: number | undefined;
  }) {
    return presentationView(await get({ ...input, did }));
  };
}

/** A page of credentials as the API returns it. Throws as {@link listContent} does. */
export function listCredentials(deps: ReadContentDeps) {
  const list = listContent(deps);
  return async function listCredentials(input: ListContentInput) {
    const { records, ...rest } = await list(input);
    return { items: records.map(credentialView), ...rest };
  };
}

/** A page of presentations as the API returns it. Throws as {@link listContent} does. */
export function listPresentations(deps: ReadContentDeps) {
  const list = listContent(deps);
  return async function listPresentations(input: ListContentInput) {
    const { records, ...rest } = await list(input);
    return { items: records.map(presentationView), ...rest };
  };
}
