import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { decodeJwt } from 'jose';
import { exchange } from '../src/handmade-wallet';
import { joinStage, type SharedStage } from '../src/stage';
import { offerCredential } from '../src/flows';
import { OPEN_ROWS } from './open-rows';
import { present } from './presenting';
import { CARD, LARGE_CARD, prove, startEudiStage, type EudiStage, type Form } from './eudi-stage';
import { judgeCredential, judgeMetadata, judgeTypeMetadata, Refused, type Json } from './strict-judgement';
import {
  challengeOf,
  createKey,
  keyProof,
  openSession,
  readOffer,
  requestToken,
  signedMetadata,
  type Answer,
  type WalletKey,
} from './strict-wallet';

let eudi: EudiStage;
let open: SharedStage;
beforeAll(async () => {
  [eudi, open] = await Promise.all([startEudiStage(), joinStage('usual')]);
});
afterAll(async () => {
  await eudi?.stop();
  await open?.stop();
});

const credentialsOf = ({ body }: Answer) =>
  ((body['credentials'] ?? []) as { credential: string }[]).map(({ credential }) => credential);
const boundTo = (credential: string) => {
  const { cnf } = decodeJwt(credential.split('~')[0] ?? '') as { cnf: { jwk: { x: string } } };
  return cnf.jwk.x;
};
const refusedAs = (error: string) => ({ status: 400, body: expect.objectContaining({ error }) as Json });

