import { DomainError } from '@vestibule/foundation';
import type { IssuableType } from './credential-offer';

/** The part of a type that limits its batches. */
type Limited = Pick<IssuableType, 'configurationId' | 'mostCredentials'>;

/** How many credentials of a type one request may get: what the issuer gives, and no more than its reuse policy has. */
export function mostInRequest(type: Limited | undefined, batchSize = 1): number {
  return Math.min(batchSize, type?.mostCredentials ?? Infinity);
}

/**
 * A wallet asks for as many credentials as the policy of a type says: the issuer has to give them in one answer. Throws
 * `type_metadata_invalid`.
 */
export function requireBatches(types: Iterable<Limited>, batchSize: number): void {
  for (const { configurationId, mostCredentials = 1 } of types) {
    if (mostCredentials <= batchSize) continue;
    const detail = `credential_reuse_policy of ${configurationId} has a batch_size of ${mostCredentials}: BATCH_SIZE must be at least that`;
    throw new DomainError({ kind: 'internal', code: 'type_metadata_invalid', detail });
  }
}
