import { randomUUID } from 'node:crypto';
import { SAMPLE_CLAIMS, SAMPLE_TYPE } from '@vestibule/dev-stack';
import { StepFault, type StackAddresses } from './flows';
import { askJson, managementPost, textIn, type IssuerEndpoints, type Run, type Wallet } from './wallet';
import { sha256, signJwt } from './wallet-crypto';
import type { Http } from './wallet-http';

const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

type Members = Readonly<Record<string, unknown>>;

/** A metadata document of an identifier: the well-known part stands between host and path. */
function wellKnown(identifier: string, name: string): string {
  const { origin, pathname } = new URL(identifier);
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`;
}

/** Reads the metadata of the issuer once, for all wallets. @throws StepFault */
export async function discoverIssuer(http: Http, { issuerUrl }: StackAddresses): Promise<IssuerEndpoints> {
  const read = (name: string) => askJson(http, 'metadata', { method: 'GET', url: wellKnown(issuerUrl, name) });
  const issuer = await read('openid-credential-issuer');
  const server = await read('oauth-authorization-server');
  return {
    issuer: textIn(issuer, 'credential_issuer', 'metadata'),
    token: textIn(server, 'token_endpoint', 'metadata'),
    nonce: textIn(issuer, 'nonce_endpoint', 'metadata'),
    credential: textIn(issuer, 'credential_endpoint', 'metadata'),
    configurationId: SAMPLE_TYPE,
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

async function askCredential({ surroundings, wallet }: Run, token: string, nonce: string): Promise<string> {
  const { http, issuer } = surroundings;
  const claims = { aud: issuer.issuer, iat: now(), nonce };
  const proof = signJwt(wallet.holder.proofHeader, claims, wallet.holder.privateKey);
  const body = { credential_configuration_id: issuer.configurationId, proofs: { jwt: [proof] } };
  const headers = {
    'content-type': 'application/json',
    authorization: `DPoP ${token}`,
    dpop: dpopProof(wallet, issuer.credential, token),
  };
  const question = { method: 'POST', url: issuer.credential, headers, body: JSON.stringify(body) } as const;
  const answer = await askJson(http, 'credential', question);
  const [issued] = (answer['credentials'] ?? []) as readonly { readonly credential?: unknown }[];
  if (typeof issued?.credential !== 'string') throw new StepFault('credential', 'no_credential');
  return issued.credential;
}

/**
 * An issuance from the backend's offer to the backend's callback (OpenID4VCI 1.0 §4, §6, §7, §8); the metadata were read
 * before. Gives the credential.
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
  // Where the credential is refused, nobody listens to the event any more.
  ended.catch(() => undefined);
  const credential = await clock.time('credential', () => askCredential(run, token, nonce));
  await clock.time('callback', () => ended);
  return credential;
}
