import { createHash, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { CompactEncrypt, importJWK } from 'jose';
import { Client } from 'pg';
import { offerCredential, type Offer } from './flows';
import { createHolder, nowSeconds, rawSignature, signJwt, type Holder, type Members } from './handmade-credential';
import {
  ISSUANCE,
  joinStage,
  startStage,
  type SharedName,
  type SharedStage,
  type Stage,
  type StageOptions,
} from './stage';

const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
export const TYPE_ID = 'identity-card';

/** An HTTP answer to a wallet. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; empty for anything else. */
  readonly json: Members;
}

/** A request to one of the endpoints, as its bytes: every header as often as it is listed. */
export interface RawRequest {
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

function parseObject(text: string): Members {
  try {
    return JSON.parse(text) as Members;
  } catch {
    return {};
  }
}

/** One plain HTTP request: nothing is added, joined or followed on the way. */
function exchange(url: string, { method, headers, body }: RawRequest): Promise<RawAnswer> {
  const length = ['content-length', String(Buffer.byteLength(body))] as const;
  const flat = [...headers, length, ['host', new URL(url).host] as const].flat();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: flat as never, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const answered = response.headers as Record<string, string | undefined>;
        resolve({ status: response.statusCode ?? 0, headers: answered, text, json: parseObject(text) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export type Endpoint = 'token' | 'nonce' | 'credential' | 'deferred_credential' | 'notification';

/** Changes a request that is right in every respect. */
export type RequestChange = (right: RawRequest) => Partial<RawRequest>;

/** Changes the claims or the header of a JWT that is right otherwise; `undefined` leaves a member out. */
export interface JwtChange {
  readonly claims?: Members;
  readonly header?: Members;
  readonly signature?: (right: string) => string;
  /** Signs, and is named as the key, instead of the right one. */
  readonly signer?: Holder;
}

/** A wallet that can do anything wrong, one thing at a time; each has a DPoP key of its own. */
export interface HandmadeWallet {
  readonly holder: Holder;
  dpop(endpoint: Endpoint, token?: string, change?: JwtChange): string;
  keyProof(nonce: string, change?: JwtChange): string;
  nonce(): Promise<string>;
  form(offer: OpenedOffer, changes?: Readonly<Record<string, string | undefined>>): string;
  /** Exchanges the code, with the proof and the form given. */
  askToken(form: string, dpop?: string, change?: RequestChange): Promise<RawAnswer>;
  /** The access token for an offer. */
  token(offer: OpenedOffer): Promise<string>;
  /** The body of a right credential request, with members changed. */
  body(changes?: Members): Promise<Members>;
  /** Posts JSON with a token and its proof. */
  post(endpoint: Endpoint, token: string, body: unknown, change?: RequestChange): Promise<RawAnswer>;
}

/** An offer and its code. */
export interface OpenedOffer extends Offer {
  readonly code: string;
}

const changed = (right: Members, changes: Members = {}): Members =>
  Object.fromEntries(Object.entries({ ...right, ...changes }).filter(([, value]) => value !== undefined));

function sign(right: Holder, typ: string, claims: Members, change: JwtChange = {}): string {
  const signer = change.signer ?? right;
  const header = changed({ typ, alg: 'ES256', jwk: signer.jwk }, change.header);
  const jwt = signJwt({ header, payload: changed(claims, change.claims), key: signer.key, signature: rawSignature });
  return change.signature?.(jwt) ?? jwt;
}

function createHandmadeWallet(stage: SharedStage, via: (url: string) => string): HandmadeWallet {
  const [dpopKey, holder] = [createHolder(), createHolder()];
  const urlOf = (endpoint: Endpoint) => `${stage.stack.issuerUrl}/oidc4vci/${endpoint}`;
  const send = (endpoint: Endpoint, right: RawRequest, change: RequestChange = () => ({})) =>
    exchange(via(urlOf(endpoint)), { ...right, ...change(right) });
  const wallet: HandmadeWallet = {
    holder,
    dpop(endpoint, token, change) {
      const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
      const claims = { jti: randomUUID(), htm: 'POST', htu: urlOf(endpoint), iat: nowSeconds(), ...ath };
      return sign(dpopKey, 'dpop+jwt', claims, change);
    },
    keyProof: (nonce, change) =>
      sign(holder, 'openid4vci-proof+jwt', { aud: stage.stack.issuerUrl, iat: nowSeconds(), nonce }, change),
    nonce: async () => (await send('nonce', { method: 'POST', headers: [], body: '' })).json['c_nonce'] as string,
    form({ code, txCode }, changes = {}) {
      const right = { grant_type: GRANT, 'pre-authorized_code': code, tx_code: txCode };
      return new URLSearchParams(changed(right, changes) as Record<string, string>).toString();
    },
    askToken(form, dpop = wallet.dpop('token'), change) {
      const headers = [['content-type', 'application/x-www-form-urlencoded'] as const, ['dpop', dpop] as const];
      return send('token', { method: 'POST', headers, body: form }, change);
    },
    async token(offer) {
      const { status, json } = await wallet.askToken(wallet.form(offer));
      if (status !== 200) throw new Error(`no token: ${JSON.stringify(json)}`);
      return json['access_token'] as string;
    },
    async body(changes) {
      const proofs = { jwt: [wallet.keyProof(await wallet.nonce())] };
      return changed({ credential_configuration_id: TYPE_ID, proofs }, changes);
    },
    post(endpoint, token, body, change) {
      const proof = wallet.dpop(endpoint, token);
      const headers = [
        ['content-type', 'application/json'] as const,
        ['authorization', `DPoP ${token}`] as const,
        ['dpop', proof] as const,
      ];
      return send(endpoint, { method: 'POST', headers, body: JSON.stringify(body) }, change);
    },
  };
  return wallet;
}

/** What Postgres still holds of an offer that would open it or say whose it was. */
export interface Remains {
  readonly status: string;
  readonly tx_code_attempts: number;
  readonly held: readonly string[];
}

const WIPED = ['session', 'code_digest', 'tx_code_digest', 'transaction_keys'] as const;

/** A stage whose issuer is watched from all sides: HTTP, callbacks and database. */
export interface IssuanceBench<S extends SharedStage = SharedStage> {
  readonly stage: S;
  /** @param via where a request to an address of the issuer goes; default: there */
  createWallet(via?: (url: string) => string): HandmadeWallet;
  offer(extra?: object): Promise<OpenedOffer>;
  /** The status of an offer, and which of its secrets are still there. */
  remainsOf(offer: Offer): Promise<Remains>;
  statusesOf(offer: Offer, count: number): Promise<unknown[]>;
  /** The key that the issuer publishes for requests. */
  requestKey(): Promise<RequestKey>;
  /** A JWE for the issuer's published key. */
  encrypt(body: unknown, header?: Members): Promise<string>;
  stop(): Promise<void>;
}

export type RequestKey = Members & { readonly kid: string };

/** A credential request as a JWE for this key. */
export async function encryptRequest(key: RequestKey, body: unknown, header: Members = {}): Promise<string> {
  return new CompactEncrypt(Buffer.from(JSON.stringify(body)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: key.kid, ...header })
    .encrypt(await importJWK(key, 'ECDH-ES'));
}

async function openBench<S extends SharedStage>(stage: S): Promise<IssuanceBench<S>> {
  const client = new Client({ connectionString: stage.database.adminUrl });
  await client.connect();
  const metadataUrl = stage.stack.issuerUrl.replace(/^(https?:\/\/[^/]+)/, '$1/.well-known/openid-credential-issuer');
  const requestKey = async (): Promise<RequestKey> => {
    const metadata = (await (await fetch(metadataUrl)).json()) as Members;
    const offered = metadata['credential_request_encryption'] as { jwks: { keys: RequestKey[] } };
    const [key] = offered.jwks.keys;
    if (!key) throw new Error('the issuer publishes no key');
    return key;
  };
  return {
    stage,
    createWallet: (via = (url) => url) => createHandmadeWallet(stage, via),
    async offer(extra = {}) {
      const offer = await offerCredential(stage, extra);
      const address = new URL(offer.uri).searchParams.get('credential_offer_uri') as string;
      const { grants } = (await (await fetch(address)).json()) as { grants: Record<string, Record<string, string>> };
      return { ...offer, code: grants[GRANT]?.['pre-authorized_code'] as string };
    },
    async remainsOf({ offerId }) {
      const { rows } = await client.query<Members>('SELECT * FROM issuer.credential_offer WHERE offer_id = $1', [
        Buffer.from(offerId, 'base64url'),
      ]);
      const row = rows[0] ?? {};
      const held = WIPED.filter((name) => row[name] !== null);
      return { status: row['status'] as string, tx_code_attempts: row['tx_code_attempts'] as number, held };
    },
    statusesOf: async (offer, count) => (await stage.callbacksOf(offer.offerId, count)).map(({ status }) => status),
    requestKey,
    encrypt: async (body, header) => encryptRequest(await requestKey(), body, header),
    async stop() {
      await client.end();
      await stage.stop();
    },
  };
}

/** A bench with a stage of its own. */
export async function startIssuanceBench(options: StageOptions = {}): Promise<IssuanceBench<Stage>> {
  return openBench(await startStage({ apps: ISSUANCE, ...options }));
}

/** A bench at a stage that others use, too. */
export async function joinIssuanceBench(name?: SharedName): Promise<IssuanceBench> {
  return openBench(await joinStage(name));
}
