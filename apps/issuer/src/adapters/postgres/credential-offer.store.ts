import { callbackBatchParameters, callbackParameters } from '@vestibule/callbacks';
import type { IssuanceEvent } from '@vestibule/contracts';
import { sha256, type PublicJwk, type Sealer } from '@vestibule/crypto';
import { decodeBase64url, encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import { txCodeDigest, type GrantedCredential, type NotificationEvent } from '@vestibule/oid4vci';
import type { Database, Idempotency } from '@vestibule/persistence';
import { noteSubject } from '@vestibule/process';
import type { Deferral, OpenOffer } from '../../domain/credential-offer';
import { issuanceEvent } from '../../domain/issuance-event';
import type { OfferAnswer, Repeatable } from '../../use-cases/create-credential-offer';
import type { RedeemableOffer, Redemption } from '../../use-cases/exchange-pre-authorized-code';
import type { Grant } from '../../use-cases/authorize-wallet';
import type { Completion, IssueCredentialDeps } from '../../use-cases/issue-credential';
import type { OfferView, StoredOffer } from '../../use-cases/read-credential-offer';
import * as CHANGE_SQL from './change-statements';
import { SCHEMA } from './migrations';
import { eventOf, keyOf, sessionContext, transactionContext, type Session } from './offer-row';
import * as SQL from './statements';

export interface StoreOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly idempotency: Idempotency;
  readonly random: RandomBytes;
  readonly retentionSeconds: number;
  readonly callbackLifetimeSeconds: number;
  /** Keeps the claims of an issued offer until its time is over, for wallets that fetch one credential per request. */
  readonly keepsClaims: boolean;
}

const TX_CODE_KEY_BYTES = 32;

interface ViewRow {
  configuration_id: string;
  shortened_to: Date | null;
  status: OfferView['status'];
  created_at: Date;
  expires_at: Date;
  finished_at: Date | null;
  deferral: Deferral | null;
  notification_event: NotificationEvent | null;
  notified_at: Date | null;
}

interface OpenRow {
  session: Buffer;
  created_at: Date;
  expires_at: Date;
}

interface GrantRow extends Omit<OpenRow, 'session'> {
  offer_id: Buffer;
  configuration_id: string;
  session: Buffer | null;
  status: Grant['status'];
  thumbprint: string;
  granted: GrantedCredential[];
  client_id: string | null;
  deferral: Deferral | null;
  transaction_digest: Buffer | null;
  transaction_keys: Buffer | null;
  used_nonces: Buffer[];
}

function notificationView({ notification_event: event, notified_at: at }: ViewRow): Pick<OfferView, 'notification'> {
  return event && at ? { notification: { event, received_at: at.toISOString() } } : {};
}

/** Offers, tokens, spent nonces and proofs in Postgres: each step of an offer's life is one statement. */
export class CredentialOfferStore {
  constructor(private readonly options: StoreOptions) {}

  insert(
    offer: OpenOffer,
    txCodeValue: string | undefined,
    answer: OfferAnswer,
    call: Repeatable | undefined,
  ): Promise<OfferAnswer> {
    const { offerId, claims, preAuthorizedCode, txCode, createdAt, expiresAt } = offer;
    const txCodeKey = txCodeValue === undefined ? undefined : this.options.random(TX_CODE_KEY_BYTES);
    const session: Session = {
      claims,
      preAuthorizedCode,
      ...(txCode ? { txCode } : {}),
      ...(txCodeKey ? { txCodeKey: encodeBase64url(txCodeKey) } : {}),
    };
    const event = issuanceEvent(offerId, 'OFFER_CREATED');
    const parameters = [
      keyOf(offerId),
      offer.configurationId,
      this.options.sealer.seal(Buffer.from(JSON.stringify(session), 'utf8'), sessionContext(offerId)),
      sha256(preAuthorizedCode),
      txCodeKey && txCodeValue !== undefined ? Buffer.from(txCodeDigest(txCodeKey, offerId, txCodeValue)) : null,
      createdAt,
      expiresAt,
      offer.callbackUrl ?? null,
      offer.deferral ?? null,
      ...this.eventParameters(offerId, event, createdAt),
    ];
    const idempotent = call && { key: call.key, scope: 'credential-offer', input: call.body };
    return this.options.idempotency.once(idempotent, answer, (query) => query(SQL.INSERT, parameters));
  }

