import { createHash, createPublicKey } from 'node:crypto';
import { Openid4vpVerifier, type Openid4vpAuthorizationRequest } from '@openid4vc/openid4vp';
import { SDJwtInstance } from '@sd-jwt/core';
import { compactVerify, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { isJsonObject, objectAt, type JsonObject } from '../json';
import { startLoopback, type Answer, type Loopback, type Received } from './loopback';
import { base64Chain, serverCallbacks, type Signer } from './server-callbacks';

/** One presentation as the verifier's library parsed it. */
export interface ReadPresentation {
  readonly claims: JsonObject;
  readonly keyBinding: { readonly header: object; readonly payload: JsonObject } | undefined;
}

export interface VerifierOptions {
  /** Signs request objects. */
  readonly signer: Signer;
  /** Signs the credentials that are accepted. */
  readonly issuer: Signer;
  readonly dcqlQuery: JsonObject;
  /** Members of the request object to change; `undefined` removes one. */
  readonly payload?: JsonObject;
  readonly requestUriMethod?: 'get' | 'post';
  /** Changes an answer of the request_uri (`request`) or of the response endpoint (`response`). */
  readonly alter?: (endpoint: 'request' | 'response', answer: Answer) => Answer;
}

export interface CounterpartVerifier extends Loopback {
  readonly requestUri: string;
  readonly clientId: string;
  /** Everything that was posted to the response endpoint. */
  readonly responses: { readonly form: URLSearchParams; readonly payload?: JsonObject }[];
  /** The POST requests to the request_uri. */
  readonly posts: URLSearchParams[];
  /** What the last accepted response presented, by query id. */
  readonly presented: Map<string, ReadPresentation[]>;
}

const NONCE = 'n-0S6_WzA2Mj-n-0S6_WzA2Mj';
const STATE = 's-af0ifjsldkj-af0ifjsldkj';

const hasher = (text: string | ArrayBuffer, algorithm: string) =>
  new Uint8Array(
    createHash(algorithm.replace('-', ''))
      .update(typeof text === 'string' ? text : Buffer.from(text))
      .digest(),
  );

async function verifyCompact(data: string, signature: string, jwk: unknown): Promise<boolean> {
  const key = await importJWK(jwk as JWK, 'ES256');
  return compactVerify(`${data}.${signature}`, key).then(
    () => true,
    () => false,
  );
}

/** Lets @sd-jwt/core verify a presentation: the issuer's signature, the disclosures, KB-JWT, nonce and `sd_hash`. */
async function readPresentation(presentation: string, issuer: Signer, bound: boolean): Promise<ReadPresentation> {
  const verifier = new SDJwtInstance<JsonObject>({
    hasher,
    verifier: (data, signature) =>
      verifyCompact(data, signature, createPublicKey(issuer.privateKey).export({ format: 'jwk' })),
    kbVerifier: (data, signature, payload) => verifyCompact(data, signature, objectAt(payload, 'cnf')['jwk']),
  });
  const verified = await verifier.verify(presentation, bound ? { keyBindingNonce: NONCE } : {});
  const { kb } = verified;
  return { claims: verified.payload, keyBinding: kb ? { header: kb.header, payload: { ...kb.payload } } : undefined };
}

type Callbacks = ReturnType<typeof serverCallbacks>;

/** The two endpoints of one verifier, with one request. */
class VerifierEndpoints {
  readonly responses: CounterpartVerifier['responses'] = [];
  readonly posts: URLSearchParams[] = [];
  readonly presented = new Map<string, ReadPresentation[]>();
  readonly #library: Openid4vpVerifier;
  #request: Openid4vpAuthorizationRequest | undefined;

  constructor(
    readonly options: VerifierOptions,
    readonly clientId: string,
    readonly encryptionJwk: JWK & { kty: string },
    readonly callbacks: Callbacks,
  ) {
    this.#library = new Openid4vpVerifier({ callbacks });
  }

  #parameters(origin: string, walletNonce: string | null): Openid4vpAuthorizationRequest {
    return {
      response_type: 'vp_token',
      response_mode: 'direct_post.jwt',
      client_id: this.clientId,
      response_uri: `${origin}/response`,
      nonce: NONCE,
      state: STATE,
      dcql_query: this.options.dcqlQuery,
      client_metadata: {
        jwks: { keys: [this.encryptionJwk] },
        encrypted_response_enc_values_supported: ['A256GCM', 'A128GCM'],
        vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] } },
      },
      ...(walletNonce ? { wallet_nonce: walletNonce } : {}),
    };
  }

  async request(received: Received): Promise<Answer> {
    const form = new URLSearchParams(received.method === 'POST' ? received.body : '');
    if (received.method === 'POST') this.posts.push(form);
    const walletNonce = form.get('wallet_nonce');
    this.#request = this.#parameters(received.url.origin, walletNonce);
    const created = await this.#library.createOpenId4vpAuthorizationRequest({
      authorizationRequestPayload: this.#request,
      ...(walletNonce ? { wallet: { expectedNonce: walletNonce } } : {}),
      jar: {
        requestUri: `${received.url.origin}/request`,
        expiresInSeconds: 300,
        jwtSigner: { method: 'x5c', alg: 'ES256', x5c: base64Chain(this.options.signer) },
        additionalJwtPayload: { aud: 'https://self-issued.me/v2' },
      },
    });
    const jwt = await resigned(created.jar?.authorizationRequestJwt ?? '', this.options.payload, this.callbacks);
    return { status: 200, headers: { 'content-type': 'application/oauth-authz-req+jwt' }, body: jwt };
  }

  async response(received: Received): Promise<Answer> {
    const form = new URLSearchParams(received.body);
    const refused = { status: 400, body: { error: 'invalid_request' } };
    const jwe = form.get('response');
    if (jwe === null) {
      this.responses.push({ form });
      return form.has('error') ? { status: 200, body: {} } : refused;
    }
    const decrypted = await Promise.resolve(this.callbacks.decryptJwe(jwe, { jwk: this.encryptionJwk }));
    const payload: unknown = JSON.parse(decrypted.payload ?? 'null');
    if (!isJsonObject(payload) || !this.#request) return refused;
    this.responses.push({ form, payload });
    if ('error' in payload) return { status: 200, body: {} };
    const parsed = await this.#library.parseOpenid4vpAuthorizationResponse({
      authorizationRequestPayload: this.#request,
      authorizationResponse: { response: jwe },
      callbacks: this.callbacks,
    });
    if (parsed.type !== 'dcql') return refused;
    for (const [id, presentations] of Object.entries(parsed.dcql.presentations)) {
      const texts = presentations.map(String);
      const read = texts.map((text) => readPresentation(text, this.options.issuer, !text.endsWith('~')));
      this.presented.set(id, await Promise.all(read));
    }
    return { status: 200, body: { redirect_uri: 'https://shop.example/back?response_code=1' } };
  }
}

