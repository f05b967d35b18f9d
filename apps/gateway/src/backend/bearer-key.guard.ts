import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@vestibule/foundation';
import type { FastifyRequest } from 'fastify';
import { EarlyGuard } from '../http/early-guard';
import { headerValues } from '../http/header-values';

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const MAX_KEY_LENGTH = 512;

function unauthenticated(code: 'management_key_missing' | 'management_key_invalid', detail: string): ApiError {
  return new ApiError({ kind: 'unauthenticated', code, detail });
}

function presentedKey(request: FastifyRequest): string | undefined {
  const [value = '', ...more] = headerValues(request, 'authorization');
  const key = BEARER.exec(value)?.[1];
  return more.length === 0 && key !== undefined && key.length <= MAX_KEY_LENGTH ? key : undefined;
}

function isKnown(key: string, digests: readonly Uint8Array[]): boolean {
  const digest = createHash('sha256').update(key).digest();
  // Every digest is compared, so that the time does not reveal which one matched.
  return digests.map((known) => timingSafeEqual(known, digest)).includes(true);
}

/**
 * Admits requests that carry `Authorization: Bearer <key>` (RFC 6750 §2.1) with a key that matches one of the digests,
 * of which there are several during a rotation; throws `management_key_missing` or `management_key_invalid` otherwise.
 */
export class BearerKeyGuard extends EarlyGuard {
  constructor(
    private readonly digests: readonly Uint8Array[],
    private readonly isOpen: (url: string) => boolean,
  ) {
    super();
  }

  protected judge(request: FastifyRequest): void {
    if (this.isOpen(request.url)) return;
    const key = presentedKey(request);
    if (key === undefined) {
      throw unauthenticated('management_key_missing', 'send one Authorization header with a bearer key');
    }
    if (!isKnown(key, this.digests)) {
      throw unauthenticated('management_key_invalid', 'this listener does not accept this key');
    }
  }
}
