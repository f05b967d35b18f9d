import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWallet, type RedeemOptions, type Wallet } from '@vestibule/demo-wallet';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import { Client } from 'pg';
import { offerCredential, type Offer } from './flows';
import { exchange, postForm } from './handmade-wallet';
import { ISSUANCE, startStage, type Stage } from './stage';
import { createAttesters, WALLET_NAME, type Attesters } from './wallet-attesters';

const DEMANDING = 'attested-card';
let attesters: Attesters;
let types: string;
let stage: Stage;
beforeAll(async () => {
  attesters = await createAttesters();
  types = mkdtempSync(path.join(tmpdir(), 'vestibule-types-'));
  writeFileSync(path.join(types, 'identity-card.json'), JSON.stringify(CARD));
  writeFileSync(path.join(types, `${DEMANDING}.json`), JSON.stringify(CARD));
  const key_attestation = { key_storage: ['iso_18045_high', 'iso_18045_moderate'] };
  writeFileSync(path.join(types, 'issuance.json'), JSON.stringify({ types: { [DEMANDING]: { key_attestation } } }));
  stage = await startStage({
    apps: ISSUANCE,
    replicas: { issuer: 2 },
    environment: {
      issuer: {
        ATTESTATION_TRUST_FILE: attesters.trustFile,
        WALLET_ATTESTATION: 'required',
        DPOP_NONCE: 'required',
        TYPE_METADATA_FOLDER: types,
      },
    },
  });
});
afterAll(async () => {
  await stage?.stop();
  attesters?.remove();
  rmSync(types, { recursive: true, force: true });
});

const CARD = {
  name: 'Card',
  claims: ['given_name', 'family_name', 'birthdate'].map((name) => ({ path: [name], sd: 'always' })),
};
const refusal = (error: string) => expect.objectContaining({ error });
const statusOf = async ({ offerId }: Offer) => (await stage.management('GET', `/offers/${offerId}`)).body['status'];
const publicUrl = (name: string) => `${stage.stack.issuerUrl}/oidc4vci/${name}`;

async function attested(wallet: Wallet, options: RedeemOptions = {}): Promise<RedeemOptions> {
  return { clientAttestation: await attesters.attestWallet(await wallet.instanceKey()), ...options };
}

