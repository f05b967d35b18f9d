import { createHash, timingSafeEqual } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { ApiError } from '@vestibule/foundation';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { headerValues } from '../http/header-values';

/** Who may use the management listener; without any of the two, everybody who can reach it. */
export interface ManagementAuthentication {
  /** SHA-256 digests of bearer keys; several while they rotate. */
  readonly keyDigests: readonly Uint8Array[] | undefined;
  /** The listener asks clients for a certificate of a configured authority. */
  readonly clientCertificate: boolean;
}

/** Probes carry neither keys nor certificates, and read nothing that these would protect. */
const OPEN_PATH = /^\/health\/[a-z]+$/;
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const MAX_KEY_LENGTH = 512;

function unauthenticated(code: 'management_key_missing' | 'management_key_invalid', detail: string): ApiError {
  return new ApiError({ kind: 'unauthenticated', code, detail });
}

/** `authorized` alone says nothing: a resumed TLS 1.3 session without any certificate has it too. */
function hasCertificate({ raw: { socket } }: FastifyRequest): boolean {
  return socket instanceof TLSSocket && socket.authorized && socket.getPeerX509Certificate() !== undefined;
}

function presentedKey(request: FastifyRequest): string | undefined {
  const [value = '', ...more] = headerValues(request, 'authorization');
  const key = BEARER.exec(value)?.[1];
  return more.length === 0 && key !== undefined && key.length <= MAX_KEY_LENGTH ? key : undefined;
}

function isKnown(key: string, digests: readonly Uint8Array[]): boolean {
  const digest = createHash('sha256').update(key).digest();
  // Every digest is compared, so that the time says nothing about which one it was.
  return digests.map((known) => timingSafeEqual(known, digest)).includes(true);
}

function faultOf(request: FastifyRequest, options: ManagementAuthentication): ApiError | undefined {
  if (OPEN_PATH.test(request.url)) return undefined;
  if (options.clientCertificate && !hasCertificate(request)) {
    // No HTTP scheme could be named in a 401: certificates are asked for by TLS.
    const detail = 'connect with a client certificate of the configured authority';
    return new ApiError({ kind: 'denied', code: 'client_certificate_required', detail });
  }
  if (options.keyDigests === undefined) return undefined;
  const key = presentedKey(request);
  if (key === undefined) {
    return unauthenticated('management_key_missing', 'send one Authorization header with a bearer key');
  }
  return isKnown(key, options.keyDigests)
    ? undefined
    : unauthenticated('management_key_invalid', 'this key is not one of this listener');
}

/**
 * From now on every request but those for the health of the gateway has to show who it is: with a client certificate,
 * with `Authorization: Bearer <key>` (RFC 6750 §2.1), or with both, as configured; before its body is read and whether
 * or not its address exists. Otherwise it is answered with 403 `client_certificate_required`, or 401
 * `management_key_missing` or `management_key_invalid`.
 */
export function authenticateBackends(instance: FastifyInstance, options: ManagementAuthentication): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    done(faultOf(request, options));
  });
}
