import { createHash } from 'node:crypto';
import { createDevelopmentPki } from '@vestibule/dev-pki';
import { issuePid, PID_VCT, pidQuery } from './counterpart/pid';
import type { Signer } from './counterpart/server-callbacks';
import { startVerifier, type CounterpartVerifier, type VerifierOptions } from './counterpart/verifier';
import type { WalletStep } from './journey';
import { createWallet, type Wallet } from './wallet';

let issuer: Signer;
let signer: Signer;
let anchors: { verifierAnchors: Buffer[] };
let wallet: Wallet;
let steps: WalletStep[];
let verifier: CounterpartVerifier | undefined;

async function verify(options: Partial<VerifierOptions> = {}): Promise<CounterpartVerifier> {
  verifier = await startVerifier({ signer, issuer, dcqlQuery: pidQuery([{ path: ['family_name'] }]), ...options });
  return verifier;
}

const givePid = async (payload: Record<string, unknown> = {}) =>
  wallet.addCredential(await issuePid(issuer, await wallet.createHolderKey(), { payload }));

beforeAll(async () => {
  const pki = await createDevelopmentPki({ now: new Date(), hosts: ['127.0.0.1'] });
  issuer = { x5c: pki.issuer.chain, privateKey: pki.issuer.privateKey };
  signer = { x5c: pki.verifier.chain, privateKey: pki.verifier.privateKey };
  anchors = { verifierAnchors: [pki.root.certificate] };
});

beforeEach(async () => {
  steps = [];
  wallet = createWallet({ ...anchors, onStep: (step) => steps.push(step) });
  await givePid();
});

afterEach(async () => {
  await verifier?.close();
  verifier = undefined;
});

const shown = (id = 'pid') => verifier?.presented.get(id)?.map(({ claims }) => claims) ?? [];

