import { createAudit } from '@vestibule/persistence';
import { subjectHash } from '@vestibule/process';
import type { Deferral } from '../../domain/credential-offer';
import type { OfferChanges } from '../../domain/ports';
import * as SQL from './change-statements';
import { eventParameters, keyOf, type OfferStoreOptions } from './offer-row';
import { resealClaims } from './sealed-offer';
import { SCHEMA } from './migrations';
import { FAIL } from './statements';

interface ChangeableRow {
  configuration_id: string;
  expires_at: Date;
  session: Buffer | null;
  deferral: Deferral | null;
  is_open: boolean;
}

/** Changes of an offer in Postgres apart from redemption and issuance: completed later, failed, cancelled. */
export function createOfferChangeStore(options: OfferStoreOptions): OfferChanges {
  const { database, sealer } = options;
  const audit = createAudit({ database, schema: SCHEMA });
  return {
    async findChangeable(offerId, now) {
      const key = keyOf(offerId);
      const [row] = key ? await database.query<ChangeableRow>(SQL.FIND_CHANGEABLE, [key, now]) : [];
      if (!row) return undefined;
      const { configuration_id: configurationId, is_open: isOpen, deferral } = row;
      return { configurationId, isOpen, isDeferred: deferral !== null };
    },
    async completeClaims(offerId, claims, now) {
      const [row] = await database.query<ChangeableRow>(SQL.FIND_CHANGEABLE, [keyOf(offerId), now]);
      if (!row?.session) return false;
      const { configuration_id, expires_at, session } = row;
      const sealed = resealClaims(sealer, offerId, { configuration_id, expires_at, session }, claims);
      return (await database.query(SQL.COMPLETE_CLAIMS, [keyOf(offerId), now, sealed])).length === 1;
    },
    async fail(offerId, event, now) {
      const parameters = [keyOf(offerId), now, ...eventParameters(offerId, event, now, options)];
      return (await database.query(FAIL, parameters)).length === 1;
    },
    async markUnsigned(offerId, now) {
      await database.query(SQL.MARK_UNSIGNED, [keyOf(offerId), now]);
    },
    deny(offerId, event, now) {
      const parameters = [keyOf(offerId), now, ...eventParameters(offerId, event, now, options)];
      return audit.run(async (query) => {
        const result = (await query(FAIL, parameters)).length === 1;
        const entry = { action: 'offer.deny', target: subjectHash(offerId) };
        return { result, entry: result ? entry : undefined };
      });
    },
    cancel(offerId, event, now) {
      const parameters = [keyOf(offerId), now, ...eventParameters(offerId, event, now, options)];
      return audit.run<'cancelled' | 'ended' | 'unknown'>(async (query) => {
        const [row] = await query<{ ended: number; known: number }>(SQL.CANCEL, parameters);
        if (row?.ended !== 1) return { result: row?.known === 1 ? 'ended' : 'unknown', entry: undefined };
        return { result: 'cancelled', entry: { action: 'offer.cancel', target: subjectHash(offerId) } };
      });
    },
  };
}
