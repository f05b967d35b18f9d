import { createDevelopmentPki, createSelfSignedLeaf, type DevelopmentPki } from '@vestibule/dev-pki';
import { pidQuery } from './counterpart/pid';
import type { Signer } from './counterpart/server-callbacks';
import { startVerifier, type CounterpartVerifier, type VerifierOptions } from './counterpart/verifier';
import { createWallet } from './wallet';

let pki: DevelopmentPki;
let verifier: CounterpartVerifier | undefined;

beforeAll(async () => {
  pki = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
});

afterEach(async () => {
  await verifier?.close();
  verifier = undefined;
});

async function requestUri(options: Partial<VerifierOptions> = {}): Promise<string> {
  const signer = { x5c: pki.verifier.chain, privateKey: pki.verifier.privateKey };
  verifier = await startVerifier({ signer, issuer: signer, dcqlQuery: pidQuery(), ...options });
  return verifier.requestUri;
}

// A denial needs no credential: what is refused here is the request.
const answer = (uri: string, now?: () => Date) => createWallet(now ? { now } : {}).present(uri, { deny: true });

const metadata = (changes: object) => ({
  client_metadata: {
    jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: '1', alg: 'ECDH-ES' }] },
    encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
    vp_formats_supported: { 'dc+sd-jwt': {} },
    ...changes,
  },
});

describe('a request object', () => {
  it('that keeps the rules is answered', async () => {
    expect(await answer(await requestUri())).toMatchObject({ status: 200 });
  });

  it.each<[string, string, object]>([
    ['VP:C5', 'aud_wrong', { aud: 'https://verifier.example' }],
    ['VP:C5', 'aud_wrong', { aud: undefined }],
    ['VP:C4', 'client_id_mismatch', { client_id: 'x509_hash:other' }],
    ['VP:B8', 'wallet_nonce_mismatch', { wallet_nonce: 'not-asked-for' }],
    ['VP:C9', 'request_malformed', { response_type: 'code' }],
    ['VP:C10', 'response_mode_unsupported', { response_mode: 'direct_post' }],
    ['VP:C11', 'request_malformed', { response_uri: undefined }],
    ['VP:C11', 'url_not_https', { response_uri: 'http://verifier.example/response' }],
    ['VP:C11', 'request_malformed', { response_uri: 'https://verifier.example/response#x' }],
    ['VP:C12', 'request_parameter_forbidden', { redirect_uri: 'https://verifier.example' }],
    ['VP:C13', 'nonce_invalid', { nonce: 'short' }],
    ['VP:C13', 'nonce_invalid', { nonce: 'with spaces in it, long enough' }],
    ['VP:C14', 'state_missing', { state: undefined }],
    ['VP:C15', 'dcql_invalid', { dcql_query: undefined }],
    ['VP:C15', 'request_parameter_forbidden', { scope: 'openid' }],
    ['VP:C16', 'request_parameter_forbidden', { request_uri_method: 'post' }],
    ['VP:C8', 'request_expired', { exp: 1 }],
    ['VP:C8', 'request_expired', { iat: 9_999_999_999 }],
    ['VP:C8', 'request_malformed', { exp: 'tomorrow' }],
    ['VP:CM1', 'client_metadata_invalid', { client_metadata: undefined }],
    ['VP:CM2', 'client_metadata_invalid', metadata({ jwks: { keys: [{ kty: 'EC', crv: 'P-256' }] } })],
    ['VP:CM3', 'client_metadata_invalid', metadata({ jwks: { keys: [{ kty: 'RSA', kid: '1', alg: 'RSA-OAEP' }] } })],
    ['VP:CM5', 'client_metadata_invalid', metadata({ encrypted_response_enc_values_supported: ['A128GCM'] })],
    ['VP:CM6', 'client_metadata_invalid', metadata({ vp_formats_supported: { mso_mdoc: {} } })],
  ])('%s is refused with %s: %j', async (_, code, payload) => {
    await expect(answer(await requestUri({ payload: { ...payload } }))).rejects.toMatchObject({ code });
  });

  it.each<[string, object]>([
    ['without credentials', { credentials: [] }],
    ['without meta', { credentials: [{ id: 'pid', format: 'dc+sd-jwt' }] }],
    ['for another format', { credentials: [{ id: 'pid', format: 'mso_mdoc', meta: { doctype_value: 'x' } }] }],
    [
      'with a claim id twice',
      pidQuery([
        { id: 'a', path: ['x'] },
        { id: 'a', path: ['y'] },
      ]),
    ],
    ['with an unknown claim in a set', pidQuery([{ id: 'a', path: ['x'] }], { claim_sets: [['b']] })],
  ])('VP:E1 with a query %s is refused', async (_, dcqlQuery) => {
    const uri = await requestUri({ payload: { dcql_query: dcqlQuery } });
    await expect(createWallet().present(uri)).rejects.toMatchObject({ code: 'dcql_invalid' });
  });

  it('VP:B8 must repeat the wallet_nonce of a POST', async () => {
    const uri = await requestUri({ payload: { wallet_nonce: undefined }, requestUriMethod: 'post' });
    await expect(answer(uri)).rejects.toMatchObject({ code: 'wallet_nonce_mismatch' });
  });

  it('VP:C2 with a tampered signature is refused', async () => {
    const uri = await requestUri({
      alter: (_, { body, ...rest }) => ({ ...rest, body: `${String(body).slice(0, -6)}AAAAAA` }),
    });
    await expect(answer(uri)).rejects.toMatchObject({ code: 'library_refused' });
  });

  it('VP:B5 with another media type is refused', async () => {
    const uri = await requestUri({
      alter: (_, result) => ({ ...result, headers: { 'content-type': 'application/jwt' } }),
    });
    await expect(answer(uri)).rejects.toMatchObject({ code: 'content_type_wrong' });
  });

  it('VP:B12 that is gone is the server’s refusal', async () => {
    const uri = await requestUri({ alter: () => ({ status: 410, body: { error: 'gone' } }) });
    await expect(answer(uri)).rejects.toMatchObject({ name: 'ServerRefusal', step: 'request_object', status: 410 });
  });

  it('that has expired for the wallet’s own clock is refused', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000);
    await expect(answer(await requestUri(), () => tomorrow)).rejects.toMatchObject({ code: 'request_expired' });
  });
});