describe('a presentation', () => {
  it('shows the requested claim only, bound to the nonce and the full client_id', async () => {
    const { requestUri, clientId, presented } = await verify();
    const redirectUri = 'https://shop.example/back?response_code=1';
    const result = await wallet.present(requestUri);
    expect(result).toEqual({ status: 200, body: { redirect_uri: redirectUri }, redirectUri });
    const [first] = presented.get('pid') ?? [];
    expect(first?.claims).toMatchObject({ vct: PID_VCT, family_name: 'Muster', nationalities: [] });
    expect(first?.claims).not.toHaveProperty('given_name');
    expect(first?.claims).not.toHaveProperty('address');
    expect(first?.keyBinding?.header).toEqual({ alg: 'ES256', typ: 'kb+jwt' });
    expect(first?.keyBinding?.payload).toMatchObject({ aud: clientId });
  });

  it('is told step by step without a query string', async () => {
    const { requestUri } = await verify();
    await wallet.present(requestUri);
    expect(steps.map(({ name }) => name)).toEqual(['request_object', 'verify_request', 'build_response', 'response']);
    expect(steps.map(({ status }) => status)).toEqual([200, undefined, undefined, 200]);
    expect(JSON.stringify(steps)).not.toContain('?');
  });

  it('opens the parents of a nested claim, and all elements of an array', async () => {
    const paths = [{ path: ['address', 'locality'] }, { path: ['nationalities', null] }];
    const { requestUri } = await verify({ dcqlQuery: pidQuery(paths) });
    await wallet.present(requestUri);
    expect(shown()[0]).toMatchObject({ address: { locality: 'Berlin' }, nationalities: ['DE', 'FR'] });
    expect(shown()[0]?.['address']).not.toHaveProperty('street');
  });

  it('opens everything below a requested object, and one element of an array', async () => {
    const { requestUri } = await verify({
      dcqlQuery: pidQuery([{ path: ['address'] }, { path: ['nationalities', 1] }]),
    });
    await wallet.present(requestUri);
    expect(shown()[0]).toMatchObject({ address: { locality: 'Berlin', street: 'Weg 1' }, nationalities: ['FR'] });
  });

  it('discloses nothing when the query names no claims', async () => {
    const { requestUri } = await verify({ dcqlQuery: pidQuery() });
    await wallet.present(requestUri);
    expect(shown()[0]).not.toHaveProperty('family_name');
  });

  it('takes the first claim set that can be met', async () => {
    const claims = [
      { id: 'a', path: ['birth_name'] },
      { id: 'b', path: ['given_name'] },
    ];
    const { requestUri } = await verify({ dcqlQuery: pidQuery(claims, { claim_sets: [['a'], ['b']] }) });
    await wallet.present(requestUri);
    expect(shown()[0]).toMatchObject({ given_name: 'Erika' });
    expect(shown()[0]).not.toHaveProperty('family_name');
  });

  it('gives all fitting credentials where multiple is true, otherwise the newest', async () => {
    await givePid({ family_name: 'Neu' });
    const claims = [{ path: ['family_name'] }];
    const single = await verify({ dcqlQuery: pidQuery(claims) });
    await wallet.present(single.requestUri);
    expect(shown().map((claims) => claims['family_name'])).toEqual(['Neu']);
    await single.close();
    const many = await verify({ dcqlQuery: pidQuery(claims, { multiple: true }) });
    await wallet.present(many.requestUri);
    expect(shown().map((claims) => claims['family_name'])).toEqual(['Neu', 'Muster']);
  });

  it('answers the first option of a required credential set and no optional set', async () => {
    const [pid] = pidQuery()['credentials'] as object[];
    const credentials = [
      pid,
      { ...pid, id: 'diploma', meta: { vct_values: ['urn:diploma'] } },
      { ...pid, id: 'extra' },
    ];
    const credential_sets = [{ options: [['diploma'], ['pid']] }, { options: [['extra']], required: false }];
    const { requestUri, presented } = await verify({ dcqlQuery: { credentials, credential_sets } });
    await wallet.present(requestUri);
    expect([...presented.keys()]).toEqual(['pid']);
  });

  it('carries no KB-JWT when the query wants no holder binding', async () => {
    const dcqlQuery = pidQuery([{ path: ['family_name'] }], { require_cryptographic_holder_binding: false });
    const { requestUri, presented } = await verify({ dcqlQuery });
    await wallet.present(requestUri);
    expect(presented.get('pid')?.[0]?.keyBinding).toBeUndefined();
  });

  it('matches trusted authorities by the authority key identifiers of the chain', async () => {
    const [credential] = wallet.credentials();
    const own = credential?.authorities.slice(0, 1);
    const fitting = await verify({
      dcqlQuery: pidQuery(undefined, { trusted_authorities: [{ type: 'aki', values: own }] }),
    });
    expect(await wallet.present(fitting.requestUri)).toMatchObject({ status: 200 });
    await fitting.close();
    const dcqlQuery = pidQuery(undefined, { trusted_authorities: [{ type: 'aki', values: ['AAAA'] }] });
    const foreign = await verify({ dcqlQuery });
    await expect(wallet.present(foreign.requestUri)).rejects.toMatchObject({ code: 'no_matching_credential' });
  });

  it('hashes the transaction data that it answers for', async () => {
    const entry = { type: 'payment', credential_ids: ['pid'], transaction_data_hashes_alg: ['sha-256'], amount: '3' };
    const encoded = Buffer.from(JSON.stringify(entry)).toString('base64url');
    const { requestUri, presented } = await verify({ payload: { transaction_data: [encoded] } });
    await wallet.present(requestUri, { transactionDataTypes: ['payment'] });
    expect(presented.get('pid')?.[0]?.keyBinding?.payload).toMatchObject({
      transaction_data_hashes: [createHash('sha256').update(encoded).digest('base64url')],
      transaction_data_hashes_alg: 'sha-256',
    });
    await expect(wallet.present(requestUri)).rejects.toMatchObject({ code: 'transaction_data_unsupported' });
  });

  it('says beside these hashes how the user authenticated, with a new code each time (TS12 §3.6)', async () => {
    const entry = { type: 'urn:eudi:sca:payment:1', credential_ids: ['pid'], payload: {} };
    const encoded = Buffer.from(JSON.stringify(entry)).toString('base64url');
    const { requestUri, presented } = await verify({ payload: { transaction_data: [encoded] } });
    const amr = [{ knowledge: 'pin_6_or_more_digits' }, { inherence: 'face_device' }];
    const codes = new Set<unknown>();
    for (const transactionDataTypes of ['any', [entry.type]] as const) {
      await wallet.present(requestUri, { transactionDataTypes, authenticationFactors: amr });
      const payload = presented.get('pid')?.[0]?.keyBinding?.payload;
      expect(payload).toMatchObject({ amr, response_mode: 'direct_post.jwt' });
      codes.add(payload?.['jti']);
    }
    expect(codes.size).toBe(2);
  });
});

