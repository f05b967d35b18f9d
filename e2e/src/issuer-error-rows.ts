import { createHolder } from './handmade-credential';
import type { Endpoint, HandmadeWallet, JwtChange, OpenedOffer, RawAnswer, RequestChange } from './issuance-bench';

/** One way to be refused at the token endpoint, before the code is used. */
export type TokenAct = (wallet: HandmadeWallet, offer: OpenedOffer) => Promise<RawAnswer>;
/** One way to be refused with an access token that is good, or almost. */
export type ResourceAct = (wallet: HandmadeWallet, token: string) => Promise<RawAnswer>;

/** A line of the table: what is wrong, the status and code of the answer, how it is provoked. */
export type TokenRow = readonly [what: string, status: number, error: string, act: TokenAct];
export type ResourceRow = readonly [what: string, status: number, error: string, act: ResourceAct];

const form =
  (changes: Readonly<Record<string, string | undefined>>): TokenAct =>
  (wallet, offer) =>
    wallet.askToken(wallet.form(offer, changes));
const sending =
  (change: RequestChange): TokenAct =>
  (wallet, offer) =>
    wallet.askToken(wallet.form(offer), wallet.dpop('token'), change);
const tokenProof =
  (change: JwtChange): TokenAct =>
  (wallet, offer) =>
    wallet.askToken(wallet.form(offer), wallet.dpop('token', undefined, change));
const appended = (text: string) => sending(({ body }) => ({ body: `${body}&${text}` }));
const brokenSignature = (jwt: string) => `${jwt.slice(0, -10)}AAAAAAAAAA`;
const stale = () => Math.floor(Date.now() / 1000) - 3_600;
const DETAILS = { type: 'openid_credential', credential_configuration_id: 'identity-card' };
const details = (...entries: unknown[]) => form({ authorization_details: JSON.stringify(entries) });

export const TOKEN_ROWS: readonly TokenRow[] = [
  [
    'VCI:T1 a body of JSON',
    400,
    'invalid_request',
    sending(() => ({ headers: [['content-type', 'application/json']] })),
  ],
  ['VCI:T1 GET', 405, 'invalid_request', sending(() => ({ method: 'GET', body: '' }))],
  ['VCI:T2 no grant', 400, 'invalid_request', form({ grant_type: undefined })],
  ['VCI:T2 another grant', 400, 'unsupported_grant_type', form({ grant_type: 'authorization_code' })],
  ['VCI:T19 a refresh', 400, 'unsupported_grant_type', form({ grant_type: 'refresh_token', refresh_token: 'x' })],
  ['VCI:T2 the grant twice', 400, 'invalid_request', appended('grant_type=x')],
  ['VCI:T3 the code twice', 400, 'invalid_request', appended('pre-authorized_code=x')],
  ['VCI:T3 a structured parameter', 400, 'invalid_request', appended('tx_code%5Bx%5D=1')],
  ['VCI:T5 no code', 400, 'invalid_request', form({ 'pre-authorized_code': undefined })],
  ['VCI:T5 an empty code', 400, 'invalid_request', form({ 'pre-authorized_code': '' })],
  ['VCI:T5 an unknown code', 400, 'invalid_grant', form({ 'pre-authorized_code': 'x' })],
  ['VCI:T6 a transaction code that nobody asked for', 400, 'invalid_request', form({ tx_code: '123456' })],
  ['VCI:T12 details that are no JSON', 400, 'invalid_authorization_details', form({ authorization_details: '[' })],
  ['VCI:T12 details of another kind', 400, 'invalid_authorization_details', details({ ...DETAILS, type: 'x' })],
  [
    'VCI:T12 details of another credential',
    400,
    'invalid_authorization_details',
    details({ ...DETAILS, credential_configuration_id: 'employee-badge' }),
  ],
  ['VCI:T16 no DPoP proof', 400, 'invalid_dpop_proof', sending(({ headers }) => ({ headers: headers.slice(0, 1) }))],
  [
    'VCI:D1 two DPoP proofs',
    400,
    'invalid_dpop_proof',
    sending(({ headers }) => ({ headers: [...headers, ...headers.slice(1)] })),
  ],
  ['VCI:D2 a DPoP proof of another type', 400, 'invalid_dpop_proof', tokenProof({ header: { typ: 'JWT' } })],
  ['VCI:D3 a DPoP proof without signature', 400, 'invalid_dpop_proof', tokenProof({ header: { alg: 'none' } })],
  [
    'VCI:D5 a DPoP proof with a broken signature',
    400,
    'invalid_dpop_proof',
    tokenProof({ signature: brokenSignature }),
  ],
  ['VCI:D6 a DPoP proof without jti', 400, 'invalid_dpop_proof', tokenProof({ claims: { jti: undefined } })],
  ['VCI:D7 a DPoP proof for GET', 400, 'invalid_dpop_proof', tokenProof({ claims: { htm: 'GET' } })],
  [
    'VCI:D8 a DPoP proof for another host',
    400,
    'invalid_dpop_proof',
    tokenProof({ claims: { htu: 'https://x.example' } }),
  ],
  ['VCI:D9 a DPoP proof of an hour ago', 400, 'invalid_dpop_proof', tokenProof({ claims: { iat: stale() } })],
  ['VCI:R16 a body of 2 MiB', 413, 'invalid_request', appended(`x=${'x'.repeat(2_097_152)}`)],
];

