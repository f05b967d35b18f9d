import { walletEndpointFault, withQueryParameters } from '@vestibule/foundation';

/** Invokes any wallet that speaks OpenID4VP (OpenID4VP 1.0 §13.1.2). */
export const DEFAULT_AUTHORIZATION_ENDPOINT = 'openid4vp://';

/**
 * The custom schemes by which wallets are invoked: OpenID4VP 1.0 §13.1.2, HAIP 1.0 §5.1, and that of the EU reference
 * wallet.
 */
const AUTHORIZATION_SCHEMES = ['openid4vp', 'haip-vp', 'eudi-openid4vp'];

/** How a wallet fetches the request object (OpenID4VP 1.0 §5.10). */
export const REQUEST_URI_METHODS = ['get', 'post'] as const;
export type RequestUriMethod = (typeof REQUEST_URI_METHODS)[number];

const PARAMETERS = ['client_id', 'request_uri', 'request_uri_method', 'request'];

/** The fault in the `authorization_endpoint` of a wallet, or undefined: a known scheme, one of `more`, or an https URL. */
export function authorizationEndpointFault(text: string, more: readonly string[] = []): string | undefined {
  return walletEndpointFault(text, { schemes: [...AUTHORIZATION_SCHEMES, ...more], parameters: PARAMETERS });
}

/** What the address of a request consists of. */
export interface FrontChannelRequest {
  readonly authorizationEndpoint: string;
  readonly clientId: string;
  readonly requestUri: string;
  readonly requestUriMethod: RequestUriMethod;
}

/**
 * The URI for the wallet: `client_id`, `request_uri` and, unless it is GET, `request_uri_method`; nothing else in the
 * front channel (OpenID4VP 1.0 §5.4, §5.10).
 */
export function authorizationRequestUri(request: FrontChannelRequest): string {
  return withQueryParameters(request.authorizationEndpoint, [
    ['client_id', request.clientId],
    ['request_uri', request.requestUri],
    ...(request.requestUriMethod === 'post' ? ([['request_uri_method', 'post']] as const) : []),
  ]);
}
