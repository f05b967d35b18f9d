import type { RandomBytes } from '@vestibule/foundation';
import {
  OAuthError,
  serverNonces,
  verifyClientAttestation,
  type AttestationStatus,
  type AttesterKeys,
  type ClientAttestationHeaders,
} from '@vestibule/oauth';
import type { Reports } from '../domain/ports';
import type { SpendableProof } from '../domain/spendable-proof';

/** Whether a proof of possession needs a challenge: never, if it has one it must be current, or always. */
export type ChallengePolicy = 'off' | 'optional' | 'required';

/** How wallets authenticate at the token endpoint. */
export interface ClientAuthenticationPolicy {
  /** False also admits anonymous wallets; an attestation that is sent is verified all the same. */
  readonly required: boolean;
  /** Who may attest wallets; undefined if nobody may, so that attestations are not read. */
  readonly attesterKeys: AttesterKeys | undefined;
  readonly challenge: ChallengePolicy;
}

export interface AuthenticateClientDeps {
  readonly random: RandomBytes;
  readonly issuerUrl: string;
  readonly nonceKeys: readonly Uint8Array[];
  readonly clientAuthentication: ClientAuthenticationPolicy;
  readonly reportUnreadAttestation: Reports['reportUnreadAttestation'];
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
  /** What its attestation says about its status, unchecked; undefined for an anonymous wallet. */
  readonly status: AttestationStatus | undefined;
}

const ANONYMOUS: UnspentClient = { clientId: undefined, proofs: [], status: undefined };

/**
 * Authenticates the wallet of a token request by its attestation (OpenID4VCI 1.0 Appendix E). There is no silent
 * downgrade: a wallet with an invalid attestation is refused, not treated as anonymous. Only where nobody may attest,
 * and nobody must, an attestation is not read: its wallet is served like one that sent none, and that is reported. Throws `invalid_client`,
 * `use_fresh_attestation` or `use_attestation_challenge`.
 */
export function authenticateClient(deps: AuthenticateClientDeps) {
  return async function authenticateClient(presented: PresentedClient, now: Date): Promise<UnspentClient> {
    const { required, attesterKeys, challenge } = deps.clientAuthentication;
    const isAnonymous = presented.attestation.length === 0 && presented.pop.length === 0;
    if (isAnonymous && !required) return ANONYMOUS;
    if (!attesterKeys && !required) {
      deps.reportUnreadAttestation();
      return ANONYMOUS;
    }
    if (isAnonymous || !attesterKeys) throw new OAuthError('invalid_client', 'attestation_required');
    const { nonceKeys: keys, random, issuerUrl: audience } = deps;
    const client = await verifyClientAttestation(presented, {
      audience,
      now,
      attesterKeys,
      clientId: presented.clientId,
      challenge:
        challenge === 'off' ? 'not_required' : serverNonces({ keys, purpose: 'attestation_challenge', now, random }),
      isChallengeOptional: challenge === 'optional',
    });
    const { clientId, replayDigest: digest, expiresAt, status } = client;
    return { clientId, status, proofs: [{ kind: 'attestation_proof', digest, expiresAt }] };
  };
}

export type AuthenticateClient = ReturnType<typeof authenticateClient>;