const ofResource =
  (endpoint: Endpoint, body: unknown, change?: RequestChange): ResourceAct =>
  (wallet, token) =>
    wallet.post(endpoint, token, body, change);
const withHeaders =
  (headers: (wallet: HandmadeWallet, token: string, endpoint: Endpoint) => readonly (readonly [string, string])[]) =>
  (endpoint: Endpoint): ResourceAct =>
  (wallet, token) =>
    wallet.post(endpoint, token, {}, () => ({
      headers: [['content-type', 'application/json'], ...headers(wallet, token, endpoint)],
    }));
const withProof = (change: JwtChange, of?: string) =>
  withHeaders((wallet, token, endpoint) => [
    ['authorization', `DPoP ${token}`],
    ['dpop', wallet.dpop(endpoint, of ?? token, change)],
  ]);

/** What is wrong with token and proof is the same everywhere (RFC 9449 §7.1). */
const AUTHORIZATION: readonly (readonly [string, number, string, (endpoint: Endpoint) => ResourceAct])[] = [
  ['VCI:D22 no credentials', 401, 'invalid_token', withHeaders(() => [])],
  [
    'VCI:D13 the token as Bearer',
    401,
    'invalid_token',
    withHeaders((wallet, token, at) => [
      ['authorization', `Bearer ${token}`],
      ['dpop', wallet.dpop(at, token)],
    ]),
  ],
  [
    'VCI:D15 two Authorization headers',
    400,
    'invalid_request',
    withHeaders((_wallet, token) => [
      ['authorization', `DPoP ${token}`],
      ['authorization', `Bearer ${token}`],
    ]),
  ],
  [
    'VCI:D22 an unknown token',
    401,
    'invalid_token',
    withHeaders((wallet, _token, at) => [
      ['authorization', 'DPoP unknown-token'],
      ['dpop', wallet.dpop(at, 'unknown-token')],
    ]),
  ],
  [
    'VCI:D22 no proof',
    401,
    'invalid_dpop_proof',
    withHeaders((_wallet, token) => [['authorization', `DPoP ${token}`]]),
  ],
  ['VCI:D11 the proof of another token', 401, 'invalid_dpop_proof', withProof({}, 'another-token')],
  ['VCI:D11 a proof without ath', 401, 'invalid_dpop_proof', withProof({ claims: { ath: undefined } })],
  [
    'VCI:D8 a proof for another address',
    401,
    'invalid_dpop_proof',
    withProof({ claims: { htu: 'https://x.example/' } }),
  ],
  ['VCI:D12 a proof with another key', 401, 'invalid_token', withProof({ signer: createHolder() })],
  ['VCI:R1 GET', 405, 'invalid_request', (endpoint) => ofResource(endpoint, {}, () => ({ method: 'GET', body: '' }))],
  ['VCI:R16 a body of 2 MiB', 413, 'invalid_request', (endpoint) => ofResource(endpoint, { x: 'x'.repeat(2_097_152) })],
];

export const AUTHORIZATION_ROWS: readonly ResourceRow[] = (
  ['credential', 'deferred_credential', 'notification'] as const
).flatMap((endpoint) =>
  AUTHORIZATION.map(([what, status, error, act]): ResourceRow => [
    `${what} at ${endpoint}`,
    status,
    error,
    act(endpoint),
  ]),
);

const request =
  (changes: Record<string, unknown>): ResourceAct =>
  async (wallet, token) =>
    wallet.post('credential', token, await wallet.body(changes));
const keyProof =
  (change: JwtChange): ResourceAct =>
  async (wallet, token) =>
    wallet.post(
      'credential',
      token,
      await wallet.body({ proofs: { jwt: [wallet.keyProof(await wallet.nonce(), change)] } }),
    );
const raw = (endpoint: Endpoint, body: string, type = 'application/json') =>
  ofResource(endpoint, {}, ({ headers }) => ({ body, headers: [['content-type', type], ...headers.slice(1)] }));
const wish = (wallet: HandmadeWallet) => ({ jwk: { ...wallet.holder.jwk, alg: 'ECDH-ES' }, enc: 'A128GCM' });

