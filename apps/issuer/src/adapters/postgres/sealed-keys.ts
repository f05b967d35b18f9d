import type { EcJwk, Sealer } from '@vestibule/crypto';
import { ownMember, type JsonObject } from '@vestibule/foundation';
import type { AttestationStatus } from '@vestibule/oauth';
import type { PromisedKeys, PromisedStatus } from '../../domain/issuance';
import { transactionContext } from './offer-row';

/**
 * A member of the first key. It is there because earlier versions read an array of keys, and of each key only what belongs
 * to it.
 */
const STATUSES = 'vestibule:statuses';

/** `acceptedAt` in milliseconds since 1970; not in those of earlier versions. */
type StatusRecord = AttestationStatus & { readonly acceptedAt?: number | undefined };

type KeyRecord = EcJwk & { readonly [STATUSES]?: readonly StatusRecord[] };

/** What of a header names the signer. */
function signerOf(header: JsonObject): JsonObject {
  const named = ['x5c', 'kid'].flatMap((name) => {
    const value = ownMember(header, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(named);
}

const hasReference = ({ own, maintained }: AttestationStatus) => own !== undefined || maintained !== undefined;

const recordOf = ({ header, own, maintained, acceptedAt }: PromisedStatus): StatusRecord => ({
  header: signerOf(header),
  own,
  maintained,
  acceptedAt: acceptedAt?.getTime(),
});

const statusOf = ({ header, own, maintained, acceptedAt }: StatusRecord): PromisedStatus => ({
  header,
  own,
  maintained,
  acceptedAt: acceptedAt === undefined ? undefined : new Date(acceptedAt),
});

/** Seals the keys of a deferred credential, and where the status of their attestations is found. */
export function sealPromisedKeys(sealer: Sealer, offerId: string, { keys, statuses }: PromisedKeys): Buffer {
  const kept = statuses.filter(hasReference).map(recordOf);
  const records = keys.map((key, index) => (index === 0 && kept.length > 0 ? { ...key, [STATUSES]: kept } : key));
  return sealer.seal(Buffer.from(JSON.stringify(records), 'utf8'), transactionContext(offerId));
}

/** Opens what {@link sealPromisedKeys} or an earlier version sealed. Throws `seal_broken`. */
export function openPromisedKeys(sealer: Sealer, offerId: string, sealed: Buffer): PromisedKeys {
  const records = JSON.parse(sealer.open(sealed, transactionContext(offerId)).toString('utf8')) as KeyRecord[];
  const keys = records.map(({ kty, crv, x, y }) => ({ kty, crv, x, y }));
  return { keys, statuses: (records[0]?.[STATUSES] ?? []).map(statusOf) };
}
