import {
  decodeBase64,
  DomainError,
  encodeBase64url,
  ProcessingFailure,
  type JsonObject,
  type RandomBytes,
} from '@vestibule/foundation';
import { jwkThumbprint, type EcJwk, type SignBytes } from '@vestibule/crypto';
import { concealClaims, type ConcealedClaims, type DisclosurePlan } from './conceal-claims';
import { SD_JWT_VC_TYPE } from './parse-sd-jwt-vc';
import { findReservedClaims } from './reserved-claims';

const SIGNATURE_BYTES = 64;

/** The claims that the issuer answers for; all of them but a disclosable `sub` are visible in every presentation. */
export interface RegisteredClaims {
  readonly iss: string;
  readonly sub: string;
  /** True where the holder may withhold `sub`: others have the same, or its type says so. Default false. */
  readonly isSubjectDisclosable?: boolean;
  /** NumericDates; see {@link roundValidity}. */
  readonly iat: number;
  readonly exp: number;
  readonly vct: string;
  readonly vctIntegrity?: string;
  /** The holder's key, which becomes `cnf.jwk`. */
  readonly confirmationKey: EcJwk;
  readonly status?: { readonly idx: number; readonly uri: string };
}

export interface IssuanceOrder {
  readonly sign: SignBytes;
  /** Base64 DER, leaf first, without the trust anchor. */
  readonly x5c: readonly string[];
  readonly registered: RegisteredClaims;
  readonly claims: JsonObject;
  readonly disclosurePlan: DisclosurePlan;
  readonly random: RandomBytes;
}

/** A subject that correlates no more than the credential's own key does: its thumbprint as a URN (RFC 9278 §3). */
export function thumbprintSubject(key: EcJwk): string {
  return `urn:ietf:params:oauth:jwk-thumbprint:sha-256:${jwkThumbprint(key)}`;
}

const UUID_BYTES = 16;

/** A random subject for all credentials of a batch, which are one dataset (OpenID4VCI 1.0 §3.3.2): a URN of a UUID, version 4. */
export function batchSubject(random: RandomBytes): string {
  const bytes = Buffer.from(random(UUID_BYTES));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `urn:uuid:${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')}`;
}

function requireIssuable(order: IssuanceOrder): void {
  const { registered, x5c } = order;
  const { iat, exp, status } = registered;
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp) || exp <= iat) throw new RangeError('iat before exp');
  const index = status?.idx ?? 0;
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError('a status index is a natural number');
  if (x5c.length === 0 || x5c.some((entry) => !decodeBase64(entry)?.byteLength))
    throw new RangeError('x5c is base64 DER');
  const faults = findReservedClaims(order.claims);
  if (faults.length > 0) {
    throw new DomainError({ kind: 'invalid', code: 'claims_not_issuable', detail: 'claims cannot be issued', faults });
  }
}

function registeredMembers(registered: RegisteredClaims): JsonObject {
  const { iss, sub, isSubjectDisclosable = false, iat, exp, vct, vctIntegrity, confirmationKey, status } = registered;
  const { kty, crv, x, y } = confirmationKey;
  return {
    iss,
    ...(isSubjectDisclosable ? {} : { sub }),
    iat,
    exp,
    vct,
    ...(vctIntegrity === undefined ? {} : { 'vct#integrity': vctIntegrity }),
    cnf: { jwk: { kty, crv, x, y } },
    ...(status === undefined ? {} : { status: { status_list: { idx: status.idx, uri: status.uri } } }),
  };
}

const encodeJson = (value: JsonObject) => encodeBase64url(Buffer.from(JSON.stringify(value), 'utf8'));

async function signJws(order: IssuanceOrder, payload: JsonObject): Promise<string> {
  const header = { alg: 'ES256', typ: SD_JWT_VC_TYPE, x5c: [...order.x5c] };
  const signingInput = `${encodeJson(header)}.${encodeJson(payload)}`;
  const signature = await order.sign(Buffer.from(signingInput, 'ascii'));
  if (signature.byteLength !== SIGNATURE_BYTES) {
    throw new ProcessingFailure('signature_malformed', 'the signer did not return R and S of 32 bytes each');
  }
  return `${signingInput}.${encodeBase64url(signature)}`;
}

/** The claims, and `sub` if it is disclosable, whose disclosure does not count among those of the claims. */
function concealAll({ registered, claims, disclosurePlan, random }: IssuanceOrder): ConcealedClaims {
  const concealed = concealClaims(claims, disclosurePlan, random);
  if (!registered.isSubjectDisclosable) return concealed;
  const { payload, disclosures } = concealClaims({ sub: registered.sub }, () => 'always', random);
  const digests = [concealed.payload, payload].flatMap(({ _sd }) => (_sd ?? []) as string[]);
  return {
    payload: { ...concealed.payload, _sd: digests.sort() },
    disclosures: [...concealed.disclosures, ...disclosures],
  };
}

/**
 * Issues an SD-JWT VC with every disclosure, ending with a tilde (RFC 9901 §4, SD-JWT VC §3, HAIP 1.0 §6.1). Nothing
 * that a claim with `sd: never` leaves disclosable means neither `_sd` nor `_sd_alg`.
 * Throws `claims_not_issuable` with a fault for each reserved name, `signature_malformed`, whatever the signer throws,
 * and a RangeError for an order that no correct caller gives.
 */
export async function issueSdJwtVc(order: IssuanceOrder): Promise<string> {
  requireIssuable(order);
  const { payload: concealed, disclosures } = concealAll(order);
  const hashing: JsonObject = disclosures.length > 0 ? { _sd_alg: 'sha-256' } : {};
  const payload = { ...registeredMembers(order.registered), ...concealed, ...hashing };
  return [await signJws(order, payload), ...disclosures, ''].join('~');
}
