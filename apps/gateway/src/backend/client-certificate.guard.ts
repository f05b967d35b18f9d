import { TLSSocket } from 'node:tls';
import { ApiError } from '@vestibule/foundation';
import type { FastifyRequest } from 'fastify';
import { EarlyGuard } from '../http/early-guard';

/** `authorized` alone says nothing: a resumed TLS 1.3 session without any certificate has it too. */
function hasCertificate({ raw: { socket } }: FastifyRequest): boolean {
  return socket instanceof TLSSocket && socket.authorized && socket.getPeerX509Certificate() !== undefined;
}

/** Lets requests pass whose client has shown a certificate of the configured authority; throws `client_certificate_required`. */
export class ClientCertificateGuard extends EarlyGuard {
  constructor(private readonly isOpen: (url: string) => boolean) {
    super();
  }

  protected judge(request: FastifyRequest): void {
    if (this.isOpen(request.url) || hasCertificate(request)) return;
    // No HTTP scheme could be named in a 401: certificates are asked for by TLS.
    const detail = 'connect with a client certificate of the configured authority';
    throw new ApiError({ kind: 'denied', code: 'client_certificate_required', detail });
  }
}
