import { CompactEncrypt, importJWK, type JWK } from 'jose';
import {
  digestOf,
  nowSeconds,
  rawSignature,
  signJwt,
  type Change,
  type Holder,
  type JwtDraft,
  type Members,
} from './handmade-credential';

/** A request object as it was fetched, and what an answer needs of it. */
export interface OpenedRequest {
  readonly jwt: string;
  readonly header: Members;
  readonly claims: Members;
  readonly clientId: string;
  readonly nonce: string;
  readonly state: string;
  readonly responseUri: string;
  readonly encryptionKey: JWK;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** How to encrypt otherwise. */
export interface Encryption {
  readonly header: Members;
  readonly recipient: JWK;
  /** Random bytes for `apu` and `apv`. */
  readonly parties?: readonly [Uint8Array, Uint8Array];
  /** Header extensions that jose shall let pass as understood. */
  readonly critical?: Readonly<Record<string, boolean>>;
  /** Changes the finished JWE. */
  readonly finished?: (jwe: string) => string;
}

const decodePart = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Members;

export async function exchange(url: string, init: RequestInit = {}): Promise<HttpAnswer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The address of the request object in an `openid4vp://` URI. */
export const requestUriIn = (uri: string) => new URL(uri).searchParams.get('request_uri') ?? '';

export function readRequestObject(jwt: string): OpenedRequest {
  const [header, claims] = jwt.split('.').slice(0, 2).map(decodePart) as [Members, Members];
  const metadata = claims['client_metadata'] as { jwks: { keys: JWK[] } };
  const [encryptionKey] = metadata.jwks.keys;
  if (!encryptionKey) throw new TypeError('the request has no encryption key');
  const { client_id: clientId, nonce, state, response_uri: responseUri } = claims as Record<string, string>;
  return { jwt, header, claims, clientId, nonce, state, responseUri, encryptionKey } as OpenedRequest;
}

/** Fetches the request as the simplest wallet does, without judging it. */
export async function openRequest(uri: string): Promise<OpenedRequest> {
  const answer = await exchange(requestUriIn(uri));
  if (answer.status !== 200) throw new TypeError(`the request object came with ${answer.status}`);
  return readRequestObject(answer.text);
}

/** An SD-JWT with its key binding; `change` makes it another one. */
export function bind(sdJwt: string, request: OpenedRequest, holder: Holder, change: Change<JwtDraft> = () => ({})) {
  const right: JwtDraft = {
    header: { alg: 'ES256', typ: 'kb+jwt' },
    payload: { iat: nowSeconds(), aud: request.clientId, nonce: request.nonce, sd_hash: digestOf(sdJwt) },
    key: holder.key,
    signature: rawSignature,
  };
  return `${sdJwt}${signJwt({ ...right, ...change(right) })}`;
}

/** Encrypts a response with jose (OpenID4VP 1.0 §8.3). */
export async function encryptResponse(
  request: OpenedRequest,
  plaintext: string | Uint8Array,
  change: Change<Encryption> = () => ({}),
): Promise<string> {
  const right: Encryption = {
    header: { alg: 'ECDH-ES', enc: 'A256GCM', kid: request.encryptionKey.kid },
    recipient: request.encryptionKey,
  };
  const { header, recipient, parties, critical, finished } = { ...right, ...change(right) };
  const alg = String(header['alg']);
  const encrypt = new CompactEncrypt(
    typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext,
  ).setProtectedHeader({
    ...header,
    alg,
    enc: String(header['enc']),
  });
  if (parties) encrypt.setKeyManagementParameters({ apu: parties[0], apv: parties[1] });
  const { kty, crv, x, y } = recipient as Record<string, string>;
  const jwe = await encrypt.encrypt(
    await importJWK({ kty, crv, x, y } as JWK, alg),
    critical ? { crit: critical } : {},
  );
  return finished?.(jwe) ?? jwe;
}

export const postForm = (url: string, form: Record<string, string> | URLSearchParams) =>
  exchange(url, { method: 'POST', body: new URLSearchParams(form) });
