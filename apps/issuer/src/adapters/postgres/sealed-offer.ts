import { parseTimedId, sha256, type Sealer } from '@vestibule/crypto';
import { decodeBase64url, encodeBase64url, ProcessingFailure, type JsonObject } from '@vestibule/foundation';
import type { TxCodeRequest } from '@vestibule/oid4vci';
import type { Deferral } from '../../domain/credential-offer';
import type { OfferStoreOptions } from './offer-row';

/** What the program knows of an open offer: sealed with it, and deleted when it ends. */
export interface Session {
  readonly claims: JsonObject;
  readonly preAuthorizedCode: string;
  readonly txCode?: TxCodeRequest;
  /** Only for an offer with a transaction code: the key of its digest, which does not depend on the sealing keys. */
  readonly txCodeKey?: Uint8Array;
}

/** Columns beside the session that decide what becomes of it: somebody without a key may have written them. */
export interface OfferColumns {
  readonly configuration_id: string;
  readonly expires_at: Date;
  /** Absent where nothing depends on it. */
  readonly deferral?: Deferral | null;
}

/** An offer whose row agrees with its session. */
export interface OpenedOffer extends Session {
  /** Does it take tokens of the present form only? */
  readonly takesBoundTokens: boolean;
}

/** How an offer is sealed. */
export interface OfferTerms {
  readonly configurationId: string;
  readonly expiresAt: Date;
  readonly deferral?: Deferral | undefined;
  /** False while replicas of the previous version may make tokens for it, which have no tag. */
  readonly takesBoundTokens: boolean;
}

/** The sealed JSON. The last three members are absent if an earlier version has sealed it. */
interface SessionRecord extends Omit<Session, 'txCodeKey'> {
  readonly txCodeKey?: string;
  /** The credential type: {@link markOfType}. */
  readonly type?: string;
  /** How many seconds after the time in its id the offer ends at the latest. */
  readonly lasts?: number;
  readonly bound?: 1;
}

/**
 * A member of claims that are to be replaced. It is among them because earlier versions, too, replace all of them together
 * and keep the other members of the session.
 */
const WAITING = 'vestibule:waiting';
const TYPE_BYTES = 8;
/** A deferred offer lives as long as its token: the bound of `DEFERRED_SECONDS`, and that of `REDELIVERY_SECONDS`. */
const MOST_DEFERRED_SECONDS = 2_592_000 + 600;

/** What the sealed session of an offer is bound to. */
export const sessionContext = (offerId: string) => `issuer.credential_offer.session/${offerId}`;

/** Tells the types of an installation apart. */
const markOfType = (configurationId: string) => encodeBase64url(sha256(configurationId).subarray(0, TYPE_BYTES));

/** The second in which an offer was made, from its id. */
const secondOf = (offerId: string) => Buffer.from(parseTimedId(offerId) ?? Buffer.alloc(4)).readUInt32BE(0);

function altered(what: 'type' | 'end' | 'claims'): ProcessingFailure {
  const detail = `the row of an offer does not agree with its session: another ${what}`;
  return new ProcessingFailure('record_altered', detail);
}

function sealRecord(sealer: Sealer, offerId: string, record: SessionRecord): Buffer {
  return sealer.seal(Buffer.from(JSON.stringify(record), 'utf8'), sessionContext(offerId));
}

function openRecord(sealer: Sealer, offerId: string, sealed: Buffer): SessionRecord {
  return JSON.parse(sealer.open(sealed, sessionContext(offerId)).toString('utf8')) as SessionRecord;
}

/** Seals a new offer with what its row says about it. */
export function sealOffer(sealer: Sealer, offerId: string, session: Session, terms: OfferTerms): Buffer {
  const { claims, txCodeKey, ...rest } = session;
  const { configurationId, expiresAt, deferral, takesBoundTokens } = terms;
  const lasts = Math.ceil(expiresAt.getTime() / 1000) - secondOf(offerId);
  return sealRecord(sealer, offerId, {
    ...rest,
    ...(txCodeKey ? { txCodeKey: encodeBase64url(txCodeKey) } : {}),
    claims: deferral === 'waiting' ? { ...claims, [WAITING]: 1 } : claims,
    type: markOfType(configurationId),
    lasts: deferral ? lasts + MOST_DEFERRED_SECONDS : lasts,
    ...(takesBoundTokens ? { bound: 1 } : {}),
  });
}

/** Throws `record_altered` if a row says otherwise than what was sealed with it. */
function requireAgreement(offerId: string, record: SessionRecord, row: OfferColumns): void {
  const { type, lasts, claims } = record;
  if (type !== undefined && type !== markOfType(row.configuration_id)) throw altered('type');
  const endsAt = lasts === undefined ? Infinity : (secondOf(offerId) + lasts) * 1000;
  if (row.expires_at.getTime() > endsAt) throw altered('end');
  const isWaiting = Object.hasOwn(claims, WAITING);
  if (isWaiting && row.deferral !== undefined && row.deferral !== 'waiting') throw altered('claims');
}

type Opening = Pick<OfferStoreOptions, 'sealer' | 'olderReplicas'>;

/** Opens the session of a row. Throws `seal_broken` and `record_altered`. */
export function openOffer(
  { sealer, olderReplicas }: Opening,
  offerId: string,
  row: OfferColumns & { session: Buffer },
): OpenedOffer {
  const record = openRecord(sealer, offerId, row.session);
  if (record.type === undefined) olderReplicas.note(new Date(secondOf(offerId) * 1000));
  requireAgreement(offerId, record, row);
  const { [WAITING]: _waiting, ...claims } = record.claims;
  const { preAuthorizedCode, txCode } = record;
  const txCodeKey = record.txCodeKey === undefined ? undefined : decodeBase64url(record.txCodeKey);
  return {
    claims,
    preAuthorizedCode,
    ...(txCode ? { txCode } : {}),
    ...(txCodeKey ? { txCodeKey } : {}),
    takesBoundTokens: record.bound === 1,
  };
}

/** The session of a row with other claims. Throws as {@link openOffer} does. */
export function resealClaims(
  sealer: Sealer,
  offerId: string,
  row: OfferColumns & { session: Buffer },
  claims: JsonObject,
): Buffer {
  const record = openRecord(sealer, offerId, row.session);
  requireAgreement(offerId, record, row);
  return sealRecord(sealer, offerId, { ...record, claims });
}