describe('the strict wallet', () => {
  it('has nothing of the product’s libraries in it', () => {
    const files = readdirSync(__dirname).filter((name) => name.startsWith('strict-'));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect(readFileSync(path.join(__dirname, file), 'utf8')).not.toMatch(/@vestibule|\.\.\//);
  });

  it('EU:M1 EU:M3 EU:M4 EU:M5 refuses what the rules refuse, whichever configuration was offered', async () => {
    const issuer = eudi.issuer;
    const metadata = await signedMetadata(issuer);
    const { [CARD]: card, ...others } = judgeMetadata(metadata, issuer) as Record<string, Json>;
    const judged = (one: Json) => () =>
      judgeMetadata({ ...metadata, credential_configurations_supported: { ...others, one } }, issuer);
    const {
      proof_types_supported: proofs,
      cryptographic_binding_methods_supported: _binding,
      ...unbound
    } = card as Json;
    expect(Object.keys(proofs as Json)).toEqual(['jwt', 'attestation']);
    expect(judged(unbound)).not.toThrow();
    const plain = { proof_signing_alg_values_supported: ['ES256'] };
    for (const proof_types_supported of [
      { ...(proofs as Json), jwt: plain },
      { ...(proofs as Json), attestation: plain },
      { di_vp: { ...plain, key_attestations_required: {} } },
      {},
    ]) {
      expect(judged({ ...card, proof_types_supported })).toThrow(/refuses/);
    }
    const { credential_request_encryption: _request, ...answersAlone } = metadata;
    expect(metadata).toHaveProperty('credential_response_encryption');
    expect(() => judgeMetadata(answersAlone, issuer)).toThrow(/refuses/);
    expect(() => judgeTypeMetadata({ vct: 'a', claims: [], schema: {} })).toThrow(/refuses/);
    expect(() => judgeTypeMetadata({ vct: 'a', claims: [{ path: ['a'], value_type: 'string' }] })).toThrow(/refuses/);
  });
});

describe('issuer metadata for the strict wallet', () => {
  it('EU:M1 EU:M4 EU:M5 EU:M6 EU:K7 are signed, demand attested keys everywhere and list the algorithms', async () => {
    const issuer = eudi.issuer;
    const configurations = judgeMetadata(await signedMetadata(issuer), issuer) as Record<string, Json>;
    const algorithms = (id: string) =>
      Object.values(configurations[id]?.['proof_types_supported'] as Record<string, Json>).map(
        (one) => one['proof_signing_alg_values_supported'],
      );
    const all = ['ES256', 'ES384', 'ES512'];
    expect(algorithms(CARD)).toEqual([['ES256'], all]);
    expect(algorithms(LARGE_CARD)).toEqual([['ES256', 'ES384'], all]);
  });

  it('EU:M7 have the reuse policy of each type and the registration of the issuer', async () => {
    const metadata = await signedMetadata(eudi.issuer);
    const configurations = Object.values(metadata['credential_configurations_supported'] as Record<string, Json>);
    expect(configurations).toHaveLength(5);
    for (const { credential_metadata: shown } of configurations) {
      expect((shown as Json)['credential_reuse_policy']).toEqual({
        id: 'arf_annex_ii',
        options: [{ details: ['once_only'], batch_size: 10, reissue_trigger_unused: 2 }],
      });
    }
    expect(metadata['batch_credential_issuance']).toEqual({ batch_size: 10 });
    expect(metadata['issuer_info']).toEqual([
      { format: 'registrar_dataset', data: { registryURI: 'https://registry.example' } },
    ]);
  });

  it('EU:M6 come signed to whoever names application/jwt and does not like it less', async () => {
    const { origin } = new URL(open.stack.issuerUrl);
    const typeFor = async (accept: string) => {
      const { headers } = await exchange(`${origin}/.well-known/openid-credential-issuer`, { headers: { accept } });
      return headers.get('content-type')?.split(';')[0];
    };
    for (const accept of ['application/jwt,application/json', 'application/json, application/jwt', 'application/jwt'])
      expect(await typeFor(accept)).toBe('application/jwt');
    for (const accept of ['application/json', 'application/jwt;q=0.5, application/json', '*/*'])
      expect(await typeFor(accept)).toBe('application/json');
  });

  it('EU:M8 describe every claim of the sample credentials: one alone, and a batch as one dataset', async () => {
    for (const count of [1, 3]) {
      const session = await openSession((await offerCredential(open)).uri, 'identity-card', { strict: false });
      const nonce = await session.nonce();
      const keys = await Promise.all(Array.from({ length: count }, () => createKey()));
      const claims = { aud: session.issuer, nonce };
      const proofs = await Promise.all(keys.map((key) => keyProof(key, { jwk: key.jwk }, claims)));
      const opened = await Promise.all(
        credentialsOf(await session.ask({ jwt: proofs })).map((one) => judgeCredential(one)),
      );
      expect(opened).toHaveLength(count);
      expect(new Set(opened.map(({ subject }) => subject)).size).toBe(1);
      expect(opened[0]?.subject).toMatch(count === 1 ? /^urn:ietf:params:oauth:jwk-thumbprint:/ : /^urn:uuid:/);
      expect(opened.filter(({ plain }) => 'sub' in plain)).toHaveLength(count === 1 ? 1 : 0);
    }
  });
});

describe('key proofs of the strict wallet', () => {
  const decorated = (_key: unknown, index: number) => ({ kid: `key-${index}`, use: 'sig', alg: 'ES256', iat: 1 });
  const named = (_key: unknown, index: number) => ({ kid: `key-${index}` });
  const jwt = 'jwt' as const;
  const large = { configurationId: LARGE_CARD, alg: 'ES384' as const };

  it.each<[string, Form]>([
    ['EU:K1 kid 0, signed by the first attested key', { type: jwt, header: { kid: '0' } }],
    ['EU:K2 kid 0, the keys with a kid of their own', { type: jwt, header: { kid: '0' }, members: named }],
    ['EU:K2 the kid of a key', { type: jwt, header: { kid: 'key-0' }, members: named }],
    ['EU:K3 the attestation alone in the header', { type: jwt }],
    ['EU:K3 the attestation alone, the keys with a kid', { type: jwt, members: named }],
    ['EU:K5 proof type attestation', { type: 'attestation' }],
    ['EU:K6 keys with use, alg, kid and iat', { type: 'attestation', members: decorated }],
    ['EU:K6 the same in the header', { type: jwt, members: decorated }],
    ['EU:K7 an attestation with ES384', { type: 'attestation', attester: 'ES384' }],
    ['EU:K7 an attestation with ES512', { type: jwt, attester: 'ES512' }],
    ['EU:K8 keys on P-384, attested', { type: 'attestation', ...large }],
    ['EU:K8 a proof with a key on P-384', { type: jwt, attester: 'ES384', ...large }],
  ])('%s is accepted, EU:K12 in the order of the keys', async (_what, form) => {
    const answer = await prove(eudi, form);
    expect(credentialsOf(answer).map(boundTo)).toEqual(answer.keys.map(({ jwk }) => jwk.x));
    for (const credential of credentialsOf(answer)) await judgeCredential(credential);
  });

  it.each<[string, Form]>([
    ['a foreign key', { type: jwt, signer: 'foreign' }],
    ['a foreign key under kid 0', { type: jwt, signer: 'foreign', header: { kid: '0' } }],
    ['the second key without kid', { type: jwt, signer: 1 }],
    ['EU:K4 the second key under kid 1', { type: jwt, signer: 1, header: { kid: '1' } }],
    ['EU:K4 the second key by its own kid', { type: jwt, signer: 1, header: { kid: 'key-1' }, members: named }],
    ['an index out of range', { type: jwt, header: { kid: '2' } }],
    ['an index with a zero before it', { type: jwt, header: { kid: '00' } }],
    ['an index with a sign', { type: jwt, header: { kid: '+0' } }],
    ['an index with a space', { type: jwt, header: { kid: ' 0' } }],
    ['another typ', { type: jwt, header: { typ: 'JWT' } }],
    ['no attestation', { type: jwt, header: { key_attestation: null, kid: '0' } }],
    ['an attested key for encryption', { type: jwt, members: () => ({ use: 'enc' }) }],
    ['an attested key for encryption, as a proof', { type: 'attestation', members: () => ({ use: 'enc' }) }],
    ['an unknown provider', { type: jwt, attester: 'stranger' }],
    ['an unknown provider, as a proof', { type: 'attestation', attester: 'stranger' }],
    ['a provider whose certificate is for TLS servers', { type: jwt, attester: 'tls' }],
    ['the same, as a proof', { type: 'attestation', attester: 'tls' }],
    ['keys on P-384 where the type does not list them', { type: 'attestation', alg: 'ES384' }],
    ['keys on P-521, which no type lists', { type: 'attestation', configurationId: LARGE_CARD, alg: 'ES512' }],
  ])('EU:K9 %s is invalid_proof', async (_what, form) => {
    expect(await prove(eudi, form)).toMatchObject(refusedAs('invalid_proof'));
  });

  it('EU:K9 a jwk that is not attested is invalid_proof, and a made-up nonce invalid_nonce', async () => {
    const { jwk } = await createKey();
    expect(await prove(eudi, { type: jwt, signer: 'foreign', header: { jwk } })).toMatchObject(
      refusedAs('invalid_proof'),
    );
    expect(await prove(eudi, { type: jwt, nonce: 'A'.repeat(64) })).toMatchObject(refusedAs('invalid_nonce'));
    expect(await prove(eudi, { type: 'attestation', nonce: 'A'.repeat(64) })).toMatchObject(refusedAs('invalid_nonce'));
  });
});

describe('wallet attestations of the strict wallet', () => {
  const attested = async (instance: WalletKey, by: 'ES256' | 'ES384' | 'ES512' | 'stranger' | 'tls') => ({
    attestation: await eudi.providers.attestWallet(instance.jwk, by),
    instance,
    challenge: await challengeOf(eudi.issuer),
  });

  it.each(['ES256', 'ES384', 'ES512'] as const)(
    'EU:K7 EU:K11 without iss, with a challenge, instance and provider with %s',
    async (alg) => {
      const client = await attested(await createKey(alg), alg);
      const session = await openSession((await eudi.offer()).uri, CARD, { attested: client });
      expect(session.issuer).toBe(eudi.issuer);
    },
  );

  it('EU:E1 an error of the token endpoint comes with 400, which the wallet can read', async () => {
    for (const by of ['stranger', 'tls'] as const) {
      const client = await attested(await createKey(), by);
      const answer = await requestToken((await eudi.offer()).uri, await createKey(), client);
      expect(answer).toMatchObject(refusedAs('invalid_client'));
    }
  });
});

describe('a credential that the strict wallet was issued', () => {
  it.each<[string, Form]>([
    ['P-256', { type: 'attestation' }],
    ['P-384', { type: 'attestation', configurationId: LARGE_CARD, alg: 'ES384' }],
  ])('EU:K8 is presented with its key on %s, and with no other', async (_curve, form) => {
    const issued = await prove(eudi, form);
    const [credential = ''] = credentialsOf(issued);
    const [first, second] = issued.keys as [WalletKey, WalletKey];
    const vct = String(decodeJwt(credential.split('~')[0] ?? '')['vct']);
    const { answer, request, state } = await present(eudi.stage, credential, first, { vct });
    expect(answer.status).toBe(200);
    const [event] = await eudi.stage.callbacksOf(state, 1);
    expect(event).toMatchObject({ status: 'FULFILLED' });
    const metadata = request.claims['client_metadata'] as { vp_formats_supported: Record<string, Json> };
    expect(metadata.vp_formats_supported['dc+sd-jwt']).toMatchObject({ 'kb-jwt_alg_values': ['ES256', 'ES384'] });
    expect((await present(eudi.stage, credential, second, { vct })).answer.status).toBe(400);
  });
});

describe('a row that is known to be open', () => {
  const requirements = JSON.parse(
    readFileSync(path.join(__dirname, '../../docs/requirements/eu-wallet.json'), 'utf8'),
  ) as { id: string; notBuilt?: string }[];

  it('has its reason in the requirements, and each reason its row', () => {
    const reasons = requirements.filter(({ notBuilt }) => notBuilt !== undefined).map(({ id }) => id);
    expect(Object.keys(OPEN_ROWS)).toEqual(reasons);
  });

  it('is still open: strike it as soon as it works', async () => {
    for (const attempt of Object.values(OPEN_ROWS)) await expect(attempt(eudi)).rejects.toThrow(Refused);
  });
});

describe('what the strict wallet reads besides', () => {
  it('EU:K13 a repeated request has the same transaction_id while the credential is pending', async () => {
    const offer = await eudi.offer(CARD, { deferred: true, claims: {} });
    const session = await openSession(offer.uri, CARD);
    const key = await createKey();
    const ask = async () => {
      const nonce = await session.nonce();
      const key_attestation = await eudi.providers.attestKeys([key.jwk], { nonce });
      return session.ask({ jwt: [await keyProof(key, { key_attestation }, { aud: session.issuer, nonce })] });
    };
    const [first, second] = [await ask(), await ask()];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body['transaction_id']).toBe(first.body['transaction_id']);
    expect((await session.collect(String(first.body['transaction_id']))).status).toBe(202);
    const claims = { given_name: 'Ada', family_name: 'Example', birthdate: '1990-01-31' };
    await eudi.stage.management('PATCH', `/offers/${offer.offerId}`, { claims });
    const collected = await session.collect(String(first.body['transaction_id']));
    expect(credentialsOf(collected).map(boundTo)).toEqual([key.jwk.x]);
    expect(await session.notify(String(collected.body['notification_id']))).toBe(204);
  });

  it('EU:E2 EU:E3 a status list as CWT is 406, and one of the past 501, which says that there are none', async () => {
    const answer = await prove(eudi, { type: 'attestation' });
    const { status } = decodeJwt(credentialsOf(answer)[0]?.split('~')[0] ?? '') as {
      status: { status_list: { uri: string } };
    };
    const { uri } = status.status_list;
    const cwt = await exchange(uri, { headers: { accept: 'application/statuslist+cwt' } });
    expect(cwt.status).toBe(406);
    const past = await exchange(`${uri}?time=1700000000`);
    expect(past.status).toBe(501);
    expect(JSON.parse(past.text)).toMatchObject({ error_description: expect.stringMatching(/past/) });
    expect((await exchange(uri, { headers: { accept: 'application/statuslist+jwt' } })).status).toBe(200);
  });

  it('EU:E4 an offer that has ended is a JSON error', async () => {
    const offer = await eudi.offer();
    await eudi.stage.management('DELETE', `/offers/${offer.offerId}`);
    await expect(readOffer(offer.uri)).rejects.toThrow(/the offer has ended: invalid_request/);
  });
});
