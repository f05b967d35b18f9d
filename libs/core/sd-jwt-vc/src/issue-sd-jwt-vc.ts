import {
  decodeBase64,
  DomainError,
  encodeBase64url,
  ProcessingFailure,
  type JsonObject,
  type RandomBytes,
} from '@vestibule/foundation';
import { jwkThumbprint, type EcJwk } from '@vestibule/crypto';
import { concealClaims, type DisclosurePlan } from './conceal-claims';
import { SD_JWT_VC_TYPE } from './parse-sd-jwt-vc';
import { findReservedClaims } from './reserved-claims';

const SIGNATURE_BYTES = 64;

/** Signs with ES256 and returns R and S, 32 bytes each; the key may sit in this process or in an HSM. */
export type SignBytes = (input: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** The claims that the issuer answers for; all of them are visible in every presentation. */
export interface RegisteredClaims {
  readonly iss: string;
  readonly sub: string;
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
  const { iss, sub, iat, exp, vct, vctIntegrity, confirmationKey, status } = registered;
  const { kty, crv, x, y } = confirmationKey;
  return {
    iss,
    sub,
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

/**
 * Issues an SD-JWT VC with every disclosure, ending with a tilde (RFC 9901 §4, SD-JWT VC §3, HAIP 1.0 §6.1). Nothing
 * that a claim with `sd: never` leaves disclosable means neither `_sd` nor `_sd_alg`.
 * Throws `claims_not_issuable` with a fault for each reserved name, `signature_malformed`, whatever the signer throws,
 * and a RangeError for an order that no correct caller gives.
 */
export async function issueSdJwtVc(order: IssuanceOrder): Promise<string> {
  requireIssuable(order);
  const { payload: concealed, disclosures } = concealClaims(order.claims, order.disclosurePlan, order.random);
  const hashing: JsonObject = disclosures.length > 0 ? { _sd_alg: 'sha-256' } : {};
  const payload = { ...registeredMembers(order.registered), ...concealed, ...hashing };
  return [await signJws(order, payload), ...disclosures, ''].join('~');
}
