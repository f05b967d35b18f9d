import { randomBytes } from 'node:crypto';
import { checkedUrl, mediaType, type Journey } from './journey';
import type { PresentationOptions } from './presentation-options';
import { insist } from './refusal';

/** A request object as received, with the nonce that the wallet sent. */
export interface FetchedRequest {
  readonly clientId: string;
  readonly jwt: string;
  /** The nonce that the request object must repeat; undefined after GET. */
  readonly walletNonce: string | undefined;
}

const SCHEMES = ['openid4vp:', 'haip-vp:', 'eudi-openid4vp:'];
const MEDIA_TYPE = 'application/oauth-authz-req+jwt';

const WALLET_METADATA = {
  vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] } },
  client_id_prefixes_supported: ['x509_hash'],
  request_object_signing_alg_values_supported: ['ES256'],
  response_types_supported: ['vp_token'],
  response_modes_supported: ['direct_post.jwt'],
};

interface FrontChannel {
  readonly clientId: string;
  readonly requestUri: string;
  readonly method: 'get' | 'post';
}

/** OpenID4VP 1.0 §5.4 and HAIP 1.0 §5.1: `client_id`, `request_uri`, possibly `request_uri_method`, nothing else. */
function parseFrontChannel(text: string): FrontChannel {
  insist(URL.canParse(text), 'request_uri_malformed', 'the request is not a URI');
  const { protocol, searchParams } = new URL(text);
  insist(SCHEMES.includes(protocol), 'request_uri_malformed', 'the request has another scheme');
  const names = [...searchParams.keys()];
  const known = names.every((name) => ['client_id', 'request_uri', 'request_uri_method'].includes(name));
  insist(known && new Set(names).size === names.length, 'request_uri_malformed', 'unknown or repeated parameters');
  const clientId = searchParams.get('client_id') ?? '';
  const requestUri = searchParams.get('request_uri') ?? '';
  insist(clientId !== '' && requestUri !== '', 'request_uri_malformed', 'client_id or request_uri is missing');
  const method = searchParams.get('request_uri_method') ?? 'get';
  insist(method === 'get' || method === 'post', 'request_uri_malformed', 'request_uri_method is neither get nor post');
  return { clientId, requestUri, method };
}

/**
 * Fetches the signed request object (OpenID4VP 1.0 §5.10). Not with the library, which posts the members of the
 * wallet's metadata as separate parameters without `wallet_nonce`, and accepts any content type.
 */
export async function fetchRequestObject(
  journey: Journey,
  uri: string,
  options: PresentationOptions,
): Promise<FetchedRequest> {
  const { clientId, requestUri, method } = parseFrontChannel(uri);
  const posted = (options.requestUriMethod ?? method) === 'post';
  const walletNonce = posted ? randomBytes(24).toString('base64url') : undefined;
  const metadata = JSON.stringify(options.walletMetadata ?? WALLET_METADATA);
  const form = new URLSearchParams({ wallet_metadata: metadata, wallet_nonce: walletNonce ?? '' });
  const jwt = await journey.step('request_object', async () => {
    const response = await journey.fetch(checkedUrl(requestUri), {
      headers: { accept: MEDIA_TYPE },
      ...(posted ? { method: 'POST', body: form } : {}),
    });
    if (!response.ok) throw new TypeError('the request_uri refused');
    insist(response.status === 200, 'status_code_wrong', 'a request object requires status 200');
    insist(mediaType(journey.last()) === MEDIA_TYPE, 'content_type_wrong', 'the request object has another type');
    return response.text();
  });
  return { clientId, jwt, walletNonce };
}
