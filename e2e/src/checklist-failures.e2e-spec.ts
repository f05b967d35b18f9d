import { deflateRawSync } from 'node:zlib';
import { bindingClaims, claims } from './attempts';
import { joinBench, type Attempt, type Bench } from './checklist-bench';
import { endIn } from './flows';
import { createHolder, encodeJson, rawSignature, signJwt, type Members } from './handmade-credential';
import { encryptResponse, exchange, postForm, type HttpAnswer, type OpenedRequest } from './handmade-wallet';
import { startStatusHost, statusToken, type StatusHost } from './status-host';

let bench: Bench;
let host: StatusHost;
beforeAll(async () => {
  bench = await joinBench();
  host = await startStatusHost({ openDoor: bench.stage.openDoor });
});
afterAll(async () => {
  await bench?.stop();
  await host?.stop();
});

const RETURN = { redirect_uri: 'https://shop.example/return?cart=7' };
const NOT_ACCEPTED = { error: 'invalid_request', error_description: 'the response was not accepted' };
const UNAVAILABLE = { error: 'server_error', error_description: 'the service is temporarily unavailable' };

/** OpenID4VP 1.0 §8.2: JSON, never a redirect, nothing for a cache. */
function expectHarmless({ headers }: HttpAnswer): void {
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect([headers.get('cache-control'), headers.get('location')]).toEqual(['no-store', null]);
}

/** An encrypted refusal: wherever it is read, it ends the request as REJECTED. */
const refusalFor = (request: OpenedRequest) =>
  encryptResponse(request, JSON.stringify({ error: 'access_denied', state: request.state }));

/** A right answer after the end: it hears 400, and the record stays. */
async function expectEnded(request: OpenedRequest, status: string): Promise<void> {
  const late = await bench.answer(request);
  expect([late.http.status, late.status]).toEqual([400, status]);
  expectHarmless(late.http);
}

describe('VP:G8 a message that is no response leaves the request open:', () => {
  type Row = readonly [
    what: string,
    status: number,
    send: (request: OpenedRequest, jwe: string) => Promise<HttpAnswer>,
  ];
  const posting =
    (form: (request: OpenedRequest, jwe: string) => Record<string, string> | [string, string][]) =>
    (request: OpenedRequest, jwe: string) =>
      postForm(request.responseUri, new URLSearchParams(form(request, jwe)));
  const sending =
    (init: (jwe: string) => RequestInit) =>
    ({ responseUri }: OpenedRequest, jwe: string) =>
      exchange(responseUri, init(jwe));
  const ofType = (type: string) =>
    sending((response) => ({ method: 'POST', headers: { 'content-type': type }, body: JSON.stringify({ response }) }));

  it.each<Row>([
    ['VP:G1 GET', 405, sending(() => ({ method: 'GET' }))],
    ['VP:G1 PUT', 405, sending((response) => ({ method: 'PUT', body: new URLSearchParams({ response }) }))],
    ['VP:G1 JSON', 400, ofType('application/json')],
    ['VP:G1 plain text', 400, ofType('text/plain')],
    ['VP:G1 without a body', 400, sending(() => ({ method: 'POST' }))],
    ['VP:G7 an empty form', 400, posting(() => ({ foo: 'x' }))],
    ['VP:G7 an empty response', 400, posting(() => ({ response: '' }))],
    [
      'VP:G7 response twice',
      400,
      posting((_, jwe) => [
        ['response', jwe],
        ['response', jwe],
      ]),
    ],
    ['VP:G7 response and error', 400, posting(({ state }, response) => ({ response, error: 'access_denied', state }))],
    ['C:5.7 VP:G5 VP:T20 a plain vp_token', 400, posting(({ state }) => ({ vp_token: '{"card":["x"]}', state }))],
    ['VP:H2 a response that is no JWE', 400, posting(() => ({ response: 'a.b.c' }))],
    ['VP:I8 a plain error without state', 400, posting(() => ({ error: 'access_denied' }))],
    ['VP:I8 a plain error with another state', 400, posting(() => ({ error: 'access_denied', state: 'other' }))],
    ['VP:G10 a body of 2 MiB', 413, posting(() => ({ response: 'A'.repeat(2_097_152) }))],
  ])('%s', async (_what, status, send) => {
    const request = await bench.ask();
    const http = await send(request, await refusalFor(request));
    expect([http.status, (JSON.parse(http.text) as Members)['error']]).toEqual([status, 'invalid_request']);
    expectHarmless(http);
    expect((await bench.endOf(request.state, http)).status).toBe('PENDING');
    const right = await bench.answer(request);
    expect([right.http.status, right.status]).toEqual([200, 'FULFILLED']);
  });

  it('VP:G8 to an address that was never given makes no callback either', async () => {
    const { responseUri, state } = await bench.ask();
    const unknown = 'A'.repeat(43);
    const http = await postForm(responseUri.replace(state, unknown), { error: 'access_denied', state: unknown });
    expect([http.status, (JSON.parse(http.text) as Members)['error']]).toEqual([400, 'invalid_request']);
    expectHarmless(http);
    expect(await bench.stage.callbacksOf(unknown, 0)).toEqual([]);
  });
});

