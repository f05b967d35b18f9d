import { randomBytes } from 'node:crypto';
import type { PublicJwk } from '@vestibule/crypto';
import { createBackend, requestSample, type BackendAddresses, type RequestMembers } from '@vestibule/dev-stack';
import type { JsonObject } from '@vestibule/foundation';
import { encryptJwe } from '@vestibule/testkit';
import { bindCredential, type Credential } from './handmade-credential';

/** A presentation request as the wallet knows it after fetching the request object. */
export interface OpenRequest {
  readonly requestUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly clientId: string;
  readonly responseUri: string;
  readonly kid: string;
  readonly recipient: PublicJwk;
}

/** What a wallet posts. */
export interface Post {
  readonly url: string;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

const FORM = 'application/x-www-form-urlencoded';
/** Bytes of the largest body that the public listener accepts. */
const MAX_BODY_BYTES = 1_048_576;
const ENCRYPTED = { enc: 'A256GCM', random: randomBytes } as const;

export async function postForm({ url, body }: Post): Promise<HttpAnswer> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': FORM }, body });
  return { status: response.status, text: await response.text() };
}

/** A backend creates a request; returns the address of the request object. */
export async function createRequest(stack: BackendAddresses, body: RequestMembers): Promise<string> {
  const { crossDevice } = await requestSample(createBackend(stack), body);
  return String(new URL(crossDevice).searchParams.get('request_uri'));
}

/** A wallet fetches the request object, without verifying it. */
export async function fetchRequest(requestUri: string): Promise<OpenRequest> {
  const response = await fetch(requestUri);
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${requestUri} answers ${response.status}: ${text.slice(0, 500)}`);
  const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  const { jwks } = claims['client_metadata'] as { jwks: { keys: (PublicJwk & { kid: string })[] } };
  const [key] = jwks.keys;
  if (!key) throw new Error('the request has no encryption key');
  const { client_id: clientId, nonce, state, response_uri: responseUri } = claims as Record<string, string>;
  const { kid, ...recipient } = key;
  return { requestUri, state, nonce, clientId, responseUri, kid, recipient } as OpenRequest;
}

/**
 * Encrypts a response as its wallet does (OpenID4VP 1.0 §8.3). Throws if the body would be too large to be read at all.
 */
export function encryptedPost(request: OpenRequest, content: string | Uint8Array): Post {
  const plaintext = typeof content === 'string' ? Buffer.from(content) : content;
  const jwe = encryptJwe(plaintext, { ...ENCRYPTED, recipient: request.recipient, kid: request.kid });
  const body = `response=${jwe}`;
  if (body.length > MAX_BODY_BYTES) throw new Error(`the body has ${body.length} bytes: it would be answered 413`);
  return { url: request.responseUri, body };
}

/** The answer with these presentations for the credential query `card`, bound to the request. */
export function presentationPost(
  request: OpenRequest,
  credentials: readonly Credential[],
  bindingClaims: JsonObject = {},
): Post {
  const binding = { audience: request.clientId, nonce: request.nonce, claims: bindingClaims };
  const presentations = credentials.map((credential) => bindCredential(credential, binding));
  return encryptedPost(request, JSON.stringify({ state: request.state, vp_token: { card: presentations } }));
}
