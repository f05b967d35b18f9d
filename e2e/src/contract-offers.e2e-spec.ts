import { readdirSync } from 'node:fs';
import path from 'node:path';
import { EUDI_SAMPLE_ISSUER, EUDI_SAMPLE_TYPE } from '@vestibule/dev-stack';
import { CLAIMS, endIn } from './flows';
import { joinIssuanceBench, TYPE_ID, type HandmadeWallet, type IssuanceBench } from './issuance-bench';

type Members = Record<string, unknown>;
const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

let bench: IssuanceBench;
beforeAll(async () => {
  bench = await joinIssuanceBench();
});
afterAll(() => bench?.stop());

const create = (body: object = {}) =>
  bench.stage.management('POST', '/offers', { credential_configuration_id: TYPE_ID, claims: CLAIMS, ...body });
const fetchJson = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, json: (await response.json()) as Members };
};
const addressIn = (body: Members) =>
  new URL(String(body['credential_offer_uri'])).searchParams.get('credential_offer_uri') ?? '';
const txCodeOf = async (body: Members) => {
  const { grants } = (await fetchJson(addressIn(body))).json as { grants: Record<string, Members> };
  return grants[GRANT]?.['tx_code'];
};
const wellKnown = (name: string) =>
  bench.stage.stack.issuerUrl.replace(/^(https?:\/\/[^/]+)/, `$1/.well-known/${name}`);
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Members;

/** The credential of a new offer, taken apart. */
async function issue(wallet: HandmadeWallet) {
  const token = await wallet.token(await bench.offer());
  const { status, json } = await wallet.post('credential', token, await wallet.body());
  expect(status).toBe(200);
  const [jwt = '', ...disclosures] = (json['credentials'] as { credential: string }[])[0]?.credential.split('~') ?? [];
  const disclosed = disclosures.filter((one) => one !== '').map((one) => decode(one) as unknown as unknown[]);
  return {
    header: decode(jwt.split('.')[0]),
    payload: decode(jwt.split('.')[1]),
    claims: Object.fromEntries(disclosed.map(([, name, value]) => [name, value])) as Members,
  };
}

describe('POST /offers', () => {
  it('C:2.59 C:2.63 C:4.2 answers 201 with offer_id and credential_offer_uri, and tx_code_value where it was asked for', async () => {
    const [plain, coded] = [await create(), await create({ tx_code: {} })];
    expect([plain.status, Object.keys(plain.body).sort()]).toEqual([201, ['credential_offer_uri', 'offer_id']]);
    expect([coded.status, Object.keys(coded.body).sort()]).toEqual([
      201,
      ['credential_offer_uri', 'offer_id', 'tx_code_value'],
    ]);
  });

  it('C:2.61 C:2.62 C:4.4 gives the URI of an offer that is at its address', async () => {
    const { body } = await create();
    const address = `${bench.stage.stack.issuerUrl}/oidc4vci/offers/${String(body['offer_id'])}`;
    const uri = `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(address)}`;
    expect(body['credential_offer_uri']).toBe(uri);
    expect(await fetchJson(address)).toMatchObject({ status: 200, json: { credential_configuration_ids: [TYPE_ID] } });
  });

  it('C:2.51 needs a credential_configuration_id', async () => {
    const { status, body } = await create({ credential_configuration_id: undefined });
    expect([status, body['errors']]).toMatchObject([400, [{ path: 'credential_configuration_id' }]]);
  });

  it('C:2.55 C:2.56 C:2.57 C:2.58 C:8.4 tells the wallet of a transaction code what the backend said of it', async () => {
    const description = 'It is in the letter';
    const text = await create({ tx_code: { input_mode: 'text', length: 9, description } });
    const digits = await create({ tx_code: { input_mode: 'numeric', length: 12 } });
    expect(await txCodeOf(text.body)).toEqual({ input_mode: 'text', length: 9, description });
    expect(await txCodeOf(digits.body)).toEqual({ input_mode: 'numeric', length: 12 });
    expect(text.body['tx_code_value']).toHaveLength(9);
    expect(digits.body['tx_code_value']).toMatch(/^\d{12}$/);
    expect(await txCodeOf((await create()).body)).toBeUndefined();
  });

  it('C:3.23 C:3.24 C:6.3 makes an offer in OFFER_CREATED and tells so', async () => {
    const offerId = String((await create()).body['offer_id']);
    expect((await bench.stage.management('GET', `/offers/${offerId}`)).body).toMatchObject({ status: 'OFFER_CREATED' });
    expect(await bench.stage.callbacksOf(offerId, 1)).toEqual([{ eventId: offerId, status: 'OFFER_CREATED', offerId }]);
  });

  it('C:8.3 gives an offer five minutes', async () => {
    const { body } = await bench.stage.management('GET', `/offers/${String((await create()).body['offer_id'])}`);
    expect(Date.parse(String(body['expires_at'])) - Date.parse(String(body['created_at']))).toBe(300_000);
  });

  it('C:3.35 makes a new offer with a new offer_id of the same body', async () => {
    const [first, second] = [await create(), await create()];
    expect(first.body['offer_id']).not.toBe(second.body['offer_id']);
  });
});

