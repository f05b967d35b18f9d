import { ECDSA_ALGORITHMS } from '@vestibule/crypto';
import {
  acceptedOrRenewed,
  createNewestLists,
  createTokenCache,
  type CacheUse,
  type Egress,
  type EgressResponse,
  type Loaded,
  requireContent,
} from '@vestibule/egress';
import {
  DomainError,
  ProcessingFailure,
  VerificationFailure,
  type Clock,
  type JsonObject,
} from '@vestibule/foundation';
import type { AcceptedAttestation, StatusSignerKeys } from '@vestibule/oauth';
import {
  freshness,
  readStatus,
  STATUS_INVALID,
  STATUS_LIST_MEDIA_TYPE,
  STATUS_VALID,
  statusFailure,
  verifyStatusListToken,
  type StatusList,
} from '@vestibule/status-list';
import type { FindAttestationStatus } from '../../domain/ports';

export interface AttestationStatusOptions {
  readonly egress: Egress;
  /** Who may sign the lists of attestations of wallets and of keys; undefined where nobody may attest. */
  readonly signers: Readonly<Record<'wallet' | 'key', StatusSignerKeys | undefined>>;
  readonly clock: Clock;
  /** For how long after its `iat` a list counts. */
  readonly maxAgeSeconds: number;
  /** Is told of each use of what is cached. */
  readonly onUse?: ((use: CacheUse) => void) | undefined;
}

interface ListKey {
  readonly kind: 'wallet' | 'key';
  readonly uri: string;
}

const MEBIBYTE = 1_048_576;
const FETCH = {
  purpose: 'status-lists',
  accept: STATUS_LIST_MEDIA_TYPE,
  timeoutMilliseconds: 5_000,
  maxRedirects: 3,
} as const;
const MAX_TOKEN_BYTES = 4 * MEBIBYTE;
const MAX_LIST_BYTES = 16 * MEBIBYTE;
const CACHE = { maxBytes: 64 * MEBIBYTE, maxEntries: 1_000 };
const MAX_REMEMBERED_LISTS = 100_000;
const SKEW_SECONDS = 60;
/** After how long a cached list is fetched again early, because it says nothing about an attestation that names it. */
const REFUSED_MILLISECONDS = 10_000;
/** Failures of the address itself: another attempt would fail too. */
const LASTING: readonly string[] = ['egress_refused_url', 'egress_refused_address', 'egress_content_type'];
/** Answers that say that there is nothing; 408, 421, 425 and 429 are about the request. */
const NOTHING_THERE: readonly number[] = [400, 401, 403, 404, 405, 406, 410, 451];

/** There is no list at this address, and no other attempt would find one. */
class Unreadable extends DomainError {
  constructor() {
    const detail = 'there is no status list at the address of an attestation';
    super({ kind: 'unavailable', code: 'attestation_status_unavailable', detail });
  }
}

function signerKeys(signers: StatusSignerKeys | undefined, now: Date, attestation?: AcceptedAttestation) {
  return (header: JsonObject) => {
    const keys = signers?.(header, now, attestation) ?? [];
    if (keys.length === 0) throw statusFailure('status_token_signer_not_trusted');
    return keys;
  };
}

function mayStillSign(signers: StatusSignerKeys | undefined, { header }: StatusList, now: Date): boolean {
  try {
    return signerKeys(signers, now)(header).length > 0;
  } catch (error) {
    if (error instanceof VerificationFailure) return false;
    throw error;
  }
}

async function fetchList(egress: Egress, uri: string): Promise<EgressResponse> {
  try {
    const response = await egress.get(uri, { ...FETCH, maxBytes: MAX_TOKEN_BYTES });
    if (NOTHING_THERE.includes(response.status)) throw new Unreadable();
    return response;
  } catch (error) {
    if (error instanceof ProcessingFailure && LASTING.includes(error.code)) throw new Unreadable();
    throw error;
  }
}

