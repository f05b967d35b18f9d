import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { calculateJwkThumbprint, compactVerify, type JWK } from 'jose';
import { cardQuery, joinBench, type Bench } from './checklist-bench';
import { encodeJson, nowSeconds, type Members } from './handmade-credential';
import {
  exchange,
  postForm,
  readRequestObject,
  requestUriIn,
  type HttpAnswer,
  type OpenedRequest,
} from './handmade-wallet';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
const MEDIA_TYPE = 'application/oauth-authz-req+jwt';
const QUERY = {
  credentials: [cardQuery({ claims: [{ path: ['a', null, 0] }, { path: ['b'] }], unknown: { kept: [null] } })],
};

/** Both URIs of a new request. */
async function create(body: object = {}) {
  const answer = await bench.stage.management('POST', '/oidc4vp', { dcql_query: QUERY, ...body });
  expect(answer.status).toBe(201);
  const { state, same_device_request_uri, cross_device_request_uri } = answer.body as Record<string, string>;
  return { state, sameDevice: same_device_request_uri, crossDevice: cross_device_request_uri } as Record<
    'state' | 'sameDevice' | 'crossDevice',
    string
  >;
}

const fetchRequest = async (uri: string) => readRequestObject((await exchange(requestUriIn(uri))).text);
const post = (uri: string, form: Record<string, string>) => postForm(requestUriIn(uri), form);
const chainOf = ({ header }: OpenedRequest) =>
  (header['x5c'] as string[]).map((text) => new X509Certificate(Buffer.from(text, 'base64')));
const metadataOf = ({ claims }: OpenedRequest) => claims['client_metadata'] as Members & { jwks: { keys: JWK[] } };
const stable = ({ claims: { iat, exp, ...rest } }: OpenedRequest) => rest;
const errorOf = ({ text }: HttpAnswer) => (JSON.parse(text) as Members)['error'];

describe('the URIs for the wallet', () => {
  it('C:1.6 C:2.17 C:2.18 C:2.19 C:2.22 C:2.23 VP:B1 VP:B3 VP:A8 have client_id and request_uri and nothing else', async () => {
    const { state, ...uris } = await create();
    for (const [flow, uri] of Object.entries(uris)) {
      const { protocol, searchParams } = new URL(uri);
      expect([protocol, [...searchParams.keys()]]).toEqual(['openid4vp:', ['client_id', 'request_uri']]);
      const type = flow === 'sameDevice' ? 'same-device' : 'cross-device';
      expect(requestUriIn(uri)).toBe(`${bench.stage.stack.baseUrl}/oidc4vp/${state}/request?flow_type=${type}`);
      expect(requestUriIn(uri).length).toBeLessThanOrEqual(512);
      expect(uri).toContain(`client_id=${encodeURIComponent(searchParams.get('client_id') ?? '')}&`);
    }
  });

  it('C:1.11 C:2.16 VP:B4 VP:C13 VP:CM4 VP:D4 never repeat a state, a nonce or a key', async () => {
    const created = await Promise.all(Array.from({ length: 20 }, () => create()));
    const opened = await Promise.all(
      created.flatMap(({ sameDevice, crossDevice }) => [sameDevice, crossDevice]).map(fetchRequest),
    );
    const keys = await Promise.all(opened.map(({ encryptionKey }) => calculateJwkThumbprint(encryptionKey)));
    expect(new Set(keys).size).toBe(40);
    expect(new Set(opened.map(({ nonce }) => nonce)).size).toBe(40);
    expect(new Set(opened.map(({ state }) => state)).size).toBe(20);
    for (const { state, nonce } of opened)
      expect(`${state} ${nonce}`).toMatch(/^[A-Za-z0-9_-]{22,} [A-Za-z0-9_-]{43}$/);
  });
});

