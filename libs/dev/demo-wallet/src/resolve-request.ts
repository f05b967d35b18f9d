import { Openid4vpClient, type Openid4vpAuthorizationRequest } from '@openid4vc/openid4vp';
import { importJWK, type JWK } from 'jose';
import { createCallbacks, peekJwt } from './callbacks';
import { checkChain, parseX5c, publicJwkOf } from './certificate-chain';
import type { FetchedRequest } from './fetch-request-object';
import { checkedUrl, type Journey } from './journey';
import { isJsonObject, objectAt, stringsAt, type JsonObject } from './json';
import { insist } from './refusal';
import type { WalletState } from './wallet-state';

/** A request that the wallet has verified and can answer. */
export interface VerifiedRequest {
  readonly jwt: string;
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** The same payload in the library's type. */
  readonly request: Openid4vpAuthorizationRequest;
  readonly clientId: string;
  readonly nonce: string;
  readonly responseUri: string;
  readonly dcqlQuery: JsonObject;
  /** The verifier's key for the response. */
  readonly encryptionKey: JWK & { readonly kid: string; readonly kty: string };
}

const SELF_ISSUED = 'https://self-issued.me/v2';
const SKEW_SECONDS = 60;
const FORBIDDEN = [
  'redirect_uri',
  'scope',
  'request',
  'request_uri',
  'request_uri_method',
  'client_id_scheme',
  'client_metadata_uri',
  'presentation_definition',
  'presentation_definition_uri',
  'verifier_attestations',
];

function checkHeader(header: JsonObject, wallet: WalletState): void {
  insist(header['typ'] === 'oauth-authz-req+jwt', 'request_malformed', 'typ is not oauth-authz-req+jwt');
  insist(header['alg'] === 'ES256', 'request_malformed', 'alg is not ES256');
  insist(!('crit' in header), 'request_malformed', 'the wallet supports no critical extension');
  const chain = parseX5c(header['x5c']);
  publicJwkOf(chain[0]);
  const anchors = wallet.verifierAnchors ? { trustAnchors: wallet.verifierAnchors } : {};
  checkChain(chain, { now: wallet.now(), ...anchors });
}

function checkTimes({ iat, nbf, exp }: JsonObject, now: Date): void {
  const seconds = now.getTime() / 1000;
  const numeric = [iat, nbf, exp].every((value) => value === undefined || Number.isFinite(value));
  insist(numeric, 'request_malformed', 'iat, nbf or exp is not a number');
  const begun = Math.max(Number(iat ?? 0), Number(nbf ?? 0)) <= seconds + SKEW_SECONDS;
  insist(begun && (exp === undefined || Number(exp) > seconds), 'request_expired', 'the request is not valid now');
}

/** OpenID4VP 1.0 §5.1, §5.8 and §8.2, HAIP 1.0 §5 and §5.1. */
function checkParameters(payload: JsonObject, fetched: FetchedRequest): void {
  insist(payload['aud'] === SELF_ISSUED, 'aud_wrong', 'aud is not that of static discovery');
  insist(payload['client_id'] === fetched.clientId, 'client_id_mismatch', 'client_id differs from the request URI');
  insist(fetched.clientId.startsWith('x509_hash:'), 'client_id_prefix_unsupported', 'HAIP requires x509_hash');
  insist(payload['wallet_nonce'] === fetched.walletNonce, 'wallet_nonce_mismatch', 'wallet_nonce is not the one sent');
  insist(payload['response_type'] === 'vp_token', 'request_malformed', 'response_type is not vp_token');
  const encrypted = payload['response_mode'] === 'direct_post.jwt';
  insist(encrypted, 'response_mode_unsupported', 'response_mode is not direct_post.jwt');
  const forbidden = FORBIDDEN.some((name) => name in payload);
  insist(!forbidden, 'request_parameter_forbidden', 'the request has a parameter that it must not have');
  const { nonce, state } = payload;
  insist(typeof nonce === 'string' && /^[A-Za-z0-9._~-]{16,}$/.test(nonce), 'nonce_invalid', 'the nonce is too weak');
  insist(typeof state === 'string' && state !== '', 'state_missing', 'the request has no state');
}