export const CREDENTIAL_ROWS: readonly ResourceRow[] = [
  ['VCI:R1 a form', 400, 'invalid_credential_request', raw('credential', 'a=b', 'application/x-www-form-urlencoded')],
  ['VCI:R3 no JSON', 400, 'invalid_credential_request', raw('credential', '{')],
  ['VCI:R3 an array', 400, 'invalid_credential_request', raw('credential', '[]')],
  ['VCI:R3 a text', 400, 'invalid_credential_request', raw('credential', '"x"')],
  ['VCI:R3 a member twice', 400, 'invalid_credential_request', raw('credential', '{"a":1,"a":2}')],
  [
    'VCI:E1 a JWT body that is no JWE',
    400,
    'invalid_credential_request',
    raw('credential', 'a.b.c', 'application/jwt'),
  ],
  ['VCI:R5 no name', 400, 'invalid_credential_request', request({ credential_configuration_id: undefined })],
  ['VCI:R5 both names', 400, 'invalid_credential_request', request({ credential_identifier: 'x' })],
  ['VCI:R7 an unknown name', 400, 'unknown_credential_configuration', request({ credential_configuration_id: 'x' })],
  [
    'VCI:R8 an unknown identifier',
    400,
    'unknown_credential_identifier',
    request({ credential_configuration_id: undefined, credential_identifier: 'identity-card' }),
  ],
  ['VCI:R9 another credential', 403, 'insufficient_scope', request({ credential_configuration_id: 'employee-badge' })],
  ['VCI:R10 no proofs', 400, 'invalid_proof', request({ proofs: undefined })],
  ['VCI:R11 two kinds of proof', 400, 'invalid_proof', request({ proofs: { jwt: ['a'], attestation: ['b'] } })],
  ['VCI:R11 an unknown kind of proof', 400, 'invalid_proof', request({ proofs: { di_vp: [{}] } })],
  [
    'VCI:R13 11 proofs',
    400,
    'invalid_credential_request',
    request({ proofs: { jwt: Array.from({ length: 11 }, () => 'a') } }),
  ],
  ['VCI:J1 a key proof of another type', 400, 'invalid_proof', keyProof({ header: { typ: 'JWT' } })],
  ['VCI:J2 a key proof without signature', 400, 'invalid_proof', keyProof({ header: { alg: 'none' } })],
  ['VCI:J3 a key proof without key', 400, 'invalid_proof', keyProof({ header: { jwk: undefined } })],
  ['VCI:J7 a key proof with a broken signature', 400, 'invalid_proof', keyProof({ signature: brokenSignature })],
  ['VCI:J8 a key proof for another issuer', 400, 'invalid_proof', keyProof({ claims: { aud: 'https://x.example' } })],
  ['VCI:J9 a key proof of an hour ago', 400, 'invalid_proof', keyProof({ claims: { iat: stale() } })],
  ['VCI:J10 a key proof without nonce', 400, 'invalid_proof', keyProof({ claims: { nonce: undefined } })],
  ['VCI:J10 a key proof with an unknown nonce', 400, 'invalid_nonce', keyProof({ claims: { nonce: 'A'.repeat(48) } })],
  [
    'VCI:E3 VCI:R15 a wish for encryption in a plain request',
    400,
    'invalid_encryption_parameters',
    async (wallet, token) =>
      wallet.post('credential', token, await wallet.body({ credential_response_encryption: wish(wallet) })),
  ],
];

const GOOD_NOTIFICATION = { notification_id: 'A'.repeat(43), event: 'credential_accepted' };

export const OTHER_ROWS: readonly ResourceRow[] = [
  ['VCI:F1 no transaction_id', 400, 'invalid_credential_request', ofResource('deferred_credential', {})],
  ['VCI:F1 no JSON', 400, 'invalid_credential_request', raw('deferred_credential', '{')],
  [
    'VCI:F2 an unknown transaction_id',
    400,
    'invalid_transaction_id',
    ofResource('deferred_credential', { transaction_id: 'x' }),
  ],
  [
    'VCI:E3 a wish for encryption in a plain deferred request',
    400,
    'invalid_encryption_parameters',
    (wallet, token) =>
      wallet.post('deferred_credential', token, { transaction_id: 'x', credential_response_encryption: wish(wallet) }),
  ],
  ['VCI:F10 an unknown notification_id', 400, 'invalid_notification_id', ofResource('notification', GOOD_NOTIFICATION)],
  [
    'VCI:F10 no notification_id',
    400,
    'invalid_notification_request',
    ofResource('notification', { event: 'credential_accepted' }),
  ],
  [
    'VCI:F7 an event in another case',
    400,
    'invalid_notification_request',
    ofResource('notification', { ...GOOD_NOTIFICATION, event: 'Credential_Accepted' }),
  ],
  ['VCI:F10 no JSON', 400, 'invalid_notification_request', raw('notification', '{')],
];