describe('the request object', () => {
  it('C:4.3 VP:B5 VP:B13 comes with 200, its own media type, nothing for a cache and no redirect', async () => {
    const answer = await exchange(requestUriIn((await create()).crossDevice));
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      MEDIA_TYPE,
      'no-store',
    ]);
    expect(answer.text).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it('C:2.20 C:5.3 C:5.4 C:5.6 VP:C1 VP:C2 VP:C3 VP:A2 VP:A5 VP:A6 is signed with the access certificate, whose hash is the client_id', async () => {
    const request = await fetchRequest((await create()).crossDevice);
    expect(Object.keys(request.header).sort()).toEqual(['alg', 'typ', 'x5c']);
    expect(request.header).toMatchObject({ typ: 'oauth-authz-req+jwt', alg: 'ES256' });
    const chain = chainOf(request);
    const [leaf, intermediate] = chain as [X509Certificate, X509Certificate];
    for (const text of request.header['x5c'] as string[])
      expect(Buffer.from(text, 'base64').toString('base64')).toBe(text);
    expect(chain.some(({ subject, issuer }) => subject === issuer)).toBe(false);
    expect([leaf.checkIssued(intermediate), leaf.verify(intermediate.publicKey)]).toEqual([true, true]);
    await compactVerify(request.jwt, leaf.publicKey, { algorithms: ['ES256'] });
    expect(Buffer.from(request.jwt.split('.')[2] ?? '', 'base64url')).toHaveLength(64);
    expect(request.clientId).toBe(`x509_hash:${createHash('sha256').update(leaf.raw).digest('base64url')}`);
  });

  it('C:5.5 VP:C4 VP:C5 VP:C6 VP:C7 VP:C9 VP:C10 VP:C11 VP:C12 VP:C14 VP:C15 VP:C16 VP:C17 VP:C18 says what it must and nothing else', async () => {
    const { state, crossDevice } = await create({ redirect_uri: 'https://shop.example/return' });
    const request = await fetchRequest(crossDevice);
    expect(new URL(crossDevice).searchParams.get('client_id')).toBe(request.clientId);
    expect(request.claims).toEqual({
      response_type: 'vp_token',
      response_mode: 'direct_post.jwt',
      client_id: request.clientId,
      aud: 'https://self-issued.me/v2',
      response_uri: `${bench.stage.stack.baseUrl}/oidc4vp/${state}/response`,
      nonce: request.nonce,
      state,
      iat: expect.any(Number),
      exp: expect.any(Number),
      dcql_query: QUERY,
      client_metadata: expect.any(Object),
    });
  });

  it('VP:C8 is dated now and ends with its request', async () => {
    const { state, crossDevice } = await create({ expires_in: 120 });
    const { claims } = await fetchRequest(crossDevice);
    const { body } = await bench.stage.management('GET', `/oidc4vp/${state}`);
    expect(Math.abs(Number(claims['iat']) - nowSeconds())).toBeLessThanOrEqual(5);
    expect(Number(claims['exp'])).toBeGreaterThan(nowSeconds());
    expect(Number(claims['exp']) * 1000).toBeLessThanOrEqual(Date.parse(String(body['expires_at'])));
  });

  it('VP:E17 VP:E20 VP:T8 has the query as it was given, holder binding, null and order included', async () => {
    const options = [['b', 'a'], ['a']];
    const dcql_query = {
      credentials: ['b', 'a'].map((id) =>
        cardQuery({ id, require_cryptographic_holder_binding: false, multiple: true }),
      ),
      credential_sets: [{ options, required: false }],
    };
    const { claims } = await fetchRequest((await create({ dcql_query })).crossDevice);
    expect(JSON.stringify(claims['dcql_query'])).toBe(JSON.stringify(dcql_query));
  });

  it('C:2.13 VP:F1 VP:F5 VP:C17 has transaction data as texts, those that were given as they are', async () => {
    const text = Buffer.from('{ "type": "a", "credential_ids": ["card"] }').toString('base64url');
    const { claims } = await fetchRequest(
      (await create({ transaction_data: [text, { type: 'b', credential_ids: ['card'] }] })).crossDevice,
    );
    expect(claims['transaction_data']).toEqual([text, encodeJson({ type: 'b', credential_ids: ['card'] })]);
  });
});

describe('client_metadata', () => {
  it('VP:CM1 VP:CM2 VP:CM3 VP:CM5 VP:CM6 VP:A10 is one public key, both encodings and the format, nothing else', async () => {
    const request = await fetchRequest((await create()).crossDevice);
    const coordinate = expect.stringMatching(/^[\w-]{43}$/) as unknown;
    const kid = expect.any(String) as unknown;
    expect(metadataOf(request)).toEqual({
      jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: coordinate, y: coordinate, use: 'enc', alg: 'ECDH-ES', kid }] },
      encrypted_response_enc_values_supported: expect.arrayContaining(['A128GCM', 'A256GCM']),
      vp_formats_supported: {
        'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256', 'ES384'] },
      },
    });
  });

  it('VP:CM7 has another key than the one that signs', async () => {
    const request = await fetchRequest((await create()).crossDevice);
    const signing = chainOf(request)[0]?.publicKey.export({ format: 'jwk' }) as JWK;
    expect(metadataOf(request).jwks.keys.map(({ x }) => x)).not.toContain(signing.x);
  });
});

