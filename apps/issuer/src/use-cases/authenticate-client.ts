import type { RandomBytes } from '@vestibule/foundation';
import {
  OAuthError,
  serverNonces,
  verifyClientAttestation,
  type AttesterKeys,
  type ClientAttestationHeaders,
} from '@vestibule/oauth';
import type { SpendableProof } from '../domain/spendable-proof';

/** How wallets authenticate at the token endpoint. */
export interface ClientAuthenticationPolicy {
  /** False also admits anonymous wallets; an attestation that is sent is verified all the same. */
  readonly required: boolean;
  /** Who may attest wallets; undefined if nobody may, so that every attestation is refused. */
  readonly attesterKeys: AttesterKeys | undefined;
  readonly demandsChallenge: boolean;
}

export interface AuthenticateClientDeps {
  readonly random: RandomBytes;
  readonly issuerUrl: string;
  readonly nonceKeys: readonly Uint8Array[];
  readonly clientAuthentication: ClientAuthenticationPolicy;
}

/** The client side of a token request. */
export interface PresentedClient extends ClientAttestationHeaders {
  readonly clientId: string | undefined;
}

/** An authenticated or anonymous wallet whose proof is not spent yet. */
export interface UnspentClient {
  /** Undefined for an anonymous wallet. */
  readonly clientId: string | undefined;
  /** Its proof of possession; empty for an anonymous wallet. */
  readonly proofs: readonly SpendableProof[];
}

const ANONYMOUS: UnspentClient = { clientId: undefined, proofs: [] };

/**
 * Authenticates the wallet of a token request by its attestation (OpenID4VCI 1.0 Appendix E). There is no silent
 * downgrade: a wallet with an invalid attestation is refused, not treated as anonymous. Throws `invalid_client`,
 * `use_fresh_attestation` or `use_attestation_challenge`.
 */
export function authenticateClient(deps: AuthenticateClientDeps) {
  return async function authenticateClient(presented: PresentedClient, now: Date): Promise<UnspentClient> {
    const { required, attesterKeys, demandsChallenge } = deps.clientAuthentication;
    const isAnonymous = presented.attestation.length === 0 && presented.pop.length === 0;
    if (isAnonymous && !required) return ANONYMOUS;
    if (isAnonymous) throw new OAuthError('invalid_client', 'attestation_required');
    if (!attesterKeys) throw new OAuthError('invalid_client', 'attestations_not_supported');
    const { nonceKeys: keys, random, issuerUrl: audience } = deps;
    const client = await verifyClientAttestation(presented, {
      audience,
      now,
      attesterKeys,
      clientId: presented.clientId,
      challenge: demandsChallenge
        ? serverNonces({ keys, purpose: 'attestation_challenge', now, random })
        : 'not_required',
    });
    const { clientId, replayDigest: digest, expiresAt } = client;
    return { clientId, proofs: [{ kind: 'attestation_proof', digest, expiresAt }] };
  };
}

export type AuthenticateClient = ReturnType<typeof authenticateClient>;