  async findOpen(offerId: string, now: Date): Promise<OpenOffer | undefined> {
    const key = keyOf(offerId);
    const [row] = key
      ? await this.options.database.query<OpenRow & { configuration_id: string }>(SQL.FIND_OPEN, [key, now])
      : [];
    if (!row) return undefined;
    const { claims, preAuthorizedCode, txCode } = this.openSession(offerId, row.session);
    return {
      offerId,
      configurationId: row.configuration_id,
      claims,
      preAuthorizedCode,
      ...(txCode ? { txCode } : {}),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    };
  }

  async findView(offerId: string): Promise<StoredOffer | undefined> {
    const key = keyOf(offerId);
    const [row] = key ? await this.options.database.query<ViewRow>(SQL.FIND_VIEW, [key]) : [];
    if (!row) return undefined;
    const view = {
      offer_id: offerId,
      status: row.status,
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      ...(row.finished_at ? { finished_at: row.finished_at.toISOString() } : {}),
      ...(row.deferral ? { deferral: row.deferral } : {}),
      ...notificationView(row),
    };
    return { configurationId: row.configuration_id, view, shortenedTo: row.shortened_to ?? undefined };
  }

  async findRedeemable(codeDigest: Uint8Array, now: Date): Promise<RedeemableOffer | undefined> {
    const [row] = await this.options.database.query<{
      offer_id: Buffer;
      configuration_id: string;
      has_tx_code: boolean;
      is_deferred: boolean;
      expires_at: Date;
    }>(SQL.FIND_REDEEMABLE, [Buffer.from(codeDigest), now]);
    if (!row) return undefined;
    const { configuration_id: configurationId, has_tx_code: hasTxCode, expires_at: expiresAt } = row;
    const offerId = encodeBase64url(row.offer_id);
    noteSubject(offerId);
    return { offerId, configurationId, hasTxCode, isDeferred: row.is_deferred, expiresAt };
  }

  async redeem(redemption: Redemption): Promise<'redeemed' | 'wrong_tx_code' | 'ended' | 'gone'> {
    const { offerId, txCode, now } = redemption;
    const digests = txCode === undefined ? [] : await this.txCodeDigests(offerId, txCode, now);
    const [row] = await this.options.database.query<{ redeemed: boolean; ended: boolean }>(SQL.REDEEM, [
      Buffer.from(redemption.codeDigest),
      digests,
      now,
      Buffer.from(redemption.tokenDigest),
      redemption.thumbprint,
      JSON.stringify(redemption.granted),
      redemption.tokenExpiresAt,
      redemption.clientId ?? null,
      ...this.eventParameters(offerId, redemption.failedEvent, now),
    ]);
    if (!row) return 'gone';
    if (row.redeemed) return 'redeemed';
    return row.ended ? 'ended' : 'wrong_tx_code';
  }

  async fail(offerId: string, event: IssuanceEvent, now: Date): Promise<boolean> {
    const parameters = [keyOf(offerId), now, ...this.eventParameters(offerId, event, now)];
    return (await this.options.database.query(SQL.FAIL, parameters)).length === 1;
  }

  async findGrant(
    tokenDigest: Uint8Array,
    now: Date,
    nonceDigests: readonly Uint8Array[] = [],
  ): Promise<Grant | undefined> {
    const [row] = await this.options.database.query<GrantRow>(SQL.FIND_GRANT, [
      Buffer.from(tokenDigest),
      now,
      nonceDigests.map((digest) => Buffer.from(digest)),
    ]);
    if (!row) return undefined;
    const offerId = encodeBase64url(row.offer_id);
    noteSubject(offerId);
    const claims = row.session ? this.openSession(offerId, row.session).claims : undefined;
    const { configuration_id: configurationId, status, thumbprint, granted, client_id: clientId } = row;
    const deferral = this.openDeferral(offerId, row);
    const known = {
      offerId,
      configurationId,
      status,
      claims,
      thumbprint,
      granted,
      clientId: clientId ?? undefined,
      usedNonces: row.used_nonces,
    };
    if (!deferral) return known;
    return { ...known, deferral, ...(row.session ? { claimsVersion: sha256(row.session) } : {}) };
  }

  spendProof(replayDigest: Uint8Array, expiresAt: Date): Promise<boolean> {
    return this.spend('dpop_proof', replayDigest, expiresAt);
  }

  spendAttestationProof(replayDigest: Uint8Array, expiresAt: Date): Promise<boolean> {
    return this.spend('attestation_proof', replayDigest, expiresAt);
  }