describe('the request_uri', () => {
  it.each([
    ['post' as const, undefined],
    [undefined, 'post' as const],
  ])(
    'is posted to with wallet_metadata and a wallet_nonce that comes back (%s, %s)',
    async (requestUriMethod, option) => {
      const { requestUri, posts } = await verify(requestUriMethod ? { requestUriMethod } : {});
      const result = await wallet.present(requestUri, option ? { requestUriMethod: option } : {});
      expect(result.status).toBe(200);
      expect(posts).toHaveLength(1);
      expect([...(posts[0]?.keys() ?? [])].sort()).toEqual(['wallet_metadata', 'wallet_nonce']);
      expect(JSON.parse(posts[0]?.get('wallet_metadata') ?? '')).toHaveProperty('vp_formats_supported');
    },
  );
});

describe('a denial', () => {
  it('is an encrypted error with the state', async () => {
    const { requestUri, responses } = await verify();
    expect(await wallet.present(requestUri, { deny: true, errorDescription: 'no' })).toEqual({ status: 200, body: {} });
    const payload = { error: 'access_denied', error_description: 'no', state: 's-af0ifjsldkj-af0ifjsldkj' };
    expect(responses[0]?.payload).toEqual(payload);
  });

  it('is plain form parameters when asked for', async () => {
    const { requestUri, responses } = await verify();
    await wallet.present(requestUri, { deny: 'plain', error: 'wallet_unavailable' });
    const form = { error: 'wallet_unavailable', state: 's-af0ifjsldkj-af0ifjsldkj' };
    expect(Object.fromEntries(responses[0]?.form ?? [])).toEqual(form);
  });

  it('needs no credential', async () => {
    const { requestUri } = await verify();
    const empty = createWallet();
    expect(await empty.present(requestUri, { deny: true })).toMatchObject({ status: 200 });
    await expect(empty.present(requestUri)).rejects.toMatchObject({ code: 'no_matching_credential' });
  });
});

describe('the verifier’s answer', () => {
  it('is a result when it refuses', async () => {
    const { requestUri } = await verify({
      alter: (endpoint, answer) =>
        endpoint === 'response' ? { status: 400, body: { error: 'invalid_request' } } : answer,
    });
    expect(await wallet.present(requestUri)).toEqual({ status: 400, body: { error: 'invalid_request' } });
  });

  it.each([
    ['status_code_wrong', { status: 201, body: {} }],
    ['content_type_wrong', { status: 200, body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['response_malformed', { status: 200, body: '[]', headers: { 'content-type': 'application/json' } }],
    ['response_malformed', { status: 200, body: { redirect_uri: '/relative' } }],
    ['redirect_refused', { status: 303, headers: { location: 'https://shop.example' } }],
  ])('is refused with %s', async (code, wrong) => {
    const { requestUri } = await verify({ alter: (endpoint, answer) => (endpoint === 'response' ? wrong : answer) });
    await expect(wallet.present(requestUri)).rejects.toMatchObject({ code });
  });
});