/** A verifier built from the library's server part; it trusts credentials that `issuer` signed. */
export async function startVerifier(options: VerifierOptions): Promise<CounterpartVerifier> {
  const encryption = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  const publicJwk = await exportJWK(encryption.publicKey);
  const encryptionJwk = { ...publicJwk, kty: 'EC', use: 'enc', alg: 'ECDH-ES', kid: 'enc-1' };
  const leaf = options.signer.x5c[0] ?? new Uint8Array();
  const clientId = `x509_hash:${createHash('sha256').update(leaf).digest('base64url')}`;
  const callbacks = serverCallbacks(options.signer, encryption.privateKey);
  const endpoints = new VerifierEndpoints(options, clientId, encryptionJwk, callbacks);
  const server = await startLoopback(async (received) => {
    const endpoint = received.url.pathname === '/request' ? 'request' : 'response';
    const answer = await endpoints[endpoint](received);
    return options.alter?.(endpoint, answer) ?? answer;
  });
  const parameters = new URLSearchParams({ client_id: clientId, request_uri: `${server.origin}/request` });
  if (options.requestUriMethod) parameters.set('request_uri_method', options.requestUriMethod);
  const { responses, posts, presented } = endpoints;
  return { ...server, responses, posts, presented, clientId, requestUri: `openid4vp://?${parameters}` };
}

async function resigned(jwt: string, patch: JsonObject | undefined, callbacks: Callbacks) {
  if (!patch) return jwt;
  const [header, payload] = jwt.split('.').map((part, index) => (index < 2 ? decode(part) : {}));
  const changed = Object.entries({ ...payload, ...patch }).filter(([, value]) => value !== undefined);
  const signed = await callbacks.signJwt(
    { method: 'custom', alg: 'ES256' },
    { header: { alg: 'ES256', ...header }, payload: Object.fromEntries(changed) },
  );
  return signed.jwt;
}

const decode = (part: string): JsonObject => {
  const parsed: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  return isJsonObject(parsed) ? parsed : {};
};