describe('an issuer that demands wallet attestation and DPoP nonces, with two replicas', () => {
  it('VCI:C8 VCI:C11 VCI:D18 VCI:D19 VCI:D20 issues to a wallet of a third party, which fetches challenge and nonces', async () => {
    const wallet = stage.createWallet();
    for (let round = 0; round < 3; round += 1) {
      const offer = await offerCredential(stage, { tx_code: {} });
      const options = await attested(wallet, { txCode: offer.txCode as string });
      expect(await wallet.redeemOffer(offer.uri, options)).toHaveLength(1);
      expect(await statusOf(offer)).toBe('ISSUED');
    }
  });

  it('VCI:D18 VCI:D19 tells the third party’s wallet at each place which nonce to use', async () => {
    const steps: string[] = [];
    const wallet = createWallet({ onStep: ({ name, status }) => void steps.push(`${name} ${status}`) });
    const offer = await offerCredential(stage);
    await wallet.redeemOffer(offer.uri, await attested(wallet));
    expect(steps.filter((step) => step.startsWith('token'))).toEqual(['token 400', 'token 200']);
    expect(steps.filter((step) => step.startsWith('credential '))).toEqual(['credential 200']);
  });

  it('VCI:T17 VCI:A6 refuses an anonymous wallet with 400 invalid_client, and leaves the offer open', async () => {
    const offer = await offerCredential(stage);
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code', 'pre-authorized_code': 'x' };
    const answer = await postForm(publicUrl('token'), form);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_client' }),
    ]);
    const { body } = await metadata('oauth-authorization-server');
    expect(body['pre-authorized_grant_anonymous_access_supported']).toBe(false);
    expect(await statusOf(offer)).toBe('OFFER_CREATED');
  });

  it('VCI:C4 VCI:C14 refuses an attestation by a stranger; the code stays good', async () => {
    const offer = await offerCredential(stage);
    const wallet = stage.createWallet();
    const clientAttestation = await attesters.attestWallet(await wallet.instanceKey(), {}, 'stranger');
    await expect(wallet.redeemOffer(offer.uri, { clientAttestation })).rejects.toMatchObject(refusal('invalid_client'));
    expect(await wallet.redeemOffer(offer.uri, await attested(wallet))).toHaveLength(1);
  });

  it('VCI:C5 asks for a fresh attestation when it has expired', async () => {
    const offer = await offerCredential(stage);
    const wallet = stage.createWallet();
    const old = await attesters.attestWallet(await wallet.instanceKey(), { exp: Math.floor(Date.now() / 1000) - 120 });
    await expect(wallet.redeemOffer(offer.uri, { clientAttestation: old })).rejects.toMatchObject(
      refusal('use_fresh_attestation'),
    );
    expect(await statusOf(offer)).toBe('OFFER_CREATED');
  });

  it('VCI:C16 keeps the wallet’s name with the token and its instance key nowhere', async () => {
    const wallet = stage.createWallet();
    const { x } = await wallet.instanceKey();
    const offer = await offerCredential(stage);
    await wallet.redeemOffer(offer.uri, await attested(wallet));
    const client = new Client({ connectionString: stage.database.adminUrl });
    await client.connect();
    const tokens = await client.query<Record<string, unknown>>('SELECT * FROM issuer.access_token');
    await client.end();
    expect(tokens.rows.length).toBeGreaterThan(0);
    expect(tokens.rows.every((row) => row['client_id'] === WALLET_NAME)).toBe(true);
    expect(JSON.stringify(tokens.rows)).not.toContain(x);
    expect(stage.logLines.join('\n')).not.toContain(x);
  });

  it('VCI:J11 a key proof may name the wallet, and nobody else', async () => {
    const wallet = stage.createWallet();
    const foreign = await offerCredential(stage);
    const faults = { proof: { payload: { iss: 'https://other.example' } } };
    await expect(wallet.redeemOffer(foreign.uri, await attested(wallet, { faults }))).rejects.toMatchObject(
      refusal('invalid_proof'),
    );
    const named = await offerCredential(stage);
    const right = { proof: { payload: { iss: WALLET_NAME } } };
    expect(await wallet.redeemOffer(named.uri, await attested(wallet, { faults: right }))).toHaveLength(1);
  });
});

describe('attested keys', () => {
  const demand = () => offerCredential(stage, { credential_configuration_id: DEMANDING });

  it.each(['jwt', 'attestation'] as const)(
    'VCI:K6 VCI:K8 VCI:K13 one attestation as %s proof gives a credential for each of ten keys',
    async (proofType) => {
      const wallet = stage.createWallet();
      const offer = await demand();
      const keyAttestation = attesters.keyAttestation(proofType);
      const credentials = await wallet.redeemOffer(offer.uri, await attested(wallet, { keyAttestation, batch: 10 }));
      expect(credentials).toHaveLength(10);
    },
  );

  it('VCI:K10 VCI:K11 VCI:M17 refuses none and a lower one where the type demands one, which the metadata say', async () => {
    const { body } = await metadata('openid-credential-issuer');
    const configurations = body['credential_configurations_supported'] as Record<string, Record<string, unknown>>;
    const levels = { key_storage: ['iso_18045_high', 'iso_18045_moderate'] };
    const demanded = { key_attestations_required: levels };
    expect(configurations[DEMANDING]?.['proof_types_supported']).toEqual({
      jwt: { proof_signing_alg_values_supported: ['ES256'], ...demanded },
      attestation: { proof_signing_alg_values_supported: ['ES256', 'ES384', 'ES512'], ...demanded },
    });
    const wallet = stage.createWallet();
    const offer = await demand();
    // The third party's library reads the demand and sends no plain proof at all.
    await expect(wallet.redeemOffer(offer.uri, await attested(wallet))).rejects.toMatchObject({
      code: 'library_refused',
    });
    const keyAttestation = attesters.keyAttestation('jwt', 'iso_18045_basic');
    const lower = await demand();
    await expect(wallet.redeemOffer(lower.uri, await attested(wallet, { keyAttestation }))).rejects.toMatchObject(
      refusal('invalid_proof'),
    );
    expect([await statusOf(offer), await statusOf(lower)]).toEqual(['OFFER_CREATED', 'OFFER_CREATED']);
  });
});

