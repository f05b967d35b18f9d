import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '@vestibule/foundation';
import { noteActor } from '@vestibule/process';
import type { FastifyRequest } from 'fastify';
import { EarlyGuard } from '../http/early-guard';
import { headerValues } from '../http/header-values';
import { KNOWN_KEYS, type IsKnownKey } from './known-keys';
import { setTenant } from './tenant';

const MAX_KEY_LENGTH = 512;

function unauthenticated(code: 'api_key_missing' | 'api_key_invalid', detail: string): ApiError {
  return new ApiError({ kind: 'unauthenticated', code, detail });
}

/** The id under which operators refer to a key: the first eight bytes of its digest. */
const idOf = (digest: string): string => Buffer.from(digest, 'base64url').subarray(0, 8).toString('hex');

/**
 * Admits requests that carry the API key of a tenant in `X-API-KEY`, before their bodies are read and before anything
 * else is checked; throws `api_key_missing` or `api_key_invalid` otherwise. The key itself does not leave the gateway:
 * other services identify the tenant by its digest.
 */
@Injectable()
export class ApiKeyGuard extends EarlyGuard {
  constructor(@Inject(KNOWN_KEYS) private readonly isKnown: IsKnownKey) {
    super();
  }

  protected async judge(request: FastifyRequest): Promise<void> {
    const [key, ...more] = headerValues(request, 'x-api-key');
    if (!key || more.length > 0 || key.length > MAX_KEY_LENGTH) {
      throw unauthenticated('api_key_missing', 'send exactly one X-API-KEY header');
    }
    const apiKeyDigest = createHash('sha256').update(key).digest('base64url');
    if (!(await this.isKnown(apiKeyDigest))) {
      throw unauthenticated('api_key_invalid', 'the API key is unknown or revoked');
    }
    noteActor('api-key', idOf(apiKeyDigest));
    setTenant(request, { apiKeyDigest });
  }
}
