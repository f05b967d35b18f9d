import type { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { ApiError } from '@vestibule/foundation';
import { noteActor } from '@vestibule/process';
import type { FastifyRequest } from 'fastify';
import { EarlyGuard } from '../http/early-guard';
import { grantScopes, type Scope } from '../http/scopes';

/** The certificate of a connection, and the result of checking it, which happens once. */
interface Shown {
  readonly certificate: X509Certificate;
  readonly name: string;
  readonly isAllowed: boolean;
  /** In milliseconds: the earliest end of validity in its path. */
  readonly endsAt: number;
}

export interface ClientCertificateOptions {
  /** Addresses that need no certificate. */
  readonly isOpen: (url: string) => boolean;
  /** Is this client on the operator's list? */
  readonly isAllowed: (certificate: X509Certificate) => boolean;
  /** What this client may do. */
  readonly scopesOf: (certificate: X509Certificate) => readonly Scope[];
  readonly clock: () => Date;
}

function denied(code: 'client_certificate_required' | 'client_certificate_not_allowed', detail: string): ApiError {
  // A 401 would have to name an HTTP scheme, but certificates are requested by TLS.
  return new ApiError({ kind: 'denied', code, detail });
}

/** The earliest end of validity in a path; a certificate with an unreadable date counts as expired. */
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
 * What a client certificate is called in the audit trail: its alternative names, or its subject without any, as Node.js
 * writes them. The authority decides what is in them, so no other name is derived from it.
 */
const nameOf = ({ subjectAltName, subject }: X509Certificate): string =>
  subjectAltName ?? subject.split('\n').join(',');

/**
 * Admits requests whose connection has presented a certificate of the configured authority that is still valid; throws
 * `client_certificate_required` without one, `client_certificate_not_allowed` for a client that is not allowed.
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
    // TLS checks the time only when a connection begins, and connections may be kept open for long.
    if (shown === undefined || clock().getTime() > shown.endsAt) {
      throw denied('client_certificate_required', 'connect with a client certificate of the configured authority');
    }
    if (!shown.isAllowed) {
      throw denied('client_certificate_not_allowed', 'this client certificate is not one of those that are allowed');
    }
    noteActor('certificate', shown.name);
    grantScopes(request, this.options.scopesOf(shown.certificate));
  }

  /** `authorized` alone proves nothing: a resumed TLS 1.3 session without any certificate has it too. */
  #shownOn(socket: unknown): Shown | undefined {
    if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
    const known = this.#shown.get(socket);
    if (known !== undefined) return known;
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return undefined;
    const isAllowed = this.options.isAllowed(certificate);
    const shown = { certificate, name: nameOf(certificate), isAllowed, endsAt: endOf(certificate) };
    this.#shown.set(socket, shown);
    return shown;
  }
}

/**
 * Which clients may use the listener. With names, those whose certificate has one of them as DNS name or, if it has no
 * DNS name, as common name; wildcards in certificates do not count. Without names, every certificate except the
 * listener's own, because its key is exposed to the network.
 */
export function allowedClients(
  names: readonly string[] | undefined,
  own: X509Certificate,
): (certificate: X509Certificate) => boolean {
  if (names === undefined) return ({ fingerprint256 }) => fingerprint256 !== own.fingerprint256;
  const options = { wildcards: false, partialWildcards: false, subject: 'default' } as const;
  return (certificate) => names.some((name) => certificate.checkHost(name, options) !== undefined);
}