describe('VP:H13 a JWE that cannot be read ends the request as PROCESSING_ERROR, and the wallet hears 400:', () => {
  const encrypted = (more: Members): Attempt => ({ encryption: ({ header }) => ({ header: { ...header, ...more } }) });
  const changedHeader = (jwe: string, change: (header: Members) => Members) => {
    const [header = '', ...rest] = jwe.split('.');
    const right = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as Members;
    return [encodeJson(change(right)), ...rest].join('.');
  };
  const finished = (change: (jwe: string) => string): Attempt => ({ encryption: () => ({ finished: change }) });
  const patched = (patch: Members): Attempt => ({ response: (right) => ({ ...right, ...patch }) });
  const stranger = createHolder();
  const jws = (right: Members) =>
    signJwt({ header: { alg: 'ES256' }, payload: right, key: stranger.key, signature: rawSignature });

  it.each<readonly [what: string, attempt: Attempt, code: string]>([
    ['C:3.12 VP:H2 to another key', { encryption: () => ({ recipient: stranger.jwk }) }, 'response_not_decryptable'],
    ['VP:H2 with another tag', finished((jwe) => `${jwe.slice(0, -22)}${'A'.repeat(22)}`), 'response_not_decryptable'],
    ['VP:H2 that is garbage', finished(() => 'AAAA.AAAA.AAAA.AAAA.AAAA'), 'response_not_decryptable'],
    ['VP:H3 with ECDH-ES+A256KW', encrypted({ alg: 'ECDH-ES+A256KW' }), 'response_not_decryptable'],
    ['VP:H4 with A128CBC-HS256', encrypted({ enc: 'A128CBC-HS256' }), 'response_not_decryptable'],
    ['VP:H5 with an unknown kid', encrypted({ kid: 'unknown' }), 'response_not_decryptable'],
    ['VP:H5 without kid', encrypted({ kid: undefined }), 'response_not_decryptable'],
    [
      'VP:H8 that is compressed',
      { ...encrypted({ zip: 'DEF' }), response: (right) => deflateRawSync(JSON.stringify(right)) },
      'response_not_decryptable',
    ],
    [
      'VP:H8 with a critical header',
      { encryption: ({ header }) => ({ header: { ...header, crit: ['exp'], exp: 1 }, critical: { exp: true } }) },
      'response_not_decryptable',
    ],
    [
      'VP:H9 whose epk is no point of the curve',
      finished((jwe) =>
        changedHeader(jwe, (header) => ({ ...header, epk: { ...stranger.jwk, y: stranger.jwk['x'] } })),
      ),
      'response_not_decryptable',
    ],
    ['VP:H7 with a signed JWT in it', { ...encrypted({ cty: 'JWT' }), response: jws }, 'response_not_json'],
    ['VP:H10 with a text in it', { response: () => 'vp_token' }, 'response_not_json'],
    ['VP:H10 with an array in it', { response: (right) => JSON.stringify([right]) }, 'response_not_json'],
    [
      'VP:H11 with state twice',
      { response: (right) => JSON.stringify(right).replace('{', '{"state":"other",') },
      'response_not_json',
    ],
    ['VP:I1 without state', patched({ state: undefined }), 'response_state_mismatch'],
    ['C:3.13 VP:I1 with another state', patched({ state: 'A'.repeat(43) }), 'response_state_mismatch'],
    [
      'VP:I1 with state in an array',
      { response: (right) => ({ ...right, state: [right['state']] }) },
      'response_state_mismatch',
    ],
    ['VP:I4 with vp_token and error', patched({ error: 'access_denied' }), 'response_malformed'],
    ['VP:I4 with neither vp_token nor error', patched({ vp_token: undefined }), 'response_malformed'],
    ['VP:I4 with an error that is no text', patched({ vp_token: undefined, error: 1 }), 'response_malformed'],
  ])('%s', async (_what, attempt, code) => {
    const request = await bench.ask({ ask: RETURN, sameDevice: true });
    const { http, status, codes } = await bench.answer(request, attempt);
    expect([http.status, JSON.parse(http.text), status, codes]).toEqual([
      400,
      NOT_ACCEPTED,
      'PROCESSING_ERROR',
      [code],
    ]);
    expectHarmless(http);
    await expectEnded(request, 'PROCESSING_ERROR');
  });
});

