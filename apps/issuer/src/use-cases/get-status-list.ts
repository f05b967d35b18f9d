import { DomainError, type Clock } from '@vestibule/foundation';
import type { SigningKeys } from '../domain/ports';
import { chainHash, isAhead, type ListState, type Publication } from '../domain/status-list';
import type { ListToRenew, RenewStatusList } from './renew-status-list';
import type { ListWitness } from './witness-lists';

export interface GetStatusListDeps {
  readonly clock: Clock;
  /** The name of the issuer identifier whose lists these are. */
  readonly issuerName: string;
  readonly statusListTtlSeconds: number;
  readonly listSignerAt: SigningKeys['listSignerAt'];
  readonly findList: ListWitness['findList'];
  readonly renew: RenewStatusList;
}

export interface StatusListQuestion {
  readonly listId: string;
  readonly knownEtag?: string | undefined;
}

export interface StatusListAnswer {
  readonly etag: string;
  /** How long a cache may keep it: never beyond `ttl` after it was built. */
  readonly maxAgeSeconds: number;
  /** Absent if `knownEtag` is still current. */
  readonly token?: string;
}

const ageSeconds = ({ publishedAt }: Publication, now: Date) => (now.getTime() - publishedAt.getTime()) / 1000;

function unavailable(): DomainError {
  const detail = 'the status list cannot currently be signed';
  return new DomainError({ kind: 'unavailable', code: 'status_list_unavailable', detail });
}

interface Need {
  readonly now: Date;
  readonly ttlSeconds: number;
  /** The minimum version. */
  readonly version: number;
  /**
   * The chain that must have signed it; undefined if that is not available now, so that any of our chains is accepted.
   */
  readonly signedWith: string | undefined;
}

/** A publication that may be served. */
interface Servable extends Publication {
  /** For how long from its `publishedAt` on: its own `ttl`, or that of this replica if it is shorter. */
  readonly usableSeconds: number;
}

/** The publication, if it is new enough and its end is so far off that a copy outlives its `ttl`. */
function servable(state: ListState, { now, ttlSeconds, version, signedWith }: Need): Servable | undefined {
  const { publication } = state;
  if (!publication?.terms || publication.version < version || isAhead(state, now)) return undefined;
  if (signedWith !== undefined && publication.signedWith !== signedWith) return undefined;
  const { terms } = publication;
  const usableSeconds = Math.min(ttlSeconds, terms.ttlSeconds);
  const outlives = terms.expiresAt.getTime() > now.getTime() + usableSeconds * 1000;
  return outlives ? { ...publication, usableSeconds } : undefined;
}

function answerOf({ knownEtag }: StatusListQuestion, publication: Servable, now: Date): StatusListAnswer {
  const { etag, usableSeconds } = publication;
  const token = etag === knownEtag ? undefined : publication.token;
  const left = Math.floor(usableSeconds - Math.max(0, ageSeconds(publication, now)));
  return { etag, maxAgeSeconds: Math.max(0, left), ...(token === undefined ? {} : { token }) };
}

/**
 * The signed status list for everybody (TSL §8). It is built from the changed entries at the first request after a
 * change, after half of its `ttl`, or after the certificate of its credentials was replaced; then it is stored and
 * served unchanged, by every replica. A list is signed with the key of its credentials, even if newer ones have
 * another. If it cannot be signed, the previous one is served as long as no status has changed. Throws
 * `status_list_not_found`, `status_list_unavailable`.
 */
export function getStatusList({
  clock,
  issuerName,
  statusListTtlSeconds: ttlSeconds,
  listSignerAt,
  findList,
  renew,
}: GetStatusListDeps) {
  async function find({ listId, knownEtag }: StatusListQuestion): Promise<ListState> {
    const state = await findList(listId, knownEtag);
    if (state?.issuer === issuerName) return state;
    throw new DomainError({ kind: 'not_found', code: 'status_list_not_found', detail: 'there is no such status list' });
  }

  /**
   * Tries twice: a renewal that was in progress when the question arrived may lack a change from just before. The
   * second one includes it, whatever has changed since.
   */
  async function renewFor(question: StatusListQuestion, list: ListToRenew, now: Date): Promise<Servable | undefined> {
    const needed = { now, ttlSeconds, signedWith: list.signedWith };
    await renew(list);
    const state = await find(question);
    const current = servable(state, { ...needed, version: state.version });
    if (current) return current;
    const version = await renew({ ...list, outdated: state.publication?.etag });
    const latest = await find(question);
    if (version !== undefined) return servable(latest, { ...needed, version });
    return servable(latest, { ...needed, version: latest.version, signedWith: undefined });
  }

  function signedWithOf(owner: ListToRenew['owner'], now: Date): string | undefined {
    try {
      return chainHash(listSignerAt(owner, now).x5c);
    } catch {
      // Reported by the renewal, which happens before the publication ends.
      return undefined;
    }
  }

  return async function getStatusList(question: StatusListQuestion): Promise<StatusListAnswer> {
    const now = clock();
    const state = await find(question);
    const signedWith = signedWithOf(state.x5c, now);
    const list = { listId: question.listId, owner: state.x5c, outdated: state.publication?.etag, signedWith };
    const current = servable(state, { now, ttlSeconds, version: state.version, signedWith });
    // Callers do not wait for the new signature of an unchanged list.
    if (current && ageSeconds(current, now) > current.usableSeconds / 2) void renew(list);
    const publication = current ?? (await renewFor(question, list, now));
    if (publication) return answerOf(question, publication, now);
    throw unavailable();
  };
}
