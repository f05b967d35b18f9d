import { createHash, randomUUID, type KeyObject } from 'node:crypto';
import { compactDecrypt, CompactEncrypt, exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose';
import { insist, judgeMetadata, objectOf, verifiedByChain, type Json } from './strict-judgement';

export type Algorithm = 'ES256' | 'ES384' | 'ES512';

/** A key of the wallet and what its public half says. */
export interface WalletKey {
  readonly alg: Algorithm;
  readonly key: KeyObject;
  readonly jwk: JWK;
}

/** What attests the wallet at the token endpoint. */
export interface Attested {
  readonly attestation: string;
  readonly instance: WalletKey;
  readonly challenge: string | undefined;
}

/** An answer of the credential endpoints. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** A wallet with a token, which asks for credentials. */
export interface Session {
  readonly issuer: string;
  readonly metadata: Json;
  nonce(): Promise<string>;
  ask(proofs: Json): Promise<Answer>;
  /** The same, with request and answer encrypted (OpenID4VCI 1.0 §10); to the key in other metadata if they are given. */
  askEncrypted(proofs: Json, to?: Json): Promise<Answer>;
  /** Sends a body with the token to any address; the proof is for `htu`, by default the same. */
  send(url: string, body: Json, htu?: string): Promise<Answer>;
  collect(transactionId: string): Promise<Answer>;
  notify(notificationId: string): Promise<number>;
}

export async function createKey(alg: Algorithm = 'ES256'): Promise<WalletKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, key: privateKey as unknown as KeyObject, jwk: await exportJWK(publicKey) };
}

const now = () => Math.floor(Date.now() / 1000);

export function sign({ alg, key }: WalletKey, header: Json, claims: Json): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ ...header, alg }).sign(key);
}

const jsonOf = async (response: Response): Promise<Json> => {
  const text = await response.text();
  return text === '' ? {} : objectOf(JSON.parse(text), 'an answer is no JSON object');
};