describe('the address of the request object', () => {
  it('VP:B6 VP:D2 VP:T18 request-uri-fetched-twice: gives the same request again, also after a link previewer', async () => {
    const { crossDevice } = await create();
    await exchange(requestUriIn(crossDevice), { headers: { accept: '*/*', 'user-agent': 'previewer' } });
    const [first, second] = [await fetchRequest(crossDevice), await fetchRequest(crossDevice)];
    expect(stable(second)).toEqual(stable(first));
    expect(
      (await bench.answer(first, { credential: ({ payload }) => ({ payload: { ...payload, a: [[1]], b: 1 } }) }))
        .status,
    ).toBe('FULFILLED');
  });

  it('VP:B7 VP:B8 request-uri-method-post: gives the same request, with wallet_nonce only when that was posted', async () => {
    const { crossDevice } = await create();
    const posted = await post(crossDevice, { wallet_nonce: 'nonce-of-the-wallet' });
    expect([posted.status, posted.headers.get('content-type')]).toEqual([200, MEDIA_TYPE]);
    const { wallet_nonce, ...rest } = stable(readRequestObject(posted.text));
    expect(wallet_nonce).toBe('nonce-of-the-wallet');
    expect(stable(await fetchRequest(crossDevice))).toEqual(rest);
    expect(stable(readRequestObject((await post(crossDevice, {})).text))).toEqual(rest);
  });

  const fitting = {
    vp_formats_supported: { 'dc+sd-jwt': {}, mso_mdoc: {} },
    client_id_prefixes_supported: ['x509_hash', 'redirect_uri'],
    request_object_signing_alg_values_supported: ['EdDSA', 'ES256'],
    jwks_uri: 'https://wallet.example/keys',
    jwks: { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB', use: 'enc' }] },
  };
  it.each<readonly [string, Record<string, string>]>([
    ['VP:B9 unknown parameters', { foo: 'bar' }],
    ['VP:B9 VP:B10 metadata that fit', { wallet_metadata: JSON.stringify(fitting) }],
    ['VP:B9 empty metadata', { wallet_metadata: '{}' }],
  ])('%s in a POST are taken', async (_what, form) => {
    expect((await post((await create()).crossDevice, form)).status).toBe(200);
  });

  it.each<readonly [string, string]>([
    ['VP:B9 that are no JSON', 'notjson'],
    ['VP:B9 that are an array', '[]'],
    ['VP:B11 with a key off its curve', JSON.stringify({ jwks: { keys: [{ ...P256, x: P256.y, y: P256.x }] } })],
    ['VP:B11 with a private key', JSON.stringify({ jwks: { keys: [{ ...P256, d: P256.x }] } })],
    ['VP:B10 without ES256', JSON.stringify({ request_object_signing_alg_values_supported: ['EdDSA'] })],
    ['VP:B10 without dc+sd-jwt', JSON.stringify({ vp_formats_supported: { mso_mdoc: {} } })],
    ['VP:B10 without x509_hash', JSON.stringify({ client_id_prefixes_supported: ['redirect_uri'] })],
  ])('wallet_metadata %s are refused with 400', async (_what, wallet_metadata) => {
    const answer = await post((await create()).crossDevice, { wallet_metadata });
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request']);
  });

  it('VP:B7 refuses JSON in a POST with 415', async () => {
    const answer = await exchange(requestUriIn((await create()).crossDevice), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(415);
  });

  it('C:3.21 VP:B12 VP:P11 VP:G12 is 404 without a request and after its end, 400 for another flow, and never tells more', async () => {
    const { state, crossDevice } = await create();
    const uri = requestUriIn(crossDevice);
    const refusals: readonly (readonly [number, string])[] = [
      [404, uri.replace(state, 'A'.repeat(43))],
      [400, uri.replace('cross-device', 'other')],
      [400, uri.replace(/\?.*$/, '')],
      [404, uri.replace(/\/request.*$/, '')],
    ];
    for (const [status, address] of refusals) expect((await exchange(address)).status).toBe(status);
    await bench.answer(await fetchRequest(crossDevice), { form: () => ({ error: 'access_denied', state }) });
    expect((await exchange(uri)).status).toBe(404);
  });
});
