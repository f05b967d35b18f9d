import type { ReleasedCallback } from '@vestibule/callbacks';
import { sha256, type Sealer } from '@vestibule/crypto';
import { encodeBase64url, ProcessingFailure } from '@vestibule/foundation';
import type { GrantedCredential } from '@vestibule/oid4vci';
import { noteSubject } from '@vestibule/process';
import { tokenKey } from '../../domain/access-token';
import type { Deferral } from '../../domain/credential-offer';
import type { HandOver } from '../../domain/hand-over';
import type { Completion, CompletionOutcome, Grant, ReadOffer } from '../../domain/issuance';
import type { KeptAnswer } from '../../domain/kept-answer';
import type { Issuances, PresentedProof } from '../../domain/ports';
import * as CHANGE_SQL from './change-statements';
import { HAND_OVER, NOTIFY } from './delivery-statements';
import { FIND_KEPT } from './kept-statements';
import { eventParameters, keyOf, type OfferStoreOptions } from './offer-row';
import { openOffer } from './sealed-offer';
import { openPromisedKeys, sealPromisedKeys } from './sealed-keys';
import { openWalletStatus } from './sealed-status';
import * as SQL from './statements';

export interface IssuanceStoreOptions extends OfferStoreOptions {
  /** Keeps the claims of an issued offer until it expires, for wallets that fetch one credential per request. */
  readonly keepsClaims: boolean;
}

interface GrantRow {
  offer_id: Buffer;
  configuration_id: string;
  expires_at: Date;
  session: Buffer | null;
  status: Grant['status'];
  thumbprint: string;
  granted: GrantedCredential[];
  client_id: string | null;
  deferral: Deferral | null;
  transaction_digest: Buffer | null;
  transaction_keys: Buffer | null;
  wallet_status: Buffer | null;
  used_nonces: Buffer[];
  kept_requests: Buffer[] | null;
  /** Absent if no proof was presented. */
  is_proof_fresh?: boolean;
}

function openDeferral(sealer: Sealer, offerId: string, row: GrantRow): Grant['deferral'] {
  const { deferral: state, transaction_digest: digest, transaction_keys: sealed } = row;
  if (!state) return undefined;
  if (!digest) return { state };
  if (!sealed && row.status === 'OFFER_CREATED')
    throw new ProcessingFailure('record_altered', 'the keys of a deferred credential are gone');
  const promised = sealed ? openPromisedKeys(sealer, offerId, sealed) : { keys: [], statuses: [] };
  return { state, transaction: { digest, ...promised } };
}

function grantOf(options: OfferStoreOptions, offerId: string, row: GrantRow, now: Date): Grant {
  const { session, wallet_status: sealed } = row;
  const offer = session ? openOffer(options, offerId, { ...row, session }) : undefined;
  const { configuration_id: configurationId, status, thumbprint, granted, client_id: clientId } = row;
  const deferral = openDeferral(options.sealer, offerId, row);
  const isRequired = offer?.takesBoundTokens === true && !options.olderReplicas.wereSeen(now);
  const known = {
    offerId,
    configurationId,
    status,
    claims: offer?.claims,
    ...(offer ? { binding: { key: tokenKey(offer.preAuthorizedCode, offer.txCodeKey), isRequired } } : {}),
    thumbprint,
    granted,
    clientId: clientId ?? undefined,
    ...(sealed ? { walletStatus: openWalletStatus(options.sealer, offerId, sealed) } : {}),
    usedNonces: row.used_nonces,
    keptRequests: row.kept_requests ?? [],
    ...(row.is_proof_fresh === undefined ? {} : { isProofFresh: row.is_proof_fresh }),
  };
  if (!deferral) return known;
  return { ...known, deferral, ...(session ? { claimsVersion: sha256(session) } : {}) };
}

const proofParameters = ({ proof: { digest, expiresAt }, thumbprint }: PresentedProof) => [
  Buffer.from(digest),
  expiresAt,
  thumbprint,
];

/** The token of a request, and what is kept for it: the four parameters of `keepAnswerSql`, in order. */
function keptParameters({ accessToken }: ReadOffer, kept: KeptAnswer | undefined) {
  const token = sha256(accessToken);
  if (!kept) return [token, null, null, null];
  return [token, Buffer.from(kept.requestDigest), Buffer.from(kept.sealed), kept.expiresAt];
}

