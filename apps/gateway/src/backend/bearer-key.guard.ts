import { createHash, timingSafeEqual, type X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { ApiError, encodeBase64url } from '@vestibule/foundation';
import { noteActor } from '@vestibule/process';
import type { FastifyRequest } from 'fastify';
import { EarlyGuard } from '../http/early-guard';
import { headerValues } from '../http/header-values';
import type { VerifyToken } from './access-tokens';
import type { ManagementKey } from './management-callers';
import { grantScopes, type Scope } from '../http/scopes';

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const MAX_KEY_LENGTH = 512;
const MAX_TOKEN_LENGTH = 8_192;
/** A compact JWT: a header that is a JSON object, and two more parts. */
const JWT = /^ey[\w-]+\.[\w-]+\.[\w-]+$/;

function unauthenticated(code: 'management_key_missing' | 'management_key_invalid', detail: string): ApiError {
  return new ApiError({ kind: 'unauthenticated', code, detail });
}

export interface BearerOptions {
  readonly keys: readonly ManagementKey[];
  /** Undefined if access tokens are not accepted. */
  readonly verifyToken: VerifyToken | undefined;
  /** Addresses that need no key. */
  readonly isOpen: (url: string) => boolean;
}

function presentedBearer(request: FastifyRequest): string | undefined {
  const [value = '', ...more] = headerValues(request, 'authorization');
  const bearer = BEARER.exec(value)?.[1];
  return more.length === 0 && bearer !== undefined && bearer.length <= MAX_TOKEN_LENGTH ? bearer : undefined;
}

function shownCertificate({ raw: { socket } }: FastifyRequest): X509Certificate | undefined {
  return socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
}

/** How much of the digest stands for a key without a name: enough to find it in the configuration. */
const SHORT_DIGEST = 12;

function noteKey({ name, digest }: ManagementKey): void {
  if (name === undefined) noteActor('key-digest', encodeBase64url(digest).slice(0, SHORT_DIGEST));
  else noteActor('key', name);
}

/** The scopes of a key, of all entries with its digest, which are noted as actor; undefined for an unknown key. */
function scopesOfKey(key: string, keys: readonly ManagementKey[]): readonly Scope[] | undefined {
  const digest = createHash('sha256').update(key).digest();
  // Every digest is compared, so that the time does not reveal which one matched.
  const matches = keys.filter((known) => timingSafeEqual(known.digest, digest));
  for (const match of matches) noteKey(match);
  return matches.length === 0 ? undefined : matches.flatMap(({ scopes }) => scopes);
}

/**
 * Admits requests that carry `Authorization: Bearer …` (RFC 6750 §2.1) with a key that matches one of the digests, of
 * which there are several during a rotation, or with an access token; grants its scopes. Throws
 * `management_key_missing`, `management_key_invalid`, and what the verification of tokens throws.
 */
export class BearerKeyGuard extends EarlyGuard {
  constructor(private readonly options: BearerOptions) {
    super();
  }

  protected async judge(request: FastifyRequest): Promise<void> {
    if (this.options.isOpen(request.url)) return;
    const bearer = presentedBearer(request);
    const isToken = bearer !== undefined && this.options.verifyToken !== undefined && JWT.test(bearer);
    if (bearer === undefined || (bearer.length > MAX_KEY_LENGTH && !isToken)) {
      throw unauthenticated('management_key_missing', 'send one Authorization header with a bearer key');
    }
    grantScopes(request, await this.#scopesOf(bearer, isToken, request));
  }

  async #scopesOf(bearer: string, isToken: boolean, request: FastifyRequest): Promise<readonly Scope[]> {
    const { keys, verifyToken } = this.options;
    const scopes = scopesOfKey(bearer, keys);
    if (scopes !== undefined) return scopes;
    if (isToken && verifyToken) {
      const token = await verifyToken(bearer, () => shownCertificate(request));
      noteActor('token', token.subject);
      return token.scopes;
    }
    throw unauthenticated('management_key_invalid', 'this listener does not accept this key');
  }
}
