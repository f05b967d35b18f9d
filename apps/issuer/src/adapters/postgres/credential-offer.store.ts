import { callbackBatchParameters, commitEvent } from '@vestibule/callbacks';
import { sha256 } from '@vestibule/crypto';
import { encodeBase64url } from '@vestibule/foundation';
import { txCodeDigest } from '@vestibule/oid4vci';
import type { Idempotency } from '@vestibule/persistence';
import { purgeEach } from '@vestibule/process';
import { issuanceEvent } from '../../domain/issuance-event';
import type { UnkeptBy } from '../../domain/kept-claims';
import type { CredentialOffers, Repeatable } from '../../domain/ports';
import * as CHANGE_SQL from './change-statements';
import { enqueueingAt, eventOf, eventParameters, keyOf, type OfferStoreOptions } from './offer-row';
import { openOffer, sealOffer } from './sealed-offer';
import { storedOffer, type ViewRow } from './offer-view';
import * as PURGE_SQL from './purge-statements';
import * as SQL from './statements';

export interface CredentialOfferStoreOptions extends OfferStoreOptions {
  readonly idempotency: Idempotency;
  readonly retentionSeconds: number;
  /** How long answers are kept: no offer is deleted before. */
  readonly redeliverySeconds: number;
  readonly unkeptBy: UnkeptBy;
}

const TX_CODE_KEY_BYTES = 32;

interface OpenRow {
  configuration_id: string;
  session: Buffer;
  created_at: Date;
  expires_at: Date;
}

interface OverdueRow {
  offer_id: Buffer;
  was_unserved: boolean;
  was_unsigned: boolean;
}

function findings(options: CredentialOfferStoreOptions) {
  const { database } = options;
  return {
    async findOpen(offerId, now) {
      const key = keyOf(offerId);
      const [row] = key ? await database.query<OpenRow>(SQL.FIND_OPEN, [key, now]) : [];
      if (!row) return undefined;
      const { claims, preAuthorizedCode, txCode } = openOffer(options, offerId, row);
      return {
        offerId,
        configurationId: row.configuration_id,
        claims,
        preAuthorizedCode,
        ...(txCode ? { txCode } : {}),
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      };
    },
    async findView(offerId) {
      const key = keyOf(offerId);
      const [row] = key ? await database.query<ViewRow>(SQL.FIND_VIEW, [key]) : [];
      return row && storedOffer(offerId, row);
    },
    async findOverdue(now, limit) {
      const rows = await database.query<OverdueRow>(SQL.FIND_OVERDUE, [now, limit]);
      return rows.map(({ offer_id: id, was_unserved: wasUnserved, was_unsigned: wasUnsigned }) => ({
        offerId: encodeBase64url(id),
        wasUnserved,
        ...(wasUnserved && wasUnsigned ? { wasUnsigned } : {}),
      }));
    },
  } satisfies Partial<CredentialOffers>;
}

function endings(options: CredentialOfferStoreOptions) {
  const { database, retentionSeconds, redeliverySeconds, unkeptBy } = options;
  const keptMilliseconds = Math.max(retentionSeconds, redeliverySeconds) * 1000;
  const endedBy = (now: Date): Date => new Date(now.getTime() - keptMilliseconds);
  return {
    async expire(expiries, now) {
      const events = expiries.map(({ offerId, event }) => eventOf(offerId, event));
      const [row] = await database.query<{ expired: number }>(SQL.EXPIRE, [
        now,
        expiries.map(({ offerId }) => keyOf(offerId)),
        expiries.map(({ offerId }) => offerId),
        ...callbackBatchParameters(events, enqueueingAt(now, options)),
      ]);
      return row?.expired ?? 0;
    },
    async markUnserved(wallets, now) {
      const names = wallets.map(({ name }) => Buffer.from(name, 'base64url'));
      const ago = wallets.map(({ millisecondsAgo }) => millisecondsAgo);
      return (await database.query(CHANGE_SQL.MARK_UNSERVED, [wallets.map(({ by }) => by), names, ago, now])).length;
    },
    async hasRemains(now) {
      const times = [now, endedBy(now), unkeptBy(now) ?? null];
      const [row] = await database.query<{ remain: boolean }>(PURGE_SQL.REMAINS, times);
      return row?.remain ?? false;
    },
    async purge(now, limit) {
      const [ended, unkept] = [endedBy(now), unkeptBy(now)];
      const purging =
        (sql: string, before: Date, ...more: readonly Date[]) =>
        async () =>
          (await database.query(sql, [before, limit, ...more])).length;
      return purgeEach([
        // An offer may go together with the claims that it kept.
        purging(CHANGE_SQL.PURGE_KEPT, now),
        ...(unkept ? [purging(CHANGE_SQL.PURGE_UNKEPT, unkept)] : []),
        purging(PURGE_SQL.PURGE_OFFERS, ended, now),
        purging(PURGE_SQL.PURGE_TOKENS, now),
        purging(PURGE_SQL.PURGE_SPENT, now),
        async () =>
          (await database.query<{ purged: number }>(PURGE_SQL.PURGE_KEPT_ANSWERS, [now, limit]))[0]?.purged ?? 0,
      ]);
    },
  } satisfies Partial<CredentialOffers>;
}

const callOf = ({ key, body }: Repeatable) => ({ key, scope: 'credential-offer', input: body });

/** Offers in Postgres, from creation to expiry: each step is one statement. */
export function createCredentialOfferStore(options: CredentialOfferStoreOptions): CredentialOffers {
  const { sealer, idempotency, random, commit } = options;
  return {
    async insert(offer, txCodeValue, answer, call) {
      const { offerId, claims, preAuthorizedCode, txCode, createdAt, expiresAt } = offer;
      const txCodeKey = txCodeValue === undefined ? undefined : random(TX_CODE_KEY_BYTES);
      const session = { claims, preAuthorizedCode, ...(txCode ? { txCode } : {}), ...(txCodeKey ? { txCodeKey } : {}) };
      const terms = { ...offer, takesBoundTokens: !options.olderReplicas.mayRun(createdAt) };
      const event = eventParameters(offerId, issuanceEvent(offerId, 'OFFER_CREATED'), createdAt, options);
      const parameters = [
        keyOf(offerId),
        offer.configurationId,
        sealOffer(sealer, offerId, session, terms),
        sha256(preAuthorizedCode),
        txCodeKey && txCodeValue !== undefined ? Buffer.from(txCodeDigest(txCodeKey, offerId, txCodeValue)) : null,
        createdAt,
        expiresAt,
        offer.callbackUrl ?? null,
        offer.deferral ?? null,
        ...event,
      ];
      const idempotent = call && callOf(call);
      return commitEvent(commit, event, async (leaseMilliseconds) => {
        let leased: boolean | undefined;
        const result = await idempotency.once(idempotent, answer, async (query) => {
          const [row] = await query<{ leased: boolean }>(SQL.INSERT, [...parameters, leaseMilliseconds]);
          leased = row?.leased;
        });
        return { result, leased };
      });
    },
    recall: (call) => idempotency.recall(callOf(call)),
    ...findings(options),
    ...endings(options),
  };
}
