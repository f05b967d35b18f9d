import type { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { ApiError } from '@vestibule/foundation';
import type { FastifyRequest } from 'fastify';
import { EarlyGuard } from '../http/early-guard';

/** The certificate that a connection has shown, and what was found out about it once. */
interface Shown {
  readonly certificate: X509Certificate;
  readonly isAllowed: boolean;
  /** In milliseconds: the first end of validity in its path. */
  readonly endsAt: number;
}

export interface ClientCertificateOptions {
  /** Addresses that need no certificate. */
  readonly isOpen: (url: string) => boolean;
  /** Is this client one of those that the operator has named? */
  readonly isAllowed: (certificate: X509Certificate) => boolean;
  readonly clock: () => Date;
}

function denied(code: 'client_certificate_required' | 'client_certificate_not_allowed', detail: string): ApiError {
  // No HTTP scheme could be named in a 401: certificates are asked for by TLS.
  return new ApiError({ kind: 'denied', code, detail });
}

/** When the first certificate of a path ends; a certificate of no known time has ended. */
function endOf(certificate: X509Certificate): number {
  const ends: number[] = [];
  for (let one: X509Certificate | undefined = certificate; one; one = one.issuerCertificate) {
    const end = Date.parse(one.validTo);
    ends.push(Number.isNaN(end) ? 0 : end);
    if (one.issuerCertificate?.fingerprint256 === one.fingerprint256) break;
  }
  return Math.min(...ends);
}

/**
 * Lets requests pass whose connection has shown a certificate of the configured authority that is still valid; throws
 * `client_certificate_required` without one, `client_certificate_not_allowed` for one of somebody else.
 */
export class ClientCertificateGuard extends EarlyGuard {
  readonly #shown = new WeakMap<TLSSocket, Shown>();

  constructor(private readonly options: ClientCertificateOptions) {
    super();
  }

  protected judge(request: FastifyRequest): void {
    const { isOpen, clock } = this.options;
    if (isOpen(request.url)) return;
    const shown = this.#shownOn(request.raw.socket);
    // TLS looks at the time once, when a connection begins, which may be kept for long.
    if (shown === undefined || clock().getTime() > shown.endsAt) {
      throw denied('client_certificate_required', 'connect with a client certificate of the configured authority');
    }
    if (!shown.isAllowed) {
      throw denied('client_certificate_not_allowed', 'this client certificate is not one of those that are allowed');
    }
  }

  /** `authorized` alone says nothing: a resumed TLS 1.3 session without any certificate has it too. */
  #shownOn(socket: unknown): Shown | undefined {
    if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
    const known = this.#shown.get(socket);
    if (known !== undefined) return known;
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return undefined;
    const shown = { certificate, isAllowed: this.options.isAllowed(certificate), endsAt: endOf(certificate) };
    this.#shown.set(socket, shown);
    return shown;
  }
}

/**
 * Who may use the listener: with names, certificates that have one of them as DNS name or, without any DNS name, as common
 * name; wildcards of certificates do not count. Without names, every certificate but the listener's own, whose key lies
 * where strangers come in.
 */
export function allowedClients(
  names: readonly string[] | undefined,
  own: X509Certificate,
): (certificate: X509Certificate) => boolean {
  if (names === undefined) return ({ fingerprint256 }) => fingerprint256 !== own.fingerprint256;
  const options = { wildcards: false, partialWildcards: false, subject: 'default' } as const;
  return (certificate) => names.some((name) => certificate.checkHost(name, options) !== undefined);
}
