import { ApiError, decodeBase64url, encodeBase64url, isJsonObject, parseJsonBytes } from '@vestibule/foundation';
import { parseLabelSelector, type LabelRequirement } from '../domain/label-selector';
import { isStorable, type ContentRecord, type ContentState, type Owner, type TenantId } from '../domain/records';
import { authenticate, type AuthenticateDeps } from './authenticate';

export type ContentKind = 'credential' | 'presentation';
export type QueryMode = 'All' | 'Held' | 'Presented';

/** Where a page ended: lists are ordered by creation, then by DID. */
export interface Position {
  readonly createdAt: string;
  readonly did: string;
}

export interface ContentQuery extends Owner {
  readonly queryMode: QueryMode;
  readonly state?: ContentState | undefined;
  /** All must hold. */
  readonly labels: readonly LabelRequirement[];
  readonly withBodies: boolean;
  readonly limit: number;
  readonly after: Position | undefined;
}

/** The first records that a query finds: at most `limit`, and fewer where they are large, but at least one. */
export interface ContentPage {
  readonly records: readonly ContentRecord[];
  readonly hasMore: boolean;
}

export interface ReadContentDeps extends AuthenticateDeps {
  readonly ownsWallet: (tenant: TenantId, owner: Owner) => Promise<boolean>;
  readonly findOne: (
    tenant: TenantId,
    query: Owner & { readonly did: string; readonly queryMode: QueryMode; readonly revision?: number | undefined },
  ) => Promise<ContentRecord | undefined>;
  readonly findPage: (tenant: TenantId, query: ContentQuery) => Promise<ContentPage>;
}

async function ownedBy(deps: ReadContentDeps, input: Owner & { readonly apiKeyDigest: string }): Promise<TenantId> {
  const tenant = await authenticate(deps, input.apiKeyDigest);
  const possible = isStorable(input.entityDid) && isStorable(input.walletDid);
  if (possible && (await deps.ownsWallet(tenant, input))) return tenant;
  throw new ApiError({ kind: 'not_found', code: 'wallet_not_found', detail: 'this entity has no such wallet' });
}

export interface GetContentInput extends Owner {
  readonly apiKeyDigest: string;
  readonly did: string;
  readonly queryMode: QueryMode;
  readonly revision?: number | undefined;
}

/** The latest or a given revision with its body. Throws `wallet_not_found`, `credential_not_found`, `presentation_not_found`. */
export const getContent =
  (kind: ContentKind, deps: ReadContentDeps) =>
  async (input: GetContentInput): Promise<ContentRecord> => {
    const tenant = await ownedBy(deps, input);
    const record = isStorable(input.did) ? await deps.findOne(tenant, input) : undefined;
    if (record) return record;
    throw new ApiError({ kind: 'not_found', code: `${kind}_not_found`, detail: `this wallet has no such ${kind}` });
  };

export interface ListContentInput extends Owner {
  readonly apiKeyDigest: string;
  readonly queryMode: QueryMode;
  readonly state?: ContentState | undefined;
  readonly labelSelector?: string | undefined;
  readonly getBodies: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

function invalidQuery(path: string, message: string): ApiError {
  const detail = 'the query string is not valid';
  return new ApiError({ kind: 'invalid', code: 'invalid_request', detail, faults: [{ path, message }] });
}

function encodeCursor({ createdAt, did }: ContentRecord): string {
  return encodeBase64url(Buffer.from(JSON.stringify({ createdAt: createdAt.toISOString(), did }), 'utf8'));
}

/** Is it what {@link encodeCursor} writes? Other spellings may be no instant of the store (2026-02-30, the year 0). */
function isInstant(text: unknown): text is string {
  if (typeof text !== 'string' || !/^(?!0000)\d{4}-/.test(text)) return false;
  const instant = new Date(text);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === text;
}

function parseCursor(cursor: string): Position {
  const bytes = decodeBase64url(cursor);
  const value = bytes && parseJsonBytes(bytes);
  const { createdAt, did } = isJsonObject(value) ? value : {};
  if (isInstant(createdAt) && typeof did === 'string' && isStorable(did)) return { createdAt, did };
  throw invalidQuery('cursor', 'must come from the Link header of an earlier page');
}

function parseLabels(selector: string | undefined): readonly LabelRequirement[] {
  const labels = selector === undefined ? [] : parseLabelSelector(selector);
  if (labels) return labels;
  throw invalidQuery('labelSelector', 'must be a label selector: a=b, a!=b, a in (b,c), a notin (b,c), a, !a');
}

/** A page of the latest revisions, oldest first, bounded in bytes too, and where the next page begins. Throws `wallet_not_found`. */
export const listContent =
  (deps: ReadContentDeps) =>
  async (input: ListContentInput): Promise<{ records: readonly ContentRecord[]; nextCursor?: string }> => {
    const { entityDid, walletDid, queryMode, state, limit, cursor } = input;
    const after = cursor === undefined ? undefined : parseCursor(cursor);
    const labels = parseLabels(input.labelSelector);
    const tenant = await ownedBy(deps, input);
    const asked = { entityDid, walletDid, queryMode, state, labels, after, withBodies: input.getBodies };
    const { records, hasMore } = await deps.findPage(tenant, { ...asked, limit });
    const last = hasMore ? records.at(-1) : undefined;
    return last ? { records, nextCursor: encodeCursor(last) } : { records };
  };
