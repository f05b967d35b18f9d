import type { VerifiedPresentation } from '@vestibule/oid4vp';

/** What FULFILLED tells the backend: everything of the contract, or no more than it needs (ARF, OIA_16). */
export const CALLBACK_DATA = ['full', 'minimal'] as const;

/** Turns the thumbprint of a holder's key into the `kbKeyId` that this relying party sees instead. */
export type Pseudonymise = (keyThumbprint: string) => string;

/** The form in which issuers derive `sub` from the holder's key (RFC 9278 §3). */
const THUMBPRINT_URI = 'urn:ietf:params:oauth:jwk-thumbprint:sha-256:';

/**
 * The presentation without what links it beyond this relying party: its key is known by the pseudonym, and a `sub` that
 * only repeats the key is omitted.
 */
export function withoutKey(presentation: VerifiedPresentation, pseudonymise: Pseudonymise): VerifiedPresentation {
  const { holder, deliveredClaims } = presentation;
  if (!holder) return presentation;
  const repeatsKey = deliveredClaims['sub'] === `${THUMBPRINT_URI}${holder.keyThumbprint}`;
  const others = Object.entries(deliveredClaims).filter(([name]) => !repeatsKey || name !== 'sub');
  return {
    ...presentation,
    deliveredClaims: Object.fromEntries(others),
    holder: { ...holder, keyThumbprint: pseudonymise(holder.keyThumbprint) },
  };
}