describe('an Issuance Event', () => {
  it('C:2.60 C:2.64 C:2.65 C:2.66 C:2.67 C:6.4 C:6.6 names its offer and one of four statuses, and a reason for FAILED only', async () => {
    const [issued, failed, expired] = [await bench.offer(), await bench.offer(), await bench.offer()];
    const wallet = bench.createWallet();
    await wallet.post('credential', await wallet.token(issued), await wallet.body());
    await bench.stage.management('DELETE', `/offers/${failed.offerId}`);
    await endIn(bench.stage, 0, expired.offerId);
    for (const [{ offerId }, status, more] of [
      [issued, 'ISSUED', {}],
      [failed, 'FAILED', { errorDetails: expect.stringMatching(/^offer_cancelled: /) as string }],
      [expired, 'EXPIRED', {}],
    ] as const) {
      const named = { eventId: offerId, offerId };
      expect(await bench.stage.callbacksOf(offerId, 2)).toEqual([
        { ...named, status: 'OFFER_CREATED' },
        { ...named, status, ...more },
      ]);
    }
  });
});

describe('a wallet', () => {
  it('C:1.3 C:2.53 C:2.54 C:3.25 C:4.9 C:4.10 gets an SD-JWT VC with the claims of the offer and those of the issuer', async () => {
    const wallet = bench.createWallet();
    const { header, payload, claims } = await issue(wallet);
    expect(header).toMatchObject({ typ: 'dc+sd-jwt', alg: 'ES256', x5c: expect.any(Array) });
    expect(claims).toMatchObject(CLAIMS);
    const { crv, kty, x, y } = wallet.holder.jwk;
    expect(payload).toMatchObject({
      iss: bench.stage.stack.issuerUrl,
      sub: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
      vct: bench.stage.vct,
      cnf: { jwk: { crv, kty, x, y } },
    });
    const own = await create({ claims: { ...CLAIMS, iss: 'https://other.example', cnf: {}, exp: 1 } });
    expect((own.body['errors'] as { path: string }[]).map((fault) => fault.path).sort()).toEqual([
      'claims.cnf',
      'claims.exp',
      'claims.iss',
    ]);
  });

  it('C:4.6 C:9.2 discovers the issuer, its endpoints, and the types that the deployer has put there', async () => {
    const { issuerUrl, files } = bench.stage.stack;
    const issuer = (await fetchJson(wellKnown('openid-credential-issuer'))).json;
    expect(issuer).toMatchObject({
      credential_issuer: issuerUrl,
      credential_endpoint: `${issuerUrl}/oidc4vci/credential`,
      nonce_endpoint: `${issuerUrl}/oidc4vci/nonce`,
    });
    const names = readdirSync(path.join(files.folder, 'types')).map((file) => path.basename(file, '.json'));
    const offeredBy = ({ json }: { json: Members }) => json['credential_configurations_supported'] as Members;
    const below = await fetchJson(`${wellKnown('openid-credential-issuer')}/${EUDI_SAMPLE_ISSUER}`);
    const offered = { ...offeredBy({ json: issuer }), ...offeredBy(below) };
    expect(Object.keys(offered).sort()).toEqual(names.filter((name) => name !== 'issuance').sort());
    const typesOf = (url: string) => ({ vct: expect.stringContaining(`${url}/oidc4vci/types/`) as string });
    const { [EUDI_SAMPLE_TYPE]: eudi, ...others } = offered;
    expect(eudi).toMatchObject(typesOf(`${issuerUrl}/${EUDI_SAMPLE_ISSUER}`));
    for (const one of Object.values(others)) expect(one).toMatchObject(typesOf(issuerUrl));
  });

  it('C:5.12 C:4.7 C:5.13 gets a token for the code alone, without anybody logging in, bound by DPoP', async () => {
    const server = (await fetchJson(wellKnown('oauth-authorization-server'))).json;
    expect(server).toMatchObject({ grant_types_supported: [GRANT] });
    expect(server).not.toHaveProperty('authorization_endpoint');
    const wallet = bench.createWallet();
    const { status, json } = await wallet.askToken(wallet.form(await bench.offer()));
    expect([status, json['token_type']]).toEqual([200, 'DPoP']);
    const asBearer = await wallet.post(
      'credential',
      String(json['access_token']),
      await wallet.body(),
      ({ headers }) => ({
        headers: headers
          .filter(([name]) => name !== 'dpop')
          .map(([name, value]) => [name, value.replace(/^DPoP /, 'Bearer ')] as const),
      }),
    );
    expect([asBearer.status, asBearer.json['error']]).toEqual([401, 'invalid_token']);
  });

  it('C:4.8 C:7.7 C:7.8 C:7.9 hears of its mistakes, which no callback tells', async () => {
    const offer = await bench.offer();
    const wallet = bench.createWallet();
    const token = await wallet.token(offer);
    const request = async (body: Members) => {
      const { status, json } = await wallet.post('credential', token, await wallet.body(body));
      return [status, json['error']];
    };
    const proofs = (jwt: string) => ({ proofs: { jwt: [jwt] } });
    expect(await request({ credential_configuration_id: 'unknown' })).toEqual([
      400,
      'unknown_credential_configuration',
    ]);
    const elsewhere = wallet.keyProof(await wallet.nonce(), { claims: { aud: 'https://other.example' } });
    expect(await request(proofs(elsewhere))).toEqual([400, 'invalid_proof']);
    expect(await request({ proofs: undefined })).toEqual([400, 'invalid_proof']);
    expect(await request(proofs(wallet.keyProof('A'.repeat(43))))).toEqual([400, 'invalid_nonce']);
    expect(await bench.statusesOf(offer, 1)).toEqual(['OFFER_CREATED']);
    expect(await request({})).toEqual([200, undefined]);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });
});