function checkResponseUri(payload: JsonObject): string {
  const { response_uri } = payload;
  insist(typeof response_uri === 'string', 'request_malformed', 'response_uri is missing');
  insist(checkedUrl(response_uri).hash === '', 'request_malformed', 'response_uri has a fragment');
  return response_uri;
}

/** HAIP 1.0 §5: one ephemeral P-256 key for ECDH-ES, both GCM encodings, ES256 for both signatures. */
function chooseEncryptionKey(payload: JsonObject): VerifiedRequest['encryptionKey'] {
  const metadata = objectAt(payload, 'client_metadata');
  const keys: unknown = objectAt(metadata, 'jwks')['keys'];
  insist(Array.isArray(keys), 'client_metadata_invalid', 'client_metadata has no keys');
  for (const key of keys as readonly unknown[]) {
    const named = isJsonObject(key) && typeof key['kid'] === 'string' && typeof key['alg'] === 'string';
    insist(named && !('d' in key), 'client_metadata_invalid', 'a key lacks kid or alg, or is private');
  }
  const usable = (keys as JsonObject[]).find(
    ({ alg, crv, use }) => alg === 'ECDH-ES' && crv === 'P-256' && (use === undefined || use === 'enc'),
  );
  insist(usable !== undefined, 'client_metadata_invalid', 'there is no key for ECDH-ES with P-256');
  const encodings = stringsAt(metadata, 'encrypted_response_enc_values_supported');
  const both = ['A128GCM', 'A256GCM'].every((enc) => encodings.includes(enc));
  insist(both, 'client_metadata_invalid', 'encrypted_response_enc_values_supported lacks A128GCM or A256GCM');
  const format = objectAt(objectAt(metadata, 'vp_formats_supported'), 'dc+sd-jwt');
  const signatures = ['sd-jwt_alg_values', 'kb-jwt_alg_values'].every(
    (name) => format[name] === undefined || stringsAt(format, name).includes('ES256'),
  );
  const offered = 'dc+sd-jwt' in objectAt(metadata, 'vp_formats_supported') && signatures;
  insist(offered, 'client_metadata_invalid', 'vp_formats_supported lacks dc+sd-jwt with ES256');
  return usable as VerifiedRequest['encryptionKey'];
}

/**
 * Verifies a request object as HAIP 1.0 §5 requires of a wallet. The library checks the signature, x509_hash and the
 * structure; the rest is checked here because the library is lax about it (see README).
 */
export async function resolveRequest(
  wallet: WalletState,
  journey: Journey,
  fetched: FetchedRequest,
): Promise<VerifiedRequest> {
  const peeked = peekJwt(fetched.jwt);
  insist(peeked !== undefined, 'request_malformed', 'the request object is not a JWT');
  const { header, payload } = peeked;
  checkHeader(header, wallet);
  checkTimes(payload, wallet.now());
  checkParameters(payload, fetched);
  const responseUri = checkResponseUri(payload);
  const encryptionKey = chooseEncryptionKey(payload);
  await importJWK(encryptionKey, 'ECDH-ES');
  const { dcql_query } = payload;
  insist(isJsonObject(dcql_query), 'dcql_invalid', 'dcql_query is not an object');
  const { nonce } = payload as { nonce: string };
  const client = new Openid4vpClient({ callbacks: createCallbacks({ journey, keys: wallet.keys, now: wallet.now }) });
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: { client_id: fetched.clientId, request: fetched.jwt },
    ...(fetched.walletNonce === undefined ? {} : { wallet: { expectedNonce: fetched.walletNonce } }),
  });
  const request = resolved.authorizationRequestPayload as Openid4vpAuthorizationRequest;
  const { jwt, clientId } = fetched;
  return { jwt, header, payload, request, clientId, nonce, responseUri, dcqlQuery: dcql_query, encryptionKey };
}
