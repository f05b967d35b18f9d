import type { JsonObject } from '@vestibule/foundation';
import type { Profile } from './credential-offer';

/** Whether attestations of wallets and keys are read: not at all, where they are presented, or those of wallets always. */
export const ATTESTATION_MODES = ['off', 'optional', 'required'] as const;
export type AttestationMode = (typeof ATTESTATION_MODES)[number];

/** Whether the status of an attestation is looked up: never, where it has one, or each must have one. */
export const STATUS_MODES = ['off', 'when-present', 'required'] as const;
export type StatusMode = (typeof STATUS_MODES)[number];

/** The same, for the wallets of a profile: those of the EU have statuses that are always looked up (TS3 1.5 §2.4.3). */
export const statusModeOf = (profile: Profile, configured: StatusMode): StatusMode =>
  profile === 'eudi' && configured === 'off' ? 'when-present' : configured;

/** Which part of a batch is left when a wallet should ask for another, and which part of a lifetime. */
const UNUSED_SHARE = 5;
const LIFETIME_SHARE = 10;

/**
 * How often a wallet may present a credential of the profile `eudi`, unless the type says so itself: each once, from
 * batches of the largest size; without batches, each for its lifetime (ETSI TS 119 472-3 §4.2.4.2).
 */
export function defaultReusePolicy(batchSize: number, validitySeconds: number): JsonObject {
  const option: JsonObject =
    batchSize > 1
      ? { details: ['once_only'], batch_size: batchSize, reissue_trigger_unused: Math.floor(batchSize / UNUSED_SHARE) }
      : { details: ['limited_time'], reissue_trigger_lifetime_left: Math.ceil(validitySeconds / LIFETIME_SHARE) };
  return { id: 'arf_annex_ii', options: [option] };
}
