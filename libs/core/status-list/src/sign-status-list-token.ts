import type { SignBytes } from '@vestibule/crypto';
import { decodeBase64, encodeBase64url, toNumericDate, type JsonObject } from '@vestibule/foundation';
import { BEST_COMPRESSION, encodeStatusList } from './build-status-list';
import { STATUS_LIST_TOKEN_TYPE } from './parse-status-list-token';
import type { PackedStatuses } from './status-list';

export interface StatusListTokenOrder {
  /** The uri that the credentials name, character by character. */
  readonly uri: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly ttlSeconds: number;
  readonly list: PackedStatuses;
  /** Default 9, the best. */
  readonly compressionLevel?: number;
  /** Base64 DER, leaf first, without the trust anchor (HAIP 1.0 §6.1.1). */
  readonly x5c: readonly string[];
  /** Signs bytes with ES256: 64 bytes, R and S. */
  readonly signer: SignBytes;
}

const SIGNATURE_BYTES = 64;

function requireSoundOrder({ x5c, ttlSeconds, issuedAt, expiresAt }: StatusListTokenOrder): void {
  if (x5c.length === 0 || x5c.some((entry) => !decodeBase64(entry)?.byteLength)) {
    throw new RangeError('x5c is base64 DER');
  }
  if (!Number.isFinite(ttlSeconds) || ttlSeconds <= 0) throw new RangeError('ttl is positive');
  if (toNumericDate(expiresAt) <= toNumericDate(issuedAt)) throw new RangeError('exp is after iat');
}

const encode = (value: JsonObject): string => encodeBase64url(Buffer.from(JSON.stringify(value), 'utf8'));

/**
 * Signs a status list token (TSL §5.1): `typ` statuslist+jwt, ES256, `x5c`, `sub`, `iat`, `exp`, `ttl` and the compressed
 * list. Throws a RangeError for an order that no verifier would accept, and for a signer that does not sign ES256.
 */
export async function signStatusListToken(order: StatusListTokenOrder): Promise<string> {
  requireSoundOrder(order);
  const header = { alg: 'ES256', typ: STATUS_LIST_TOKEN_TYPE, x5c: [...order.x5c] };
  const claims = {
    sub: order.uri,
    iat: toNumericDate(order.issuedAt),
    exp: toNumericDate(order.expiresAt),
    ttl: order.ttlSeconds,
    status_list: { ...encodeStatusList(order.list, order.compressionLevel ?? BEST_COMPRESSION) },
  };
  const signingInput = `${encode(header)}.${encode(claims)}`;
  const signature = await order.signer(Buffer.from(signingInput, 'ascii'));
  if (signature.byteLength !== SIGNATURE_BYTES) throw new RangeError('an ES256 signature has 64 bytes');
  return `${signingInput}.${encodeBase64url(signature)}`;
}