  async complete(completion: Completion): ReturnType<IssueCredentialDeps['complete']> {
    const { offer, nonces, entries, shortenedTo, event, now } = completion;
    const key = keyOf(offer.offerId);
    const version = offer.claimsVersion ? Buffer.from(offer.claimsVersion) : null;
    const { database, keepsClaims } = this.options;
    const [listNumbers, indexes] = [entries.map(({ listNumber }) => listNumber), entries.map(({ idx }) => idx)];
    const [row] = await database.query<{ spent: number; ended: number }>(SQL.COMPLETE, [
      key,
      now,
      nonces.map(({ digest }) => Buffer.from(digest)),
      nonces.map(({ expiresAt }) => expiresAt),
      keepsClaims,
      version,
      listNumbers,
      indexes,
      shortenedTo ?? null,
      ...this.eventParameters(offer.offerId, event, now),
    ]);
    if (row?.ended === 1) return 'issued';
    if (row && row.spent < nonces.length) return 'nonce_used';
    const again = [key, now, version, keepsClaims, listNumbers, indexes];
    const [late] = await database.query<{ is_open: boolean; is_issued: boolean }>(CHANGE_SQL.COMPLETE_AGAIN, again);
    if (late?.is_open) return 'claims_changed';
    return late?.is_issued ? 'issued' : 'ended';
  }

  async findOverdue(now: Date, limit: number): Promise<readonly string[]> {
    const rows = await this.options.database.query<{ offer_id: Buffer }>(SQL.FIND_OVERDUE, [now, limit]);
    return rows.map(({ offer_id: id }) => encodeBase64url(id));
  }

  async expire(endings: readonly { offerId: string; event: IssuanceEvent }[], now: Date): Promise<number> {
    const events = endings.map(({ offerId, event }) => eventOf(offerId, event));
    const [row] = await this.options.database.query<{ expired: number }>(SQL.EXPIRE, [
      now,
      endings.map(({ offerId }) => keyOf(offerId)),
      endings.map(({ offerId }) => offerId),
      ...callbackBatchParameters(events, this.enqueueing(now)),
    ]);
    return row?.expired ?? 0;
  }

  async purge(now: Date, limit: number): Promise<number> {
    const { database, retentionSeconds } = this.options;
    const ended = new Date(now.getTime() - retentionSeconds * 1000);
    const offers = await database.query(SQL.PURGE_OFFERS, [ended, limit]);
    const tokens = await database.query(SQL.PURGE_TOKENS, [now, limit]);
    const spent = await database.query(SQL.PURGE_SPENT, [now, limit]);
    const kept = await database.query(CHANGE_SQL.PURGE_KEPT, [now, limit]);
    return offers.length + tokens.length + spent.length + kept.length;
  }

  private openDeferral(offerId: string, row: GrantRow): Grant['deferral'] {
    const { deferral: state, transaction_digest: digest, transaction_keys: sealed } = row;
    if (!state) return undefined;
    if (!digest) return { state };
    const context = transactionContext(offerId);
    const keys = sealed && (JSON.parse(this.options.sealer.open(sealed, context).toString('utf8')) as PublicJwk[]);
    return { state, transaction: { digest, keys: keys ?? [] } };
  }

  private async spend(kind: 'dpop_proof' | 'attestation_proof', digest: Uint8Array, expiresAt: Date): Promise<boolean> {
    return (await this.options.database.query(SQL.SPEND_PROOF, [Buffer.from(digest), expiresAt, kind])).length === 1;
  }

  private openSession(offerId: string, sealed: Buffer): Session {
    return JSON.parse(this.options.sealer.open(sealed, sessionContext(offerId)).toString('utf8')) as Session;
  }

  /** One digest, or none where the offer has ended or has no transaction code. */
  private async txCodeDigests(offerId: string, code: string, now: Date): Promise<Buffer[]> {
    const [row] = await this.options.database.query<OpenRow>(SQL.FIND_OPEN, [keyOf(offerId), now]);
    const key = row && this.openSession(offerId, row.session).txCodeKey;
    const bytes = key === undefined ? undefined : decodeBase64url(key);
    return bytes ? [Buffer.from(txCodeDigest(bytes, offerId, code))] : [];
  }

  private eventParameters(offerId: string, event: IssuanceEvent, now: Date) {
    return callbackParameters(eventOf(offerId, event), this.enqueueing(now));
  }

  private enqueueing(now: Date) {
    const { sealer, random, callbackLifetimeSeconds } = this.options;
    return { schema: SCHEMA, sealer, random, now, expiresInSeconds: callbackLifetimeSeconds };
  }
}