describe('the chain of a request object', () => {
  const signedBy = (signer: Signer) => requestUri({ signer });

  it('VP:C3 may not carry the root', async () => {
    const x5c = [...pki.verifier.chain, pki.root.certificate];
    const uri = await signedBy({ x5c, privateKey: pki.verifier.privateKey });
    await expect(answer(uri)).rejects.toMatchObject({ code: 'certificate_chain_invalid' });
  });

  it('VP:C3 may not be a self-signed leaf', async () => {
    const leaf = await createSelfSignedLeaf({ name: 'Self', now: new Date() });
    const uri = await signedBy({ x5c: [leaf.certificate], privateKey: leaf.privateKey });
    await expect(answer(uri)).rejects.toMatchObject({ code: 'certificate_chain_invalid' });
  });

  it('must hold together', async () => {
    const other = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
    const x5c = [pki.verifier.certificate, other.intermediate.certificate];
    const uri = await signedBy({ x5c, privateKey: pki.verifier.privateKey });
    await expect(answer(uri)).rejects.toMatchObject({ code: 'certificate_chain_invalid' });
  });

  it('must be valid now', async () => {
    const past = new Date(Date.now() - 1000);
    const leaf = await pki.intermediate.issue({ name: 'Old', notAfter: past });
    const uri = await signedBy({ x5c: [leaf.certificate, pki.intermediate.certificate], privateKey: leaf.privateKey });
    await expect(answer(uri)).rejects.toMatchObject({ code: 'certificate_expired' });
  });

  it('must lead to a trust anchor when the wallet has some', async () => {
    const other = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
    const wallet = createWallet({ verifierAnchors: [other.root.certificate] });
    const present = wallet.present(await requestUri(), { deny: true });
    await expect(present).rejects.toMatchObject({ code: 'certificate_untrusted' });
  });
});

describe('a request URI', () => {
  it.each([
    ['request_uri_malformed', 'not a uri'],
    ['request_uri_malformed', 'https://wallet.example/?client_id=a&request_uri=https%3A%2F%2Fv.example'],
    ['request_uri_malformed', 'openid4vp://?client_id=a'],
    ['request_uri_malformed', 'openid4vp://?client_id=a&client_id=b&request_uri=https%3A%2F%2Fv.example'],
    ['request_uri_malformed', 'openid4vp://?client_id=a&request_uri=https%3A%2F%2Fv.example&nonce=1'],
    ['request_uri_malformed', 'openid4vp://?client_id=a&request_uri=https%3A%2F%2Fv.example&request_uri_method=POST'],
    ['url_not_https', 'openid4vp://?client_id=a&request_uri=http%3A%2F%2Fv.example'],
    ['unreachable', 'openid4vp://?client_id=a&request_uri=http%3A%2F%2F127.0.0.1%3A1'],
  ])('VP:B1 is refused with %s: %s', async (code, uri) => {
    await expect(answer(uri)).rejects.toMatchObject({ code });
  });
});
