import { createDevelopmentPki, createSelfSignedLeaf, type DevelopmentPki } from '@vestibule/dev-pki';
import { startIssuer, type CounterpartIssuer, type IssuerEndpoint, type IssuerOptions } from './counterpart/issuer';
import { issuePid } from './counterpart/pid';
import type { Signer } from './counterpart/server-callbacks';
import type { ForeignCredential } from './foreign-issuer';
import { isJsonObject } from './json';
import { createWallet } from './wallet';

let pki: DevelopmentPki;
let signer: Signer;
let issuer: CounterpartIssuer | undefined;

beforeAll(async () => {
  pki = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
  signer = { x5c: pki.issuer.chain, privateKey: pki.issuer.privateKey };
});

afterEach(async () => {
  await issuer?.close();
  issuer = undefined;
});

async function redeem(options: Partial<IssuerOptions>, encrypt = false) {
  issuer = await startIssuer({ signer, ...options });
  return createWallet().redeemOffer(issuer.offerUri, { encrypt });
}

/** An issuer whose answer at one endpoint has other members. */
const changed = (
  endpoint: IssuerEndpoint,
  change: (body: Record<string, unknown>) => object,
): Partial<IssuerOptions> => ({
  alter: (at, answer) =>
    at === endpoint && isJsonObject(answer.body) ? { ...answer, body: change(answer.body) } : answer,
});

const withConfiguration = (changes: object) =>
  changed('issuer_metadata', (body) => {
    const { pid } = body['credential_configurations_supported'] as { pid: object };
    return { ...body, credential_configurations_supported: { pid: { ...pid, ...changes } } };
  });

describe('an issuer that breaks a rule is refused', () => {
  it.each<[string, string, Partial<IssuerOptions>]>([
    ['a draft offer', 'offer_malformed', changed('offer', (body) => ({ ...body, credentials: ['pid'] }))],
    [
      'an offer of nothing',
      'offer_malformed',
      changed('offer', (body) => ({ ...body, credential_configuration_ids: [] })),
    ],
    ['an offer without code', 'offer_malformed', changed('offer', (body) => ({ ...body, grants: {} }))],
    [
      'a slash at the end',
      'offer_malformed',
      changed('offer', (body) => ({ ...body, credential_issuer: 'https://i.example/t/' })),
    ],
    [
      'an http issuer',
      'url_not_https',
      changed('offer', (body) => ({ ...body, credential_issuer: 'http://i.example' })),
    ],
    [
      'no grant types',
      'metadata_unsupported',
      changed('server_metadata', (body) => ({ ...body, grant_types_supported: ['authorization_code'] })),
    ],
    [
      'no DPoP',
      'metadata_unsupported',
      changed('server_metadata', (body) => ({ ...body, dpop_signing_alg_values_supported: ['RS256'] })),
    ],
    [
      'no anonymous access',
      'metadata_unsupported',
      changed('server_metadata', (body) => ({ ...body, 'pre-authorized_grant_anonymous_access_supported': false })),
    ],
    [
      'another issuer in the metadata',
      'library_refused',
      changed('issuer_metadata', (body) => ({ ...body, credential_issuer: 'https://other.example' })),
    ],
    ['another format', 'configuration_unsupported', withConfiguration({ format: 'vc+sd-jwt' })],
    [
      'another algorithm',
      'configuration_unsupported',
      withConfiguration({ credential_signing_alg_values_supported: ['ES384'] }),
    ],
    [
      'no jwk binding',
      'configuration_unsupported',
      withConfiguration({ cryptographic_binding_methods_supported: ['did:key'] }),
    ],
    ['a bearer token', 'token_type_wrong', changed('token', (body) => ({ ...body, token_type: 'Bearer' }))],
    [
      'credentials of a draft',
      'response_malformed',
      changed('credential', ({ credentials }) => ({
        credential: (credentials as { credential: string }[])[0]?.credential,
      })),
    ],
    [
      'too many credentials',
      'credential_count_wrong',
      changed('credential', ({ credentials }) => ({
        credentials: [...(credentials as object[]), ...(credentials as object[])],
      })),
    ],
    [
      'Type Metadata of another vct',
      'type_metadata_invalid',
      changed('type', () => ({ vct: 'https://other.example' })),
    ],
    [
      'a cacheable nonce',
      'not_cached_rule',
      { alter: (at, answer) => (at === 'nonce' ? { ...answer, headers: { 'cache-control': 'public' } } : answer) },
    ],
    [
      'a cacheable token',
      'not_cached_rule',
      { alter: (at, answer) => (at === 'token' ? { ...answer, headers: { 'cache-control': 'public' } } : answer) },
    ],
    [
      '201 for a credential',
      'status_code_wrong',
      { alter: (at, answer) => (at === 'credential' ? { ...answer, status: 201 } : answer) },
    ],
    [
      '200 for a promise',
      'status_code_wrong',
      { deferred: true, alter: (at, answer) => (at === 'credential' ? { ...answer, status: 200 } : answer) },
    ],
    [
      'no Type Metadata',
      'type_metadata_invalid',
      { alter: (at, answer) => (at === 'type' ? { status: 404, body: {} } : answer) },
    ],
    [
      'metadata elsewhere',
      'metadata_not_found',
      { alter: (at, answer) => (at === 'issuer_metadata' ? { status: 404, body: {} } : answer) },
    ],
    [
      'server metadata elsewhere',
      'metadata_not_found',
      { alter: (at, answer) => (at === 'server_metadata' ? { status: 404, body: {} } : answer) },
    ],
    [
      'a redirect',
      'redirect_refused',
      { alter: (at, answer) => (at === 'offer' ? { status: 302, headers: { location: '/' } } : answer) },
    ],
  ])('%s: %s', async (_, code, options) => {
    await expect(redeem(options)).rejects.toMatchObject({ code });
  });

  it('an answer in the clear when encryption was asked for', async () => {
    const body = { credentials: [{ credential: 'x' }] };
    const alter: IssuerOptions['alter'] = (at, answer) =>
      at === 'credential' ? { status: 200, body, headers: { 'content-type': 'application/json' } } : answer;
    await expect(redeem({ alter }, true)).rejects.toMatchObject({ code: 'response_not_encrypted' });
  });

  it.each([
    'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fi.example&credential_offer=%7B%7D',
    'openid-credential-offer://',
    'https://wallet.example/?credential_offer_uri=https%3A%2F%2Fi.example',
    'nothing',
  ])('an offer URI of another shape: %s', async (uri) => {
    await expect(createWallet().redeemOffer(uri)).rejects.toMatchObject({ code: 'offer_malformed' });
  });
});