describe('VP:I3 an error of the wallet ends the request as REJECTED, and the wallet hears 200 and {}:', () => {
  const encrypted = (members: Members): Attempt => ({ response: ({ state }) => ({ ...members, state }) });
  const plain = (members: Record<string, string>): Attempt => ({ form: (_jwe, { state }) => ({ ...members, state }) });

  it.each<readonly [what: string, attempt: Attempt, told: Members]>([
    ['C:3.6 C:3.8 VP:I3 encrypted', encrypted({ error: 'access_denied' }), { errorDetails: 'access_denied' }],
    ['VP:G6 VP:T20 plain', plain({ error: 'access_denied' }), { errorDetails: 'access_denied' }],
    [
      'C:3.7 C:5.8 C:7.10 VP:I6 of OpenID4VP',
      plain({ error: 'vp_formats_not_supported' }),
      { errorDetails: 'vp_formats_not_supported' },
    ],
    ['VP:I5 that nobody knows', encrypted({ error: 'moon_phase' }), { errorDetails: 'moon_phase' }],
    [
      'VP:I9 with a description',
      encrypted({ error: 'a', error_description: 'no "x"\n<b>' }),
      { errorDetails: 'a', errorDescription: 'no x<b>' },
    ],
    [
      'VP:I5 with control characters',
      encrypted({ error: 'access\u0000_\u001bdenied\r\n' }),
      { errorDetails: 'access_denied' },
    ],
    ['VP:I5 of 10 kB', plain({ error: 'e'.repeat(10_000) }), { errorDetails: 'e'.repeat(128) }],
  ])('%s', async (_what, attempt, told) => {
    const request = await bench.ask({ ask: RETURN, sameDevice: true });
    const { http, status, codes, state } = await bench.answer(request, attempt);
    expect([http.status, http.text, status, codes]).toEqual([200, '{}', 'REJECTED', []]);
    expectHarmless(http);
    expect(await bench.eventOf(state)).toEqual({ status: 'REJECTED', state, ...told });
    await expectEnded(request, 'REJECTED');
  });
});

