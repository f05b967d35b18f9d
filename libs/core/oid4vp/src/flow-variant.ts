import { createEphemeralKeyPair, createSecret, jwkThumbprint, type PublicJwk } from '@vestibule/crypto';
import type { RandomBytes } from '@vestibule/foundation';

/** How the request reached the wallet. */
export type FlowType = 'same-device' | 'cross-device';
export const FLOW_TYPES: readonly FlowType[] = ['same-device', 'cross-device'];

/**
 * What one flow of a request has for itself. `flow_type` in the address is not signed and anybody can swap it, so the
 * answer proves its flow by the nonce that it repeats and the key that it is encrypted to.
 */
export interface FlowVariant {
  readonly flowType: FlowType;
  readonly nonce: string;
  /** Identifies the encryption key in `client_metadata` and in the JWE header. */
  readonly kid: string;
  /** Raw 32 bytes: to be sealed at rest and deleted with the end of the request. */
  readonly privateKey: Uint8Array;
  readonly publicJwk: PublicJwk;
}

/** A fresh nonce and a fresh encryption key for one flow of one request (HAIP 1.0 §5, OpenID4VP 1.0 §5.2, §8.3). */
export function createFlowVariant(flowType: FlowType, random: RandomBytes): FlowVariant {
  const { privateKey, publicJwk } = createEphemeralKeyPair(random);
  return { flowType, nonce: createSecret(random), kid: jwkThumbprint(publicJwk), privateKey, publicJwk };
}
