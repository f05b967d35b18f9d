import type { PublicJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { FlowType, TransactionDatum } from '@vestibule/oid4vp';
import type { PendingRequest } from '../../domain/presentation-request';

/** The sealed part of an open request; times are in separate columns, too. */
interface SessionRecord {
  readonly clientId: string;
  readonly dcqlQuery: JsonObject;
  readonly transactionData: readonly TransactionDatum[];
  readonly redirectUri?: string;
  readonly registrationId?: string;
  readonly relyingParty?: string;
  /** Milliseconds. A later time in the row does not prolong the request. Absent: sealed by an earlier version. */
  readonly endsAt?: number;
  /** Null for the configured receiver. Absent: sealed by an earlier version. */
  readonly callbackUrl?: string | null;
  readonly variants: readonly {
    readonly flowType: FlowType;
    readonly nonce: string;
    readonly kid: string;
    readonly privateKey: string;
    readonly publicJwk: PublicJwk;
  }[];
}

/** The sealed part of a request as bytes. */
export function encodeSession(request: PendingRequest): Buffer {
  const { clientId, dcqlQuery, transactionData, redirectUri, registrationId, relyingParty } = request;
  const variants = request.variants.map(({ privateKey, ...rest }) => ({
    ...rest,
    privateKey: Buffer.from(privateKey).toString('base64url'),
  }));
  const record: SessionRecord = {
    clientId,
    dcqlQuery,
    transactionData,
    variants,
    endsAt: request.expiresAt.getTime(),
    callbackUrl: request.callbackUrl ?? null,
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...(registrationId === undefined ? {} : { registrationId }),
    ...(relyingParty === undefined ? {} : { relyingParty }),
  };
  return Buffer.from(JSON.stringify(record), 'utf8');
}

/** A request from its sealed part, which this program wrote and authenticated, and its times: it ends at the earlier one. */
export function decodeSession(bytes: Buffer, row: { state: string; createdAt: Date; expiresAt: Date }): PendingRequest {
  const { endsAt = Infinity, callbackUrl: receiver, ...record } = JSON.parse(bytes.toString('utf8')) as SessionRecord;
  const variants = record.variants.map((variant) => ({
    ...variant,
    privateKey: Buffer.from(variant.privateKey, 'base64url'),
  }));
  const expiresAt = new Date(Math.min(endsAt, row.expiresAt.getTime()));
  return { ...record, ...row, expiresAt, variants, ...(receiver === undefined ? {} : { receiver }) };
}