describe('VP:Q11 a presentation that does not hold ends the request as VERIFICATION_FAILED, and the wallet hears 400:', () => {
  const listed = (idx: number, token: (uri: string) => string): Attempt =>
    claims({ status: { status_list: { idx, uri: host.serve(`/${idx}`, token) } } });

  it.each<readonly [what: string, make: () => Attempt, code: string]>([
    [
      'VP:J2 a vp_token of another shape',
      () => ({ vpToken: ({ show }) => ({ card: show() }) }),
      'presentations_malformed',
    ],
    ['VP:M5 another nonce', () => ({ binding: bindingClaims({ nonce: 'A'.repeat(43) }) }), 'key_binding_nonce'],
    [
      'C:3.18 C:7.4 VP:O13 a revoked credential',
      () => listed(1, (uri) => statusToken(uri, bench.pki.issuer)),
      'credential_revoked',
    ],
    ['VP:O15 a status list that is none', () => listed(0, () => 'a.b.c'), 'status_token_malformed'],
  ])('%s', async (_what, make, code) => {
    const request = await bench.ask({ ask: RETURN, sameDevice: true });
    const { http, status, codes, state } = await bench.answer(request, make());
    expect([http.status, JSON.parse(http.text), status, codes]).toEqual([
      400,
      NOT_ACCEPTED,
      'VERIFICATION_FAILED',
      [code],
    ]);
    expectHarmless(http);
    const errorDetails = expect.stringMatching(`^${code}: `) as unknown;
    expect(await bench.eventOf(state)).toEqual({ status: 'VERIFICATION_FAILED', state, errorDetails });
    await expectEnded(request, 'VERIFICATION_FAILED');
  });
});

describe('VP:D9 what this side lacks', () => {
  it('C:3.14 VP:O15 a status list that cannot be had ends the request as PROCESSING_ERROR, and the wallet hears 503', async () => {
    const request = await bench.ask();
    const uri = host.at('/broken', (_request, response) => void response.writeHead(500).end());
    const { http, status, codes } = await bench.answer(request, claims({ status: { status_list: { idx: 0, uri } } }));
    expect([http.status, JSON.parse(http.text), status, codes]).toEqual([
      503,
      UNAVAILABLE,
      'PROCESSING_ERROR',
      ['egress_status'],
    ]);
    expectHarmless(http);
    await expectEnded(request, 'PROCESSING_ERROR');
  });
});

describe('a request that nobody answers in time', () => {
  it('C:3.1 C:3.21 VP:P10 VP:P11 VP:G8 is EXPIRED: later answers hear 400, later fetches 404, and there is no second callback', async () => {
    const request = await bench.ask();
    await endIn(bench.stage, 0, request.state);
    expect(await bench.eventOf(request.state)).toEqual({ status: 'EXPIRED', state: request.state });
    await expectEnded(request, 'EXPIRED');
    const plain = await postForm(request.responseUri, { error: 'access_denied', state: request.state });
    expect(plain.status).toBe(400);
    const fetched = await exchange(`${request.responseUri.replace(/response$/, 'request')}?flow_type=cross-device`);
    expect(fetched.status).toBe(404);
  });
});

describe('VP:G2 a presentation that holds ends the request as FULFILLED, and the wallet hears 200:', () => {
  it.each([
    ['VP:P6 cross-device, without a redirect', false, RETURN, undefined],
    ['VP:D5 same-device without redirect_uri', true, {}, 'code'],
    ['VP:G3 VP:G4 VP:T6 same-device with redirect_uri', true, RETURN, 'redirect'],
  ] as const)('%s', async (_what, sameDevice, ask, expected) => {
    const request = await bench.ask({ ask, sameDevice });
    const { http, status, state } = await bench.answer(request);
    const { responseCode } = await bench.eventOf(state);
    const redirect = { redirect_uri: `https://shop.example/return?cart=7&response_code=${String(responseCode)}` };
    expect([http.status, JSON.parse(http.text), status]).toEqual([
      200,
      expected === 'redirect' ? redirect : {},
      'FULFILLED',
    ]);
    expect(typeof responseCode).toBe(expected ? 'string' : 'undefined');
    expectHarmless(http);
    await expectEnded(request, 'FULFILLED');
  });
});

it(
  'C:3.2 C:6.2 VP:G8 made one callback for each request that ended, and none for the others',
  () => bench.expectOneCallbackEach(),
  60_000,
);
