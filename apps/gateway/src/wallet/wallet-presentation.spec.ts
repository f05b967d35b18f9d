import { failing, formPost, jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const REQUEST = '/oidc4vp/a-state/request?flow_type=same-device';
const RESPONSE = '/oidc4vp/a-state/response';
const GET_OBJECT = 'verifier.request-object.get';
const SUBMIT = 'verifier.presentation.submit';
const EXPECT = 'verifier.presentation.expect';

let answer: object | (() => never);
let gateway: Gateway;
const current = () => (typeof answer === 'function' ? (answer() as object) : answer);

beforeAll(async () => {
  gateway = await startGateway({ answers: { [GET_OBJECT]: current, [SUBMIT]: current, [EXPECT]: { expected: true } } });
});
beforeEach(() => {
  answer = { requestObject: 'eyJ.eyJ.sig' };
});
afterAll(() => gateway.close());

describe('the request object', () => {
  it('VP:B5 VP:B13 comes by GET as exactly application/oauth-authz-req+jwt, not to be stored', async () => {
    const { status, headers, text } = await gateway.toPublic(REQUEST);
    expect([status, text]).toEqual([200, 'eyJ.eyJ.sig']);
    expect(headers['content-type']).toBe('application/oauth-authz-req+jwt');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['etag']).toBeUndefined();
    expect(headers['location']).toBeUndefined();
    expect(gateway.questionOf(GET_OBJECT)).toEqual({ state: 'a-state', flowType: 'same-device' });
  });

  it('VP:B7 comes by POST of a form in the same way, and 200', async () => {
    const { status, headers, text } = await gateway.toPublic(REQUEST, formPost('wallet_nonce=n&wallet_nonce=m&x='));
    expect([status, text]).toEqual([200, 'eyJ.eyJ.sig']);
    expect(headers['content-type']).toBe('application/oauth-authz-req+jwt');
    expect(gateway.questionOf(GET_OBJECT)?.['form']).toEqual([
      ['wallet_nonce', 'n'],
      ['wallet_nonce', 'm'],
      ['x', ''],
    ]);
  });

  it.each<[string, Sent]>([
    ['without a body', { method: 'POST' }],
    ['with an empty form', formPost('')],
    ['with an empty body in chunks', { method: 'POST', chunked: true, body: '' }],
  ])('VP:B9 comes by POST %s, since every parameter is optional', async (_what, sent) => {
    expect((await gateway.toPublic(REQUEST, sent)).status).toBe(200);
    expect(gateway.questionOf(GET_OBJECT)?.['form']).toEqual([]);
  });

  it('VP:B7 a body of GET is ignored', async () => {
    expect((await gateway.toPublic(REQUEST, { ...jsonPost({}), method: 'GET' })).status).toBe(200);
    expect(gateway.questionOf(GET_OBJECT)).not.toHaveProperty('form');
  });

  it.each<[string, Sent]>([
    ['JSON', jsonPost({ wallet_nonce: 'n' })],
    ['text', { method: 'POST', headers: [['content-type', 'text/plain']], body: 'x' }],
    ['a malformed media type', { method: 'POST', headers: [['content-type', 'x']], body: 'x' }],
    ['a form that is no UTF-8', { ...formPost(''), body: Buffer.from([0x61, 0x3d, 0xff]) }],
  ])('VP:B7 a body of %s is 415 with OAuth JSON', async (_what, sent) => {
    const { status, headers, json } = await gateway.toPublic(REQUEST, sent);
    expect([status, json['error']]).toEqual([415, 'invalid_request']);
    expect(headers['content-type']).toMatch(/^application\/json(;|$)/);
  });

  it.each(['GET', 'POST'])('VP:B12 that %s does not find is 404 with OAuth JSON', async (method) => {
    answer = failing('not_found', 'request_not_found');
    const { status, headers, json } = await gateway.toPublic(REQUEST, { method });
    expect([status, json['error']]).toEqual([404, 'invalid_request']);
    expect(headers['content-type']).toMatch(/^application\/json(;|$)/);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('VP:B12 a state that no request can have is 404 without asking', async () => {
    const before = gateway.asked.length;
    for (const state of ['%00', 'a'.repeat(129), 'a%2Fb', 'a.b']) {
      expect((await gateway.toPublic(`/oidc4vp/${state}/request?flow_type=same-device`)).status).toBe(404);
    }
    expect(gateway.asked).toHaveLength(before);
  });

  it('VP:B12 a flow_type that comes twice or not at all reaches the service as none', async () => {
    await gateway.toPublic(`${REQUEST}&flow_type=cross-device`);
    expect(gateway.questionOf(GET_OBJECT)).toEqual({ state: 'a-state' });
  });

  it('is 503 with Retry-After when the verifier is away', async () => {
    answer = failing('unavailable', 'service_unavailable');
    const { status, headers, json } = await gateway.toPublic(REQUEST);
    expect([status, json['error']]).toEqual([503, 'server_error']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('the response endpoint', () => {
  it('VP:G2 VP:G3 VP:G4 answers 200 with JSON and no Location, with redirect_uri only when there is one', async () => {
    answer = {};
    const without = await gateway.toPublic(RESPONSE, formPost('response=a.b.c.d.e'));
    expect([without.status, without.text, without.headers['cache-control']]).toEqual([200, '{}', 'no-store']);
    expect(gateway.questionOf(SUBMIT)).toEqual({ state: 'a-state', form: [['response', 'a.b.c.d.e']] });
    answer = { redirectUri: 'https://shop.example/back?response_code=c' };
    const { json, headers } = await gateway.toPublic(RESPONSE, formPost('response=a.b.c.d.e'));
    expect(headers['location']).toBeUndefined();
    expect(json).toEqual({ redirect_uri: 'https://shop.example/back?response_code=c' });
  });

  it.each<[string, Sent]>([
    ['JSON', jsonPost({ response: 'x' })],
    ['a JWT', { method: 'POST', headers: [['content-type', 'application/jwt']], body: 'a.b.c' }],
    ['of no media type', { method: 'POST', body: 'response=x' }],
    ['of a malformed media type', { method: 'POST', headers: [['content-type', '¤']], body: 'response=x' }],
    ['absent', { method: 'POST' }],
  ])('VP:G1 answers 400 to a body that is %s, without asking the verifier', async (_what, sent) => {
    const before = gateway.asked.length;
    const { status, json } = await gateway.toPublic(RESPONSE, sent);
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    expect(gateway.asked).toHaveLength(before);
  });

  it('answers 400 to a form of more than 100 fields', async () => {
    const { status, json } = await gateway.toPublic(RESPONSE, formPost('a=b&'.repeat(101)));
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
  });

  it('answers 400 to a state that no request can have', async () => {
    expect((await gateway.toPublic('/oidc4vp/%00/response', formPost('response=x'))).status).toBe(400);
  });

  it.each(['invalid', 'denied', 'conflict'] as const)('answers 400 invalid_request to what is %s', async (kind) => {
    answer = failing(kind, 'credential_revoked', 'secret reason');
    const { status, json } = await gateway.toPublic(RESPONSE, formPost('response=x'));
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    expect(json).not.toHaveProperty('code');
  });

  it('takes 1 MiB and not one byte more: 413 with OAuth JSON', async () => {
    answer = {};
    const ofSize = (size: number) => formPost(`response=${'x'.repeat(size - 9)}`);
    expect((await gateway.toPublic(RESPONSE, ofSize(1_048_576))).status).toBe(200);
    const { status, json } = await gateway.toPublic(RESPONSE, ofSize(1_048_577));
    expect([status, json['error']]).toEqual([413, 'invalid_request']);
    expect(Object.keys(json).sort()).toEqual(['error', 'error_description']);
  });
});
