import { Oauth2ServerErrorResponseError } from '@openid4vc/oauth2';
import { exportJWK, generateKeyPair } from 'jose';
import type { IssuerEndpoint, IssuerOptions } from './issuer-documents';
import { IssuerHandlers } from './issuer-handlers';
import { startLoopback, type Answer, type Loopback, type Received } from './loopback';

export { type IssuerEndpoint, type IssuerOptions } from './issuer-documents';

export interface CounterpartIssuer extends Loopback {
  readonly offerUri: string;
  /** Requests by endpoint, oldest first. */
  readonly received: { readonly endpoint: IssuerEndpoint; readonly request: Received }[];
}

function toAnswer(error: unknown, dpopNonce: string | undefined): Answer {
  if (!(error instanceof Oauth2ServerErrorResponseError)) throw error;
  const { error: code } = error.errorResponse;
  const nonce: Record<string, string> = dpopNonce === undefined ? {} : { 'dpop-nonce': dpopNonce };
  const challenge = { 'www-authenticate': `DPoP error="${code}", algs="ES256"` };
  return { status: error.status, body: { error: code }, headers: { ...nonce, ...challenge } };
}

/** An issuer and authorization server built from the libraries' server parts, under a path of its origin. */
export async function startIssuer(options: IssuerOptions): Promise<CounterpartIssuer> {
  const pair = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  const jwk = { ...(await exportJWK(pair.publicKey)), kty: 'EC', alg: 'ECDH-ES', use: 'enc', kid: 'request-1' };
  const received: CounterpartIssuer['received'] = [];
  const endpoints: Record<string, IssuerEndpoint> = {
    '/tenant/offer': 'offer',
    '/.well-known/openid-credential-issuer/tenant': 'issuer_metadata',
    '/.well-known/oauth-authorization-server/tenant': 'server_metadata',
    '/tenant/types/pid': 'type',
  };
  for (const name of ['token', 'nonce', 'credential', 'deferred', 'notification', 'challenge'] as const) {
    endpoints[`/tenant/${name}`] = name;
  }
  const handlersAt = (origin: string) =>
    new IssuerHandlers(`${origin}/tenant`, options, { privateKey: pair.privateKey, jwk });
  let handlers: IssuerHandlers | undefined;
  const server = await startLoopback(async (request) => {
    const endpoint = endpoints[request.url.pathname];
    if (!endpoint) return { status: 404, body: { error: 'not_found' } };
    received.push({ endpoint, request });
    const target = (handlers ??= handlersAt(request.url.origin));
    const handle = async (): Promise<Answer> => target[endpoint](request);
    const answer = await handle().catch((error: unknown) => toAnswer(error, options.dpopNonce));
    return options.alter?.(endpoint, answer) ?? answer;
  });
  const reference = encodeURIComponent(`${server.origin}/tenant/offer`);
  return { ...server, received, offerUri: `openid-credential-offer://?credential_offer_uri=${reference}` };
}