function wellKnown(issuer: string, name: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`;
}

const serverMetadata = async (issuer: string) => jsonOf(await fetch(wellKnown(issuer, 'oauth-authorization-server')));

/** Encrypts a request, and opens the answer, which is encrypted to a key of its own. */
async function encryption(metadata: Json, body: Json) {
  const { jwks } = objectOf(metadata['credential_request_encryption'], 'requests are not encrypted') as {
    jwks: { keys: JWK[] };
  };
  const [key] = jwks.keys;
  insist(key !== undefined, 'no key for requests');
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), use: 'enc', alg: 'ECDH-ES', kid: 'answer' };
  const request = { ...body, credential_response_encryption: { jwk, enc: 'A128GCM' } };
  const header = { alg: 'ECDH-ES', enc: 'A128GCM', kid: String(key.kid) };
  const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify(request)))
    .setProtectedHeader(header)
    .encrypt(await importJWK(key, 'ECDH-ES'));
  const open = async (response: Response): Promise<Answer> => {
    if (response.status >= 400) return { status: response.status, body: await jsonOf(response) };
    const text = await response.text();
    insist(response.headers.get('content-type')?.split(';')[0] === 'application/jwt', `no encrypted answer: ${text}`);
    const { plaintext } = await compactDecrypt(text, privateKey);
    return { status: response.status, body: objectOf(JSON.parse(Buffer.from(plaintext).toString()), 'no object') };
  };
  return { jwe, open };
}

/** The signed metadata, as wallets ask for it that would take both forms (EU:M6). */
export async function signedMetadata(issuer: string): Promise<Json> {
  const headers = { accept: 'application/jwt,application/json' };
  const response = await fetch(wellKnown(issuer, 'openid-credential-issuer'), { headers });
  insist(response.status === 200, `metadata came with ${response.status}`);
  insist(response.headers.get('content-type')?.split(';')[0] === 'application/jwt', 'MissingSignedMetadata');
  const claims = await verifiedByChain(await response.text(), 'openidvci-issuer-metadata+jwt');
  insist(claims['sub'] === issuer, 'signed metadata about another issuer');
  return claims;
}

/** The offer behind a URI, and the issuer that it names. */
export async function readOffer(uri: string): Promise<{ issuer: string; code: string }> {
  const reference = new URL(uri).searchParams.get('credential_offer_uri');
  insist(reference !== null, 'no offer by reference');
  const offer = await jsonOf(await fetch(reference));
  // The wallet does not look at the status: the body has to be readable.
  insist(offer['error'] === undefined, `the offer has ended: ${String(offer['error'])}`);
  const grants = objectOf(offer['grants'], 'no grants');
  const grant = objectOf(grants['urn:ietf:params:oauth:grant-type:pre-authorized_code'], 'no pre-authorized code');
  return { issuer: String(offer['credential_issuer']), code: String(grant['pre-authorized_code']) };
}

const dpopProof = async (key: WalletKey, htu: string, more: Json = {}) =>
  sign(key, { typ: 'dpop+jwt', jwk: key.jwk }, { htm: 'POST', htu, jti: randomUUID(), iat: now(), ...more });

/** The headers of attestation-based client authentication: no `iss` in the attestation (EU:K11). */
async function attestationHeaders({ attestation, instance, challenge }: Attested, issuer: string) {
  const claims = { aud: issuer, jti: randomUUID(), iat: now(), ...(challenge === undefined ? {} : { challenge }) };
  const pop = await sign(instance, { typ: 'oauth-client-attestation-pop+jwt' }, claims);
  return { 'oauth-client-attestation': attestation, 'oauth-client-attestation-pop': pop };
}

/** Whose token endpoint is asked, and for whom the proof of possession is; by default those of the offer. With a transaction code. */
export interface TokenPlace {
  readonly at?: string | undefined;
  readonly provedTo?: string | undefined;
  readonly txCode?: string | undefined;
}

/** Asks for a token. The wallet reads an error on status 400 alone (section 3). */
export async function requestToken(
  uri: string | { readonly issuer: string; readonly code: string },
  dpopKey: WalletKey,
  attested?: Attested,
  { at, provedTo, txCode }: TokenPlace = {},
): Promise<Answer & { issuer: string }> {
  const { issuer, code } = typeof uri === 'string' ? await readOffer(uri) : uri;
  const server = await serverMetadata(at ?? issuer);
  insist(server['issuer'] === (at ?? issuer), 'metadata of another authorization server');
  const endpoint = String(server['token_endpoint']);
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      dpop: await dpopProof(dpopKey, endpoint),
      ...(attested ? await attestationHeaders(attested, provedTo ?? at ?? issuer) : {}),
    },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code',
      'pre-authorized_code': code,
      ...(txCode === undefined ? {} : { tx_code: txCode }),
    }),
  });
  insist([200, 400].includes(response.status), `Token request failed with ${response.status}`);
  return { issuer, status: response.status, body: await jsonOf(response) };
}

export async function challengeOf(issuer: string): Promise<string> {
  const server = await serverMetadata(issuer);
  const answer = await jsonOf(await fetch(String(server['challenge_endpoint']), { method: 'POST' }));
  return String(answer['attestation_challenge']);
}

/** Redeems an offer as far as the token, after judging the metadata where `strict`. */
export async function openSession(
  uri: string,
  configurationId: string,
  { attested, strict = true }: { readonly attested?: Attested; readonly strict?: boolean } = {},
): Promise<Session> {
  const { issuer } = await readOffer(uri);
  const metadata = await signedMetadata(issuer);
  if (strict) judgeMetadata(metadata, issuer);
  const dpopKey = await createKey();
  const token = await requestToken(uri, dpopKey, attested);
  insist(token.status === 200, `no token: ${String(token.body['error'])}`);
  const accessToken = String(token.body['access_token']);
  const ath = createHash('sha256').update(accessToken).digest('base64url');
  const sendText = async (url: string, body: string, { htu = url, type = 'application/json' } = {}) => {
    const dpop = await dpopProof(dpopKey, htu, { ath });
    const headers = { authorization: `DPoP ${accessToken}`, dpop, 'content-type': type };
    return fetch(url, { method: 'POST', headers, body });
  };
  const post = (member: string, body: Json) => sendText(String(metadata[member]), JSON.stringify(body));
  const answered = async (response: Response) => ({ status: response.status, body: await jsonOf(response) });
  return {
    issuer,
    metadata,
    askEncrypted: async (proofs, to = metadata) => {
      const body = { credential_configuration_id: configurationId, proofs };
      const { jwe, open } = await encryption(to, body);
      return open(await sendText(String(metadata['credential_endpoint']), jwe, { type: 'application/jwt' }));
    },
    send: async (url, body, htu = url) => answered(await sendText(url, JSON.stringify(body), { htu })),
    nonce: async () => {
      const answer = await jsonOf(await fetch(String(metadata['nonce_endpoint']), { method: 'POST' }));
      return String(answer['c_nonce']);
    },
    ask: async (proofs) =>
      answered(await post('credential_endpoint', { credential_configuration_id: configurationId, proofs })),
    collect: async (id) => answered(await post('deferred_credential_endpoint', { transaction_id: id })),
    notify: async (id) =>
      (await post('notification_endpoint', { notification_id: id, event: 'credential_accepted' })).status,
  };
}

/** A key proof of type `jwt`. */
export const keyProof = (signer: WalletKey, header: Json, claims: Json) =>
  sign(signer, { typ: 'openid4vci-proof+jwt', ...header }, { iat: now(), ...claims });
