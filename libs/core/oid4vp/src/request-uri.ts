import { withQueryParameters } from '@vestibule/foundation';
import type { FlowType } from './flow-variant';

const MAX_REQUEST_URI_LENGTH = 512;

function address(baseUrl: string, state: string, last: 'request' | 'response'): string {
  return `${baseUrl}/oidc4vp/${encodeURIComponent(state)}/${last}`;
}

/** Where the wallet fetches the signed request. Throws a RangeError beyond 512 characters (RFC 9101 §5.2). */
export function requestUri(baseUrl: string, state: string, flowType: FlowType): string {
  const uri = `${address(baseUrl, state, 'request')}?flow_type=${flowType}`;
  if (uri.length > MAX_REQUEST_URI_LENGTH)
    throw new RangeError('the base URL makes request_uri longer than 512 characters');
  return uri;
}

/** Where the wallet posts its answer: it names the request, so no `state` outside the encryption is needed. */
export function responseUri(baseUrl: string, state: string): string {
  return address(baseUrl, state, 'response');
}

/**
 * The backend's redirect address, which has no fragment, with the response code added to its query (OpenID4VP 1.0 §8.2).
 * All else keeps its spelling: it may be signed.
 */
export function withResponseCode(redirectUri: string, responseCode: string): string {
  return withQueryParameters(redirectUri, [['response_code', responseCode]]);
}
