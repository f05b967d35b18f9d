import { ownMember, type JsonObject } from '@vestibule/foundation';
import type { RefusalReason } from './refusal-reasons';

/** How old the `iat` of a proof may be, and how far ahead a wallet's clock (FAPI 2.0 Security Profile §5.3.2.1). */
const PROOF_MAX_AGE_SECONDS = 300;
export const PROOF_MAX_AHEAD_SECONDS = 60;

/**
 * Until when the use of a proof must be remembered: a replica whose clock is as far ahead as a wallet's may be must not
 * forget it while another one still accepts the proof.
 */
export function rememberedUntil(issuedAtSeconds: number): Date {
  return new Date(Math.ceil(issuedAtSeconds + PROOF_MAX_AGE_SECONDS + PROOF_MAX_AHEAD_SECONDS + 1) * 1000);
}

function numericDate(claims: JsonObject, name: string): number | undefined {
  const value = ownMember(claims, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function outsideValidity(claims: JsonObject, seconds: number): RefusalReason | undefined {
  if (Object.hasOwn(claims, 'exp')) {
    const exp = numericDate(claims, 'exp');
    if (exp === undefined || exp + PROOF_MAX_AHEAD_SECONDS < seconds) return 'exp_passed';
  }
  if (Object.hasOwn(claims, 'nbf')) {
    const nbf = numericDate(claims, 'nbf');
    if (nbf === undefined || nbf - PROOF_MAX_AHEAD_SECONDS > seconds) return 'nbf_in_future';
  }
  return undefined;
}

/** The result of checking a proof's times: its `iat` in seconds, or a fault. */
export type ProofTimes = { readonly issuedAtSeconds: number } | { readonly wrong: RefusalReason };

/**
 * Checks that a wallet made its proof now: `iat` is required and at most 300 s old or 60 s ahead; `exp` and `nbf` count
 * when they are present (RFC 9449 §11.1, OpenID4VCI 1.0 §F.1).
 */
export function checkProofTimes(claims: JsonObject, now: Date): ProofTimes {
  const seconds = now.getTime() / 1000;
  const issuedAtSeconds = numericDate(claims, 'iat');
  if (issuedAtSeconds === undefined) return { wrong: 'iat_missing' };
  if (issuedAtSeconds < seconds - PROOF_MAX_AGE_SECONDS) return { wrong: 'iat_too_old' };
  if (issuedAtSeconds > seconds + PROOF_MAX_AHEAD_SECONDS) return { wrong: 'iat_in_future' };
  const wrong = outsideValidity(claims, seconds);
  return wrong === undefined ? { issuedAtSeconds } : { wrong };
}
