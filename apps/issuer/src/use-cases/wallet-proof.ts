import type { PublicJwk } from '@vestibule/crypto';
import type { RandomBytes } from '@vestibule/foundation';
import {
  OAuthError,
  requireDpopHeader,
  serverNonces,
  verifyDpopProof,
  type DpopExpectation,
  type ServerNonces,
} from '@vestibule/oauth';
import type { ProofKind, SpendableProof } from '../domain/spendable-proof';

export interface DpopNonceDeps {
  readonly random: RandomBytes;
  /** The current key first. */
  readonly nonceKeys: readonly Uint8Array[];
  /** All or nothing: once nonces are handed out, a proof without one is refused (RFC 9449 §11.3). */
  readonly demandsDpopNonces: boolean;
}

/** The endpoint that received a DPoP proof, and what the proof must be for. */
export interface ProvenEndpoint {
  readonly dpop: readonly string[];
  /** The public address of the endpoint. */
  readonly url: string;
  readonly token: DpopExpectation['token'];
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

/** A verified proof that is not spent yet, and its key. */
export interface UnspentProof {
  readonly thumbprint: string;
  readonly key: PublicJwk;
  readonly proof: SpendableProof;
}

/**
 * Verifies the single DPoP proof of a request. A caller with several proofs to check spends them only after all of them
 * have passed. Throws `invalid_dpop_proof`, `use_dpop_nonce` or `invalid_token`.
 */
export function verifyWalletProof(deps: DpopNonceDeps) {
  return async function verifyWalletProof({ dpop, url, token, now }: ProvenEndpoint): Promise<UnspentProof> {
    const { thumbprint, key, replayDigest, expiresAt } = await verifyDpopProof(requireDpopHeader(dpop), {
      method: 'POST',
      url,
      now,
      token,
      nonce: dpopNonces(deps, now) ?? 'not_required',
    });
    return { thumbprint, key, proof: { kind: 'dpop_proof', digest: replayDigest, expiresAt } };
  };
}

/** The answer to a proof that was used before: `invalid_client` or `invalid_dpop_proof`. */
export function proofReplayed(kind: ProofKind): OAuthError {
  return kind === 'dpop_proof'
    ? new OAuthError('invalid_dpop_proof', 'dpop_proof_replayed')
    : new OAuthError('invalid_client', 'pop_replayed');
}

export type FreshDpopNonce = ReturnType<typeof freshDpopNonce>;
export type VerifyWalletProof = ReturnType<typeof verifyWalletProof>;
