import { callbackParameters } from '@vestibule/callbacks';
import type { IssuanceEvent } from '@vestibule/contracts';
import type { PublicJwk, Sealer } from '@vestibule/crypto';
import type { JsonObject, RandomBytes } from '@vestibule/foundation';
import type { VerifiedNonce } from '@vestibule/oauth';
import type { NotificationEvent } from '@vestibule/oid4vci';
import type { Database } from '@vestibule/persistence';
import type { Deferral } from '../../domain/credential-offer';
import type { CancelCredentialOfferDeps } from '../../use-cases/cancel-credential-offer';
import type { ChangeableOffer } from '../../use-cases/change-credential-offer';
import type { PromisedCredential } from '../../use-cases/issue-credential';
import * as SQL from './change-statements';
import { eventOf, keyOf, sessionContext, transactionContext, type Session } from './offer-row';
import { SCHEMA } from './migrations';

export interface OfferChangeStoreOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly random: RandomBytes;
  readonly callbackLifetimeSeconds: number;
}

interface ChangeableRow {
  configuration_id: string;
  session: Buffer | null;
  deferral: Deferral | null;
  is_open: boolean;
}

/** What happens to an offer besides being redeemed: cancelled, completed later, promised, reported on. */
export class OfferChangeStore {
  constructor(private readonly options: OfferChangeStoreOptions) {}

  async cancel(offerId: string, event: IssuanceEvent, now: Date): ReturnType<CancelCredentialOfferDeps['cancel']> {
    const { database, sealer, random, callbackLifetimeSeconds: expiresInSeconds } = this.options;
    const enqueueing = { schema: SCHEMA, sealer, random, now, expiresInSeconds };
    const parameters = callbackParameters(eventOf(offerId, event), enqueueing);
    const [row] = await database.query<{ ended: number; known: number }>(SQL.CANCEL, [
      keyOf(offerId),
      now,
      ...parameters,
    ]);
    if (row?.ended === 1) return 'cancelled';
    return row?.known === 1 ? 'ended' : 'unknown';
  }

  async findChangeable(offerId: string, now: Date): Promise<ChangeableOffer | undefined> {
    const key = keyOf(offerId);
    const [row] = key ? await this.options.database.query<ChangeableRow>(SQL.FIND_CHANGEABLE, [key, now]) : [];
    if (!row) return undefined;
    const { configuration_id: configurationId, is_open: isOpen, deferral } = row;
    return { configurationId, isOpen, isDeferred: deferral !== null };
  }

  /** Seals the claims into the session of the offer; false when the offer ended meanwhile. */
  async completeClaims(offerId: string, claims: JsonObject, now: Date): Promise<boolean> {
    const { database, sealer } = this.options;
    const [row] = await database.query<ChangeableRow>(SQL.FIND_CHANGEABLE, [keyOf(offerId), now]);
    if (!row?.session) return false;
    const context = sessionContext(offerId);
    const session = JSON.parse(sealer.open(row.session, context).toString('utf8')) as Session;
    const sealed = sealer.seal(Buffer.from(JSON.stringify({ ...session, claims }), 'utf8'), context);
    return (await database.query(SQL.COMPLETE_CLAIMS, [keyOf(offerId), now, sealed])).length === 1;
  }

  async defer(
    offerId: string,
    nonces: readonly VerifiedNonce[],
    { transactionDigest, keys }: PromisedCredential,
    now: Date,
  ): Promise<'deferred' | 'nonce_used' | 'ended'> {
    const { database, sealer } = this.options;
    const [row] = await database.query<{ spent: number; deferred: number }>(SQL.DEFER, [
      keyOf(offerId),
      now,
      nonces.map(({ digest }) => Buffer.from(digest)),
      nonces.map(({ expiresAt }) => expiresAt),
      Buffer.from(transactionDigest),
      sealer.seal(
        Buffer.from(JSON.stringify(keys satisfies readonly PublicJwk[]), 'utf8'),
        transactionContext(offerId),
      ),
    ]);
    if (row?.deferred === 1) return 'deferred';
    return row && row.spent < nonces.length ? 'nonce_used' : 'ended';
  }

  async recordNotification(offerId: string, event: NotificationEvent, now: Date): Promise<void> {
    await this.options.database.query(SQL.NOTIFY, [keyOf(offerId), event, now]);
  }
}