async function metadata(name: string, accept = 'application/json') {
  const { origin, pathname } = new URL(stage.stack.issuerUrl);
  const url = `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`;
  const { status, headers, text } = await exchange(url, { headers: { accept } });
  const body = (accept === 'application/json' ? JSON.parse(text) : {}) as Record<string, unknown>;
  return { status, type: headers.get('content-type')?.split(';')[0], text, body };
}

describe('the documents of the issuer', () => {
  it('VCI:S1 VCI:S2 VCI:S3 VCI:S4 the issuer metadata are the same, signed, with a chain that holds no anchor', async () => {
    const { body } = await metadata('openid-credential-issuer');
    const { status, type, text } = await metadata('openid-credential-issuer', 'application/jwt');
    expect([status, type]).toEqual([200, 'application/jwt']);
    const { typ, x5c = [] } = decodeProtectedHeader(text);
    expect([typ, x5c.length]).toEqual(['openidvci-issuer-metadata+jwt', 2]);
    const [leaf, ca] = x5c.map((der) => new X509Certificate(Buffer.from(der, 'base64')));
    expect([leaf?.checkIssued(leaf), ca?.checkIssued(ca)]).toEqual([false, false]);
    if (!leaf) throw new TypeError('there is no leaf');
    await compactVerify(text, leaf.publicKey);
    const { iss, sub, iat, exp, ...claims } = decodeJwt(text);
    expect(claims).toEqual(body);
    expect([iss, sub, typeof iat, typeof exp]).toEqual([
      stage.stack.issuerUrl,
      stage.stack.issuerUrl,
      'number',
      'number',
    ]);
  });

  it('VCI:A5 VCI:A8 VCI:A9 VCI:C12 the server metadata announce attestation and its challenges, which are there', async () => {
    const { body } = await metadata('oauth-authorization-server');
    expect(body).toMatchObject({
      token_endpoint_auth_methods_supported: ['attest_jwt_client_auth'],
      client_attestation_signing_alg_values_supported: ['ES256', 'ES384', 'ES512'],
      client_attestation_pop_signing_alg_values_supported: ['ES256', 'ES384', 'ES512'],
      challenge_endpoint: publicUrl('challenge'),
    });
    const { status, headers, text } = await exchange(publicUrl('challenge'), { method: 'POST' });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['attestation_challenge']);
    expect((await exchange(publicUrl('challenge'))).status).toBe(405);
  });

  it('VCI:U5 jwt-vc-issuer names the issuer and the key of its credentials', async () => {
    const { body } = await metadata('jwt-vc-issuer');
    expect(body['issuer']).toBe(stage.stack.issuerUrl);
    const { keys } = body['jwks'] as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {})).not.toContain('d');
  });

  it('VCI:D21 VCI:N6 the nonce endpoint brings a DPoP nonce too', async () => {
    const { headers } = await exchange(publicUrl('nonce'), { method: 'POST' });
    expect(headers.get('dpop-nonce')).toMatch(/^[A-Za-z0-9_-]{48}$/);
    expect(headers.get('cache-control')).toBe('no-store');
  });
});
