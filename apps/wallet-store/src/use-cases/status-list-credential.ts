import { sha256Base64url } from '@vestibule/crypto';
import { ApiError, type Clock } from '@vestibule/foundation';
import { buildStatusListCredential, signCredential, statusBits, vcdmFailure, type StatusLists } from '@vestibule/vcdm';
import type { CredentialStatuses } from '../domain/ports';
import type { Asker } from '../domain/records';
import {
  isStatusListName,
  parseStatusListUrl,
  statusListUrl,
  type PublishedStatusList,
  type StatusListName,
  type StatusListPublication,
} from '../domain/status-lists';
import { signerOf, type SigningDeps } from './issue-draft';

export interface PublishStatusListDeps extends SigningDeps {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly findList: CredentialStatuses['findList'];
  readonly publish: CredentialStatuses['publish'];
}

export interface GetStatusListCredentialDeps {
  readonly clock: Clock;
  readonly findPublished: CredentialStatuses['findPublished'];
  readonly publishStatusList: PublishStatusList;
}

const MILLISECONDS = 1_000;
/** How long a signed list is valid, and after which time it is signed again although nothing changed. */
const VALID_SECONDS = 86_400;
const RESIGN_SECONDS = 43_200;
/** For how long verifiers may use a list without asking again: a change is seen everywhere after this and {@link MAX_AGE_SECONDS}. */
const TTL_SECONDS = 300;
const MAX_AGE_SECONDS = 60;
/** Clocks may differ by this much; verifiers forgive it, too. */
const CLOCKS_DIFFER_SECONDS = 60;

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * MILLISECONDS);

function notFound(): ApiError {
  const detail = 'there is no status list at this URL';
  return new ApiError({ kind: 'not_found', code: 'credential_status_list_not_found', detail });
}

async function signed(deps: PublishStatusListDeps, name: StatusListName): Promise<StatusListPublication> {
  const list = await deps.findList(name.tenant, name);
  if (!list) throw notFound();
  const { entityDid, purpose, version, size, set } = list;
  const now = deps.clock();
  const signer = await signerOf(deps, name.tenant, entityDid);
  const credential = buildStatusListCredential({
    url: statusListUrl(deps.baseUrl, name),
    issuerDid: signer.did,
    purpose,
    bits: statusBits(size, set),
    ttlMilliseconds: TTL_SECONDS * MILLISECONDS,
    validFrom: now,
    validUntil: later(now, VALID_SECONDS),
  });
  const document = JSON.stringify(await signCredential(credential, { signer, now, ...deps.understand(name.tenant) }));
  const publication = { version, signedAt: now, etag: sha256Base64url(document), document };
  await deps.publish(name, publication);
  return publication;
}

/**
 * Signs a list as it is now, and keeps the result for all replicas. Callers that ask for the same list at the same time
 * share one signature.
 */
export function publishStatusList(deps: PublishStatusListDeps) {
  const underWay = new Map<string, Promise<StatusListPublication>>();
  return function publishStatusList(name: StatusListName): Promise<StatusListPublication> {
    const key = `${name.tenant}/${name.listId}`;
    const known = underWay.get(key);
    if (known) return known;
    const signing = signed(deps, name).finally(() => underWay.delete(key));
    underWay.set(key, signing);
    return signing;
  };
}

/** The function that {@link publishStatusList} returns. */
export type PublishStatusList = ReturnType<typeof publishStatusList>;

/**
 * Not so a list that was signed with a clock that was ahead: verifiers refuse it until that time has come. A replica whose
 * own clock is behind does not take others for being ahead.
 */
function isCurrent({ version, published, databaseAt }: PublishedStatusList, now: Date): boolean {
  if (published?.version !== version) return false;
  const latest = later(now > databaseAt ? now : databaseAt, CLOCKS_DIFFER_SECONDS);
  return published.signedAt <= latest && later(published.signedAt, RESIGN_SECONDS) > now;
}

/** A signature that was under way when the question came may lack a change from just before; the next one has it. */
async function publishAtLeast(
  { publishStatusList: publish }: GetStatusListCredentialDeps,
  name: StatusListName,
  version: number,
): Promise<StatusListPublication> {
  const publication = await publish(name);
  return publication.version >= version ? publication : publish(name);
}

/**
 * The signed status list credential, as the exact text to serve to anybody, without it for callers that know it by its
 * etag. It is signed when something changed, and again twice a day: never per request. Throws
 * `credential_status_list_not_found`, `canonicalizer_busy`.
 */
export function getStatusListCredential(deps: GetStatusListCredentialDeps) {
  return async function getStatusListCredential({
    knownEtag,
    ...name
  }: StatusListName & { readonly knownEtag?: string | undefined }) {
    const found = isStatusListName(name) ? await deps.findPublished(name, knownEtag) : undefined;
    if (!found) throw notFound();
    const { published } = found;
    const { etag, document } =
      published && isCurrent(found, deps.clock()) ? published : await publishAtLeast(deps, name, found.version);
    const isKnown = document === undefined || etag === knownEtag;
    return { etag, maxAgeSeconds: MAX_AGE_SECONDS, ...(isKnown ? {} : { json: document }) };
  };
}

/**
 * Own lists, on behalf of an asker, as they are in the database, without network and signature; lists of others as `others` finds them. Throws
 * `vc_status_list_invalid` for an address of this service that has no list.
 */
export function withOwnStatusLists(
  { baseUrl, clock, findList }: Pick<PublishStatusListDeps, 'baseUrl' | 'clock' | 'findList'>,
  asker: Asker,
  others: StatusLists,
): StatusLists {
  const find: StatusLists['find'] = async (url, judge) => {
    const name = parseStatusListUrl(baseUrl, url);
    if (!name) return others.find(url, judge);
    const list = await findList(asker, name);
    if (!list) throw vcdmFailure('vc_status_list_invalid', 'there is no status list at this URL');
    const { entityDid, purpose, size, set } = list;
    return { issuerDid: entityDid, purposes: [purpose], bits: statusBits(size, set), usableUntil: clock() };
  };
  return { find, issuers: others.issuers };
}
