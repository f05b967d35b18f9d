import { randomUUID } from 'node:crypto';
import { SAMPLE_CLAIMS, SAMPLE_TYPE } from '@vestibule/dev-stack';
import { StepFault, type StackAddresses } from './flows';
import { askJson, managementPost, readJson, textIn, type IssuerEndpoints, type Run, type Wallet } from './wallet';
import { decryptJwe, encryptJwe, sha256, signJwt, type EcJwk, type Recipient } from './wallet-crypto';
import type { Http } from './wallet-http';

const ENC = 'A256GCM';
const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

type Members = Readonly<Record<string, unknown>>;

/** The URL of an identifier's metadata document: the well-known part is inserted between host and path. */
function wellKnown(identifier: string, name: string): string {
  const { origin, pathname } = new URL(identifier);
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`;
}

/** The key that the issuer publishes for credential requests (OpenID4VCI 1.0 §12.2.4). @throws StepFault */
function recipientIn(metadata: Members): Recipient {
  const { jwks, enc_values_supported: encs } = (metadata['credential_request_encryption'] ?? {}) as {
    readonly jwks?: { readonly keys?: readonly (EcJwk & { readonly kid: string })[] };
    readonly enc_values_supported?: readonly string[];
  };
  const [jwk] = jwks?.keys ?? [];
  if (!jwk || !encs?.includes(ENC)) throw new StepFault('metadata', 'no_request_encryption');
  return { jwk, kid: jwk.kid, enc: ENC };
}

/** Reads the issuer's metadata once, for all wallets. @throws StepFault */
export async function discoverIssuer(
  http: Http,
  { issuerUrl }: StackAddresses,
  encrypted: boolean,
): Promise<IssuerEndpoints> {
  const read = (name: string) => askJson(http, 'metadata', { method: 'GET', url: wellKnown(issuerUrl, name) });
  const issuer = await read('openid-credential-issuer');
  const server = await read('oauth-authorization-server');
  return {
    issuer: textIn(issuer, 'credential_issuer', 'metadata'),
    token: textIn(server, 'token_endpoint', 'metadata'),
    nonce: textIn(issuer, 'nonce_endpoint', 'metadata'),
    credential: textIn(issuer, 'credential_endpoint', 'metadata'),
    configurationId: SAMPLE_TYPE,
    recipient: encrypted ? recipientIn(issuer) : undefined,
  };
}

const now = () => Math.floor(Date.now() / 1000);

function dpopProof({ dpop }: Wallet, url: string, token?: string): string {
  const ath = token === undefined ? {} : { ath: sha256(token) };
  return signJwt(dpop.header, { jti: randomUUID(), htm: 'POST', htu: url, iat: now(), ...ath }, dpop.privateKey);
}

function tokenForm(offer: Members): string {
  const grants = offer['grants'] as Readonly<Record<string, Members>> | undefined;
  const code = textIn(grants?.[GRANT] ?? {}, 'pre-authorized_code', 'offer object');
  return new URLSearchParams({ grant_type: GRANT, 'pre-authorized_code': code }).toString();
}

async function askToken({ surroundings, wallet }: Run, offer: Members): Promise<string> {
  const url = surroundings.issuer.token;
  const headers = { 'content-type': 'application/x-www-form-urlencoded', dpop: dpopProof(wallet, url) };
  const question = { method: 'POST', url, headers, body: tokenForm(offer) } as const;
  return textIn(await askJson(surroundings.http, 'token', question), 'access_token', 'token');
}

async function askNonce({ surroundings: { http, issuer } }: Run): Promise<string> {
  const answer = await askJson(http, 'nonce', { method: 'POST', url: issuer.nonce });
  return textIn(answer, 'c_nonce', 'nonce');
}

/** Requests a credential, encrypted both ways if the issuer's key is known (OpenID4VCI 1.0 §8.2, §10). */
async function exchange({ surroundings, wallet }: Run, token: string, body: Members): Promise<Members> {
  const { http, issuer } = surroundings;
  const url = issuer.credential;
  const headers = { authorization: `DPoP ${token}`, dpop: dpopProof(wallet, url, token) };
  const ask = (type: string, content: string) =>
    http.ask('credential', { method: 'POST', url, headers: { 'content-type': type, ...headers }, body: content });
  if (!issuer.recipient) return readJson('credential', await ask('application/json', JSON.stringify(body)));
  const own = { ...wallet.agreement.jwk, kid: 'wallet', alg: 'ECDH-ES', use: 'enc' };
  const request = { ...body, credential_response_encryption: { jwk: own, enc: ENC } };
  const answer = await ask('application/jwt', encryptJwe(JSON.stringify(request), issuer.recipient, wallet.agreement));
  return readJson('credential', await decryptJwe(answer, wallet.agreement));
}

async function askCredential(run: Run, token: string, nonce: string): Promise<string> {
  const {
    surroundings: { issuer },
    wallet,
  } = run;
  const claims = { aud: issuer.issuer, iat: now(), nonce };
  const proof = signJwt(wallet.holder.proofHeader, claims, wallet.holder.privateKey);
  const body = { credential_configuration_id: issuer.configurationId, proofs: { jwt: [proof] } };
  const answer = await exchange(run, token, body);
  const [issued] = (answer['credentials'] ?? []) as readonly { readonly credential?: unknown }[];
  if (typeof issued?.credential !== 'string') throw new StepFault('credential', 'no_credential');
  return issued.credential;
}

/**
 * An issuance from the backend's offer to the backend's callback (OpenID4VCI 1.0 §4, §6, §7, §8), with metadata that
 * was read before. Returns the credential.
 * @throws StepFault
 */
export async function runIssuance(run: Run): Promise<string> {
  const { surroundings, clock, oneByOne } = run;
  const { http, events } = surroundings;
  const body = { credential_configuration_id: SAMPLE_TYPE, claims: SAMPLE_CLAIMS };
  const question = managementPost(surroundings, '/offers', body);
  const made = await clock.time('offer', () => askJson(http, 'offer', question));
  const id = textIn(made, 'offer_id', 'offer');
  if (oneByOne) await events.waitFor(id, 'OFFER_CREATED');
  const url = new URL(textIn(made, 'credential_offer_uri', 'offer')).searchParams.get('credential_offer_uri') ?? '';
  const offer = await clock.time('offer object', () => askJson(http, 'offer object', { method: 'GET', url }));
  const token = await clock.time('token', () => askToken(run, offer));
  const nonce = await clock.time('nonce', () => askNonce(run));
  const ended = events.waitFor(id, 'ISSUED');
  // If the credential is refused, nothing awaits the event any more.
  ended.catch(() => undefined);
  const credential = await clock.time('credential', () => askCredential(run, token, nonce));
  await clock.time('callback', () => ended);
  return credential;
}
