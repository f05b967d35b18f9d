import { createHash } from 'node:crypto';
import { ApiError } from '@vestibule/foundation';
import type { FastifyRequest } from 'fastify';
import { headerValues } from '../http/header-values';

const MAX_KEY_LENGTH = 512;

/**
 * The tenant of a request by the digest of its `X-API-KEY`: the key itself stays here. Whether a tenant has this key is
 * for the wallet store to know. Throws `api_key_missing`.
 */
export function tenantFrom(request: FastifyRequest): { apiKeyDigest: string } {
  const [key, ...more] = headerValues(request, 'x-api-key');
  if (!key || more.length > 0 || key.length > MAX_KEY_LENGTH) {
    throw new ApiError({ kind: 'unauthenticated', code: 'api_key_missing', detail: 'send one X-API-KEY header' });
  }
  return { apiKeyDigest: createHash('sha256').update(key).digest('base64url') };
}
