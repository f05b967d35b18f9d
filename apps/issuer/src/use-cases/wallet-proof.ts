import type { PublicJwk } from '@vestibule/crypto';
import type { RandomBytes } from '@vestibule/foundation';
import {
  OAuthError,
  requireDpopHeader,
  serverNonces,
  verifyDpopProof,
  type BoundAccessToken,
  type ServerNonces,
} from '@vestibule/oauth';
import type { Redemptions } from '../domain/ports';

export interface DpopNonceDeps {
  readonly random: RandomBytes;
  /** The current key first. */
  readonly nonceKeys: readonly Uint8Array[];
  /** All or nothing: once nonces are handed out, a proof without one is refused (RFC 9449 §11.3). */
  readonly demandsDpopNonces: boolean;
}

export interface WalletProofDeps extends DpopNonceDeps {
  readonly spendProof: Redemptions['spendProof'];
}

/** The endpoint that received a DPoP proof, and what the proof must be for. */
export interface ProvenEndpoint {
  readonly dpop: readonly string[];
  /** The public address of the endpoint. */
  readonly url: string;
  readonly token: BoundAccessToken | 'unbound';
  readonly now: Date;
}

function dpopNonces(
  { nonceKeys: keys, random, demandsDpopNonces }: DpopNonceDeps,
  now: Date,
): ServerNonces | undefined {
  return demandsDpopNonces ? serverNonces({ keys, purpose: 'dpop_nonce', now, random }) : undefined;
}

/** The nonce in an answer for the next proof; absent if none is required. */
export function freshDpopNonce(deps: DpopNonceDeps) {
  return function freshDpopNonce(now: Date): { readonly dpop_nonce?: string } {
    const nonces = dpopNonces(deps, now);
    return nonces ? { dpop_nonce: nonces.create() } : {};
  };
}

/** A verified proof that is not spent yet. */
export interface UnspentProof {
  readonly thumbprint: string;
  readonly key: PublicJwk;
  /** Throws `invalid_dpop_proof` if the proof was used before. */
  spend(): Promise<void>;
}

/**
 * Verifies the single DPoP proof of a request. A caller with several proofs to check spends them only after all of them
 * have passed. Throws `invalid_dpop_proof`, `use_dpop_nonce` or `invalid_token`.
 */
export function verifyWalletProof(deps: WalletProofDeps) {
  return async function verifyWalletProof({ dpop, url, token, now }: ProvenEndpoint): Promise<UnspentProof> {
    const proof = await verifyDpopProof(requireDpopHeader(dpop), {
      method: 'POST',
      url,
      now,
      token,
      nonce: dpopNonces(deps, now) ?? 'not_required',
    });
    return {
      thumbprint: proof.thumbprint,
      key: proof.key,
      async spend() {
        const first = await deps.spendProof(proof.replayDigest, proof.expiresAt);
        if (!first) throw new OAuthError('invalid_dpop_proof', 'dpop_proof_replayed');
      },
    };
  };
}

export type FreshDpopNonce = ReturnType<typeof freshDpopNonce>;
export type VerifyWalletProof = ReturnType<typeof verifyWalletProof>;
