import type { PresentedCredentialsEvent, RawCredential, VerifiedCredential } from '@vestibule/contracts';
import { encodeBase64, type ErrorCode, type JsonValue } from '@vestibule/foundation';
import type { VerifiedPresentation } from '@vestibule/oid4vp';
import { withoutKey, type Pseudonymise } from './callback-data';
import type { PresentationOutcome } from './presentation-outcome';

function evidenceOf(holder: VerifiedPresentation['holder']): Partial<VerifiedCredential> {
  const { amr, ...evidence } = holder?.scaEvidence ?? {};
  return { ...evidence, ...(amr ? { amr: amr.map((factor) => ({ ...factor })) } : {}) };
}

function verifiedCredential(presentation: VerifiedPresentation): VerifiedCredential {
  const { trust, holder } = presentation;
  const supportRevocation = presentation.status !== undefined;
  return {
    issuer: presentation.issuer,
    claims: presentation.deliveredClaims,
    signatureIsValid: true,
    supportRevocation,
    ...(supportRevocation ? { isRevoked: false } : {}),
    supportTrustAnchor: trust.supported,
    ...(trust.supported ? { isTrusted: trust.trusted } : {}),
    ...(holder ? { kbKeyId: holder.keyThumbprint, kbSignatureIsValid: true } : {}),
    ...evidenceOf(holder),
  };
}

/** RFC 3339 in UTC, which has four-digit years; a NumericDate beyond them appears only in the raw claims. */
function instantOf(claim: JsonValue | undefined): string | undefined {
  if (typeof claim !== 'number') return undefined;
  const instant = new Date(claim * 1000);
  const year = instant.getUTCFullYear();
  return year >= 0 && year <= 9999 ? instant.toISOString() : undefined;
}

function rawCredential(presentation: VerifiedPresentation): RawCredential {
  const { claims, holder } = presentation;
  const validFrom = instantOf(claims['nbf'] ?? claims['iat']);
  const validUntil = instantOf(claims['exp']);
  return {
    claims: encodeBase64(Buffer.from(JSON.stringify(claims), 'utf8')),
    issuer: presentation.issuer,
    ...(validFrom === undefined ? {} : { validFrom }),
    ...(validUntil === undefined ? {} : { validUntil }),
    ...(holder ? { kbKeyId: holder.keyThumbprint } : {}),
    ...(holder?.transactionDataHashes ? { transactionDataHashes: [...holder.transactionDataHashes] } : {}),
  };
}

/** Maps credential ids to credentials; any id becomes an own member, even `__proto__`. */
function byCredentialId<T>(presentations: readonly VerifiedPresentation[], convert: (one: VerifiedPresentation) => T) {
  const groups = new Map<string, T[]>();
  for (const presentation of presentations) {
    const group = groups.get(presentation.credentialId) ?? [];
    group.push(convert(presentation));
    groups.set(presentation.credentialId, group);
  }
  return Object.fromEntries(groups) as Record<string, T[]>;
}

function credentialsOf(presentations: readonly VerifiedPresentation[], pseudonymise: Pseudonymise | undefined) {
  if (!pseudonymise) {
    return {
      credentials: byCredentialId(presentations, verifiedCredential),
      credentialsRaw: byCredentialId(presentations, rawCredential),
    };
  }
  return {
    credentials: byCredentialId(presentations, (one) => verifiedCredential(withoutKey(one, pseudonymise))),
  };
}

/**
 * The callback body of an answered request, exactly as in the contract: the members depend on the status. With
 * `pseudonymise` it is minimal: without `credentialsRaw`, and keys are known by their pseudonyms.
 */
export function presentedCredentialsEvent(
  state: string,
  outcome: PresentationOutcome,
  pseudonymise?: Pseudonymise,
): PresentedCredentialsEvent {
  if (outcome.status === 'REJECTED') {
    const { status, ...error } = outcome;
    return { status, state, ...error };
  }
  if (outcome.status !== 'FULFILLED') return { status: outcome.status, state, errorDetails: outcome.errorDetails };
  return {
    status: 'FULFILLED',
    state,
    ...(outcome.responseCode === undefined ? {} : { responseCode: outcome.responseCode }),
    ...credentialsOf(outcome.presentations, pseudonymise),
  };
}

/** The callback body of a request that was not answered in time. */
export function expiredEvent(state: string): PresentedCredentialsEvent {
  return { status: 'EXPIRED', state };
}

const NOT_SERVED: ErrorCode = 'wallet_not_served';

/** The callback body of a request whose wallet came and could not be served, and did not come back in time. */
export function unservedEvent(state: string): PresentedCredentialsEvent {
  return { status: 'PROCESSING_ERROR', state, errorDetails: `${NOT_SERVED}: a wallet came and could not be served` };
}