/** What wallets do with their access tokens, in Postgres: each step is one statement. */
export function createIssuanceStore(options: IssuanceStoreOptions): Issuances {
  const { database, sealer } = options;
  return {
    async findGrant(tokenDigest, now, nonceDigests, presented) {
      const asked = [Buffer.from(tokenDigest), now, nonceDigests.map((digest) => Buffer.from(digest))];
      const [row] = presented
        ? await database.query<GrantRow>(SQL.FIND_GRANT_WITH_PROOF, [...asked, ...proofParameters(presented)])
        : await database.query<GrantRow>(SQL.FIND_GRANT, asked);
      if (!row) return undefined;
      const offerId = encodeBase64url(row.offer_id);
      noteSubject(offerId);
      return grantOf(options, offerId, row, now);
    },
    async defer(offer, nonces, { transactionDigest, kept, ...promised }, now) {
      const { offerId } = offer;
      const [row] = await database.query<{ spent: number; deferred: number }>(CHANGE_SQL.DEFER, [
        keyOf(offerId),
        now,
        nonces.map(({ digest }) => Buffer.from(digest)),
        nonces.map(({ expiresAt }) => expiresAt),
        Buffer.from(transactionDigest),
        sealPromisedKeys(sealer, offerId, promised),
        ...keptParameters(offer, kept),
      ]);
      if (row?.deferred === 1) return 'deferred';
      return row && row.spent < nonces.length ? 'nonce_used' : 'ended';
    },
    complete: completing(options),
    async findKept(tokenDigest, requestDigest, now) {
      const parameters = [Buffer.from(tokenDigest), Buffer.from(requestDigest), now];
      const [row] = await database.query<{ sealed: Buffer }>(FIND_KEPT, parameters);
      return row?.sealed;
    },
    ...deliveries(options),
  };
}

/** What was handed over for each offer: a batch may contain an offer twice. */
function byOffer(handOvers: readonly HandOver[]) {
  const offers = new Map<string, { isFirst: boolean; isRepeated: boolean }>();
  for (const { offerId, isRepeated } of handOvers) {
    const known = offers.get(offerId) ?? { isFirst: false, isRepeated: false };
    offers.set(offerId, isRepeated ? { ...known, isRepeated } : { ...known, isFirst: true });
  }
  return [...offers].flatMap(([offerId, which]) => {
    const key = keyOf(offerId);
    return key ? [{ key, offerId, ...which }] : [];
  });
}

/** What is recorded about answers after they were made. */
function deliveries({ database, commit }: IssuanceStoreOptions) {
  return {
    async recordNotification(offerId, event, now) {
      const [row] = await database.query<{ released: number }>(NOTIFY, [keyOf(offerId), event, now, offerId]);
      return (row?.released ?? 0) > 0;
    },
    async recordHandOvers(handOvers, now) {
      const offers = byOffer(handOvers);
      const subjects = offers.map(({ offerId }) => offerId);
      return commit(offers.length, async ({ count, milliseconds, deliveredOf }) => {
        const released = await database.query<ReleasedCallback>(HAND_OVER, [
          offers.map(({ key }) => key),
          subjects,
          offers.map(({ isFirst }) => isFirst),
          offers.map(({ isRepeated }) => isRepeated),
          now,
          milliseconds,
          count,
          deliveredOf(subjects),
        ]);
        const leased = released.flatMap(({ payload, ...event }) => (payload ? [{ ...event, payload }] : []));
        return { result: released.length > 0, leased, isWaiting: leased.length < released.length };
      });
    },
  } satisfies Partial<Issuances>;
}

/** The statement for these nonces and entries, its parameters `$3` and `$4`, and `$7` and `$8`, also as arrays. */
function completionOf({ nonces, entries }: Pick<Completion, 'nonces' | 'entries'>) {
  const spending = [nonces.map(({ digest }) => Buffer.from(digest)), nonces.map(({ expiresAt }) => expiresAt)];
  const marking = [entries.map(({ listNumber }) => listNumber), entries.map(({ idx }) => idx)];
  if (nonces.length !== 1 || entries.length > 1) return { sql: SQL.COMPLETE, spending, marking, marked: marking };
  const only = (values: readonly (readonly unknown[])[]) => values.map(([value = null]) => value);
  return { sql: SQL.COMPLETE_ONE, spending: only(spending), marking: only(marking), marked: marking };
}

interface LateRow {
  is_open: boolean;
  is_issued: boolean;
  /** The claims are kept for this request, whether or not an equal one was answered. */
  is_served: boolean;
}

function outcomeOf(late: LateRow | undefined): CompletionOutcome {
  if (late?.is_open) return 'claims_changed';
  if (late?.is_issued) return 'issued';
  return late?.is_served ? 'answered' : 'ended';
}

function completing(options: IssuanceStoreOptions): Issuances['complete'] {
  const { database, keepsClaims } = options;
  return async ({ offer, nonces, entries, shortenedTo, event, now, kept, holdSeconds, isDeferred, replaced }) => {
    const key = keyOf(offer.offerId);
    const version = offer.claimsVersion ? Buffer.from(offer.claimsVersion) : null;
    const keeping = keptParameters(offer, kept);
    const { sql, spending, marking, marked } = completionOf({ nonces, entries });
    const [row] = await database.query<{ spent: number; ended: boolean }>(sql, [
      key,
      now,
      ...spending,
      keepsClaims,
      version,
      ...marking,
      shortenedTo ?? null,
      ...keeping,
      ...eventParameters(offer.offerId, event, now, options),
      holdSeconds,
    ]);
    if (row?.ended) return 'issued';
    if (row && row.spent < nonces.length) return 'nonce_used';
    const isServed = keepsClaims && isDeferred !== true;
    const again = [key, now, version, isServed, ...marked, ...keeping, replaced ? Buffer.from(replaced) : null];
    return outcomeOf((await database.query<LateRow>(CHANGE_SQL.COMPLETE_AGAIN, again))[0]);
  };
}