function unavailable(cause: unknown): DomainError {
  const detail = 'the status list of an attestation could not be fetched';
  return new DomainError({ kind: 'unavailable', code: 'attestation_status_unavailable', detail, cause });
}

type NewestLists = ReturnType<typeof createNewestLists>;

/** Fetches and verifies lists. */
function loadFrom({ egress, signers, clock, maxAgeSeconds }: AttestationStatusOptions, newest: NewestLists) {
  return async (key: string): Promise<Loaded<StatusList>> => {
    const { kind, uri } = JSON.parse(key) as ListKey;
    const token = requireContent(await fetchList(egress, uri), STATUS_LIST_MEDIA_TYPE)
      .toString('utf8')
      .trim();
    const now = clock();
    const rules = {
      uri,
      now,
      skewSeconds: SKEW_SECONDS,
      maxAgeSeconds,
      maxListBytes: MAX_LIST_BYTES,
      certificate: 'optional' as const,
      algorithms: ECDSA_ALGORITHMS,
    };
    const list = await verifyStatusListToken(token, { ...rules, signerKeys: signerKeys(signers[kind], now) });
    if (newest.isOlder(uri, list.issuedAt)) throw statusFailure('status_list_rolled_back');
    newest.remember(uri, list.issuedAt);
    return { value: list, usableUntil: freshness(list, now), bytes: list.memoryBytes };
  };
}

/**
 * Looks up attestations in the status lists of their providers, which are fetched once and shared while they are fresh
 * (Token Status List §8.3). A list must be signed by somebody who may attest the same and belongs to the attester, with
 * an algorithm that attestations may have (TS3 1.5 §2.6), and must not be older than one that this process has accepted
 * (Token Status List §11.2).
 */
export function createAttestationStatus(options: AttestationStatusOptions): FindAttestationStatus {
  const { signers, clock, onUse } = options;
  const newest = createNewestLists(MAX_REMEMBERED_LISTS, clock);
  const lists = createTokenCache({ ...CACHE, clock, onUse, load: loadFrom(options, newest) });

  /**
   * One address may be cached for wallets and for keys: the older copy is fetched again. So is a list whose signer counts
   * for nobody any more, because its certificate has ended for example: it proves nothing against an attestation, and its
   * successor must not wait for the ttl. If that is unavailable, so is the list.
   */
  async function findNewest(name: string, { kind, uri }: ListKey, now: Date): Promise<StatusList> {
    const list = await lists.get(name);
    if (newest.isOlder(uri, list.issuedAt)) return lists.refresh(name);
    if (mayStillSign(signers[kind], list, now)) return list;
    const next = await lists.renew(name, REFUSED_MILLISECONDS);
    // Its signer counted when it was fetched just now: no load has shown yet what is there instead.
    return next === undefined || next === list ? lists.refresh(name) : next;
  }

  async function renew(key: string, uri: string): Promise<StatusList | undefined> {
    const list = await lists.renew(key, REFUSED_MILLISECONDS);
    if (list && newest.isOlder(uri, list.issuedAt)) throw statusFailure('status_list_rolled_back');
    return list;
  }

  return async function findAttestationStatus(kind, { uri, idx, attestation }, now) {
    const key: ListKey = { kind, uri };
    const name = JSON.stringify(key);
    // The signer is judged at each use: its certificate may have expired since the list was fetched, perhaps for another attestation.
    const accept = (list: StatusList): void => {
      signerKeys(signers[kind], now, attestation)(list.header);
      readStatus(list, idx);
    };
    try {
      const list = await acceptedOrRenewed(await findNewest(name, key, now), accept, () => renew(name, uri));
      const status = readStatus(list, idx);
      if (status === STATUS_VALID) return 'valid';
      return status === STATUS_INVALID ? 'invalid' : 'suspended';
    } catch (error) {
      if (error instanceof Unreadable) return 'unreadable';
      if (error instanceof VerificationFailure) return error;
      if (error instanceof ProcessingFailure && LASTING.includes(error.code)) return 'unreadable';
      throw unavailable(error);
    }
  };
}