describe('a credential is not kept', () => {
  const issuing = (changes: (vct: string) => Partial<ForeignCredential>) => {
    const credential = (jwk: object): Promise<string> => {
      const vct = `${issuer?.origin}/tenant/types/pid`;
      const { payload, ...rest } = changes(vct);
      return issuePid(signer, jwk, { ...rest, payload: { vct, ...payload } });
    };
    return redeem({ credential });
  };
  const now = Math.floor(Date.now() / 1000);

  it.each<[string, Partial<ForeignCredential>]>([
    ['credential_typ_wrong', { header: { typ: 'vc+sd-jwt' } }],
    ['credential_signature_invalid', { tamperSignature: true }],
    ['credential_signature_invalid', { header: { alg: 'none' } }],
    ['x5c_malformed', { header: { x5c: undefined } }],
    ['x5c_malformed', { header: { x5c: ['%%%'] } }],
    ['vct_mismatch', { payload: { vct: 'urn:other' } }],
    ['cnf_mismatch', { payload: { cnf: undefined } }],
    ['cnf_mismatch', { payload: { cnf: { jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } } } }],
    ['cnf_mismatch', { payload: { cnf: { jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', d: 'AA' } } } }],
    ['credential_expired', { payload: { exp: now - 3600 } }],
    ['credential_issued_in_future', { payload: { nbf: now + 3600 } }],
    ['credential_issued_in_future', { payload: { iat: now + 3600 } }],
    ['credential_malformed', { payload: { exp: 'soon' } }],
    ['status_reference_malformed', { payload: { status: { status_list: { idx: -1, uri: 'https://s.example' } } } }],
    ['type_metadata_invalid', { payload: { 'vct#integrity': 'sha256-AAAA' } }],
    ['credential_malformed', { disclosures: (all) => [...all, 'WyJzYWx0IiwibmV2ZXIiLCJzaWduZWQiXQ'] }],
    [
      'credential_malformed',
      { packed: (body) => ({ ...body, _sd: [...(body['_sd'] as string[]), ...(body['_sd'] as string[])] }) },
    ],
  ])('%s: %j', async (code, changes) => {
    await expect(issuing(() => changes)).rejects.toMatchObject({ code });
  });

  it('when its certificate is self-signed, or not from an anchor of the wallet', async () => {
    const leaf = await createSelfSignedLeaf({ name: 'Self', now: new Date() });
    const forged = issuing(() => ({ x5c: [leaf.certificate], privateKey: leaf.privateKey }));
    await expect(forged).rejects.toMatchObject({ code: 'certificate_chain_invalid' });
    await issuer?.close();
    issuer = await startIssuer({ signer });
    const other = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
    const strict = createWallet({ issuerAnchors: [other.root.certificate] });
    await expect(strict.redeemOffer(issuer.offerUri)).rejects.toMatchObject({ code: 'certificate_untrusted' });
    expect(strict.credentials()).toEqual([]);
  });
});
