import { createHash, randomUUID, type KeyObject } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
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
  nonce(): Promise<string>;
  ask(proofs: Json): Promise<Answer>;
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

/** Asks for a token. The wallet reads an error on status 400 alone (section 3). */
export async function requestToken(
  uri: string,
  dpopKey: WalletKey,
  attested?: Attested,
): Promise<Answer & { issuer: string }> {
  const { issuer, code } = await readOffer(uri);
  const server = await jsonOf(await fetch(wellKnown(issuer, 'oauth-authorization-server')));
  const endpoint = String(server['token_endpoint']);
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      dpop: await dpopProof(dpopKey, endpoint),
      ...(attested ? await attestationHeaders(attested, issuer) : {}),
    },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code',
      'pre-authorized_code': code,
    }),
  });
  insist([200, 400].includes(response.status), `Token request failed with ${response.status}`);
  return { issuer, status: response.status, body: await jsonOf(response) };
}

export async function challengeOf(issuer: string): Promise<string> {
  const server = await jsonOf(await fetch(wellKnown(issuer, 'oauth-authorization-server')));
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
  const post = async (member: string, body: Json) => {
    const url = String(metadata[member]);
    const dpop = await dpopProof(dpopKey, url, { ath });
    const headers = { authorization: `DPoP ${accessToken}`, dpop, 'content-type': 'application/json' };
    return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const answered = async (response: Response) => ({ status: response.status, body: await jsonOf(response) });
  return {
    issuer,
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
