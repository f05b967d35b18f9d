import type { EcJwk, Sealer } from '@vestibule/crypto';
import type { PromisedKeys } from '../../domain/issuance';
import { transactionContext } from './offer-row';
import { recordOf, statusOf, type StatusRecord } from './sealed-status';

/**
 * A member of the first key. It is there because earlier versions read an array of keys, and of each key only what belongs
 * to it.
 */
const STATUSES = 'vestibule:statuses';

type KeyRecord = EcJwk & { readonly [STATUSES]?: readonly StatusRecord[] };

/** Does it say where its status is, or who has signed it? */
const isTelling = ({ header, own, maintained }: StatusRecord) =>
  own !== undefined || maintained !== undefined || Object.keys(header).length > 0;

/** Seals the keys of a deferred credential, who attested them, and where the status of their attestations is found. */
export function sealPromisedKeys(sealer: Sealer, offerId: string, { keys, statuses }: PromisedKeys): Buffer {
  const kept = statuses.map(recordOf).filter(isTelling);
  const records = keys.map((key, index) => (index === 0 && kept.length > 0 ? { ...key, [STATUSES]: kept } : key));
  return sealer.seal(Buffer.from(JSON.stringify(records), 'utf8'), transactionContext(offerId));
}

/** Opens what {@link sealPromisedKeys} or an earlier version sealed. Throws `seal_broken`. */
export function openPromisedKeys(sealer: Sealer, offerId: string, sealed: Buffer): PromisedKeys {
  const records = JSON.parse(sealer.open(sealed, transactionContext(offerId)).toString('utf8')) as KeyRecord[];
  const keys = records.map(({ kty, crv, x, y }) => ({ kty, crv, x, y }));
  return { keys, statuses: (records[0]?.[STATUSES] ?? []).map(statusOf) };
}
