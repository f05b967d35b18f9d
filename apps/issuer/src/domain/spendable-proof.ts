/** The kinds of proofs that a wallet may use once. */
export type ProofKind = 'attestation_proof' | 'dpop_proof';

/** A verified proof that is not spent yet. */
export interface SpendableProof {
  readonly kind: ProofKind;
  /** The only trace of the proof that is stored. */
  readonly digest: Uint8Array;
  /** Until then it must not be seen again. */
  readonly expiresAt: Date;
}
