import { decodeJwt, decodeProtectedHeader } from 'jose';
import { exchange } from '../src/handmade-wallet';
import { ATTESTED_CARD, CARD, EU_ISSUER, LARGE_CARD, PLAIN_CARD, prove, startEudiStage, type EudiStage, type Form } from './eudi-stage'; // prettier-ignore
import { judgeCredential, judgeMetadata, type Json } from './strict-judgement';
import {
  challengeOf,
  createKey,
  keyProof,
  openSession,
  readOffer,
  requestToken,
  signedMetadata,
  type Answer,
  type Session,
} from './strict-wallet';

let eudi: EudiStage;
/** The identifier of the installation, and one beside that of the EU types. */
let own: string;
let attested: string;
beforeAll(async () => {
  eudi = await startEudiStage();
  own = eudi.stage.stack.issuerUrl;
  attested = `${own}/attested`;
});
afterAll(async () => eudi?.stop());

const refusal = (status: number, error: string) => ({ status, body: expect.objectContaining({ error }) as Json });
const credentialsOf = ({ body }: Answer) =>
  ((body['credentials'] ?? []) as { credential: string }[]).map(({ credential }) => credential);
const payloadOf = (credential = '') => decodeJwt(credential.split('~')[0] ?? '');
const wellKnown = (name: string, issuer: string) => `${new URL(issuer).origin}/.well-known/${name}${new URL(issuer).pathname.replace(/^\/$/, '')}`; // prettier-ignore
const documentAt = async (url: string) => {
  const { status, text } = await exchange(url);
  return { status, body: JSON.parse(text) as Json };
};

/** Proves two keys, attested for the EU types, with a nonce and for an audience that may be another issuer's. */
async function proofFor(session: Session, { nonce, aud = session.issuer }: { nonce?: string; aud?: string } = {}) {
  const [key, other] = [await createKey(), await createKey()];
  const fresh = nonce ?? (await session.nonce());
  const key_attestation = await eudi.providers.attestKeys([key.jwk, other.jwk], { nonce: fresh });
  return { jwt: [await keyProof(key, { key_attestation }, { aud, nonce: fresh })] };
}

describe('EU:M2 issuer identifiers of one installation', () => {
  it('have documents and endpoints of their own, below their identifier', async () => {
    for (const issuer of [own, eudi.issuer, attested]) {
      const { body } = await documentAt(wellKnown('openid-credential-issuer', issuer));
      expect(body['credential_issuer']).toBe(issuer);
      const { body: server } = await documentAt(wellKnown('oauth-authorization-server', issuer));
      const { body: keys } = await documentAt(wellKnown('jwt-vc-issuer', issuer));
      expect([server['issuer'], keys['issuer']]).toEqual([issuer, issuer]);
      const endpoints = Object.entries({ ...body, ...server }).filter(([name]) => name.endsWith('_endpoint'));
      expect(endpoints.length).toBeGreaterThan(4);
      for (const [, url] of endpoints) expect(String(url).startsWith(`${issuer}/oidc4vci/`)).toBe(true);
      expect((await signedMetadata(issuer))['credential_issuer']).toBe(issuer);
    }
    const configurationsOf = async (issuer: string) =>
      Object.keys((await signedMetadata(issuer))['credential_configurations_supported'] as Json);
    expect(await configurationsOf(own)).toEqual([PLAIN_CARD]);
    expect(await configurationsOf(attested)).toEqual([ATTESTED_CARD]);
    expect(await configurationsOf(eudi.issuer)).toContain(CARD);
  });

  it('are found by the type that is offered, and issue under their own name', async () => {
    const plain = await openSession((await eudi.offer(PLAIN_CARD)).uri, PLAIN_CARD, { strict: false });
    expect(plain.issuer).toBe(own);
    const key = await createKey();
    const claims = { aud: own, nonce: await plain.nonce() };
    const [open = ''] = credentialsOf(await plain.ask({ jwt: [await keyProof(key, { jwk: key.jwk }, claims)] }));
    expect(payloadOf(open)).toMatchObject({ iss: own, vct: `${own}/oidc4vci/types/${PLAIN_CARD}` });
    const offer = await eudi.offer(CARD);
    const reference = new URL(offer.uri).searchParams.get('credential_offer_uri');
    expect(reference).toBe(`${eudi.issuer}/oidc4vci/offers/${offer.offerId}`);
    const [credential = ''] = credentialsOf(await prove(eudi, { type: 'attestation' }));
    const { iss, vct, status } = payloadOf(credential) as { iss: string; vct: string; status: Json };
    expect([iss, vct]).toEqual([eudi.issuer, `${eudi.issuer}/oidc4vci/types/${CARD}`]);
    const { uri } = status['status_list'] as { uri: string };
    expect(uri.startsWith(`${eudi.issuer}/oidc4vci/status-lists/`)).toBe(true);
    expect((decodeJwt((await exchange(uri)).text) as Json)['sub']).toBe(uri);
    await judgeCredential(credential);
  });

  it('EU:M6 sign their metadata with the access certificate, another key than that of the credentials', async () => {
    const accept = { headers: { accept: 'application/jwt' } };
    const [credential = ''] = credentialsOf(await prove(eudi, { type: 'attestation' }));
    const issuerLeaf = decodeProtectedHeader(credential.split('~')[0] ?? '').x5c?.[0];
    for (const issuer of [own, eudi.issuer]) {
      const { text } = await exchange(wellKnown('openid-credential-issuer', issuer), accept);
      const leaf = decodeProtectedHeader(text).x5c?.[0];
      expect(leaf).toEqual(expect.any(String));
      expect(leaf).not.toBe(issuerLeaf);
    }
  });

  it('are not there under another name, or with their name in another place', async () => {
    const { origin } = new URL(own);
    const name = 'openid-credential-issuer';
    for (const path of [
      `/.well-known/${name}/none`,
      `/.well-known/${name}/${EU_ISSUER}/`,
      `/.well-known/${name}/${EU_ISSUER}/${EU_ISSUER}`,
      `/.well-known/${name}/%65u`,
      `/.well-known/${name}/EU`,
      `/${EU_ISSUER}/.well-known/${name}`,
      `/none/oidc4vci/types/${CARD}`,
      `/%65u/oidc4vci/types/${CARD}`,
      `/${EU_ISSUER}/${EU_ISSUER}/oidc4vci/types/${CARD}`,
      `/oidc4vci/types/${CARD}`,
      `/${EU_ISSUER}/oidc4vci/types/${PLAIN_CARD}`,
    ]) {
      expect([path, (await exchange(`${origin}${path}`)).status]).toEqual([path, 404]);
    }
    expect((await exchange(`${origin}/none/oidc4vci/nonce`, { method: 'POST' })).status).toBe(404);
    expect((await exchange(`${eudi.issuer}/oidc4vci/types/${CARD}`)).status).toBe(200);
  });
});

describe('what belongs to one issuer identifier is worth nothing at another', () => {
  it('an offer, a type and a status list', async () => {
    const { offerId } = await eudi.offer(CARD);
    const [credential = ''] = credentialsOf(await prove(eudi, { type: 'attestation' }));
    const { uri } = (payloadOf(credential)['status'] as Json)['status_list'] as { uri: string };
    for (const other of [own, attested]) {
      expect((await exchange(`${other}/oidc4vci/offers/${offerId}`)).status).toBe(404);
      expect((await exchange(uri.replace(eudi.issuer, other))).status).toBe(404);
    }
    expect((await exchange(uri)).status).toBe(200);
  });

  it('a code, before and after it was redeemed', async () => {
    const offer = await readOffer((await eudi.offer(CARD)).uri);
    const key = await createKey();
    for (const at of [own, attested])
      expect(await requestToken(offer, key, undefined, { at })).toMatchObject(refusal(400, 'invalid_grant'));
    const { status, body } = await requestToken(offer, key);
    expect([status, (await requestToken(offer, key)).body['access_token']]).toEqual([200, body['access_token']]);
    expect(await requestToken(offer, key, undefined, { at: own })).toMatchObject(refusal(400, 'invalid_grant'));
  });

  it('a token, for credentials, deferred ones and notifications', async () => {
    const session = await openSession((await eudi.offer(CARD, { deferred: true, claims: {} })).uri, CARD);
    const { body: promise } = await session.ask(await proofFor(session));
    const bodies = {
      credential: { credential_configuration_id: CARD, proofs: await proofFor(session) },
      deferred_credential: { transaction_id: promise['transaction_id'] },
      notification: { notification_id: 'any', event: 'credential_accepted' },
    };
    for (const [name, body] of Object.entries(bodies)) {
      for (const other of [own, attested])
        expect(await session.send(`${other}/oidc4vci/${name}`, body)).toMatchObject(refusal(401, 'invalid_token'));
    }
    expect((await session.collect(String(promise['transaction_id']))).status).toBe(202);
  });

  it('a DPoP proof for the endpoint of another', async () => {
    const session = await openSession((await eudi.offer(CARD)).uri, CARD);
    const body = { credential_configuration_id: CARD, proofs: await proofFor(session) };
    const [here, there] = [eudi.issuer, own].map((issuer) => `${issuer}/oidc4vci/credential`) as [string, string];
    expect(await session.send(here, body, there)).toMatchObject(refusal(401, 'invalid_dpop_proof'));
    expect((await session.send(here, body)).status).toBe(200);
  });

  it('a nonce, and a key proof for the audience of another', async () => {
    const session = await openSession((await eudi.offer(CARD)).uri, CARD);
    for (const other of [own, attested]) {
      const { text } = await exchange(`${other}/oidc4vci/nonce`, { method: 'POST' });
      const { c_nonce: nonce } = JSON.parse(text) as { c_nonce: string };
      expect(await session.ask(await proofFor(session, { nonce }))).toMatchObject(refusal(400, 'invalid_nonce'));
      expect(await session.ask(await proofFor(session, { aud: other }))).toMatchObject(refusal(400, 'invalid_proof'));
    }
    expect((await session.ask(await proofFor(session))).status).toBe(200);
  });

  it('a challenge, and a proof of possession for the audience of another', async () => {
    const offer = await readOffer((await eudi.offer(CARD)).uri);
    const [key, instance] = [await createKey(), await createKey()];
    const attestation = await eudi.providers.attestWallet(instance.jwk);
    const present = async (issuer: string, provedTo?: string) =>
      requestToken(offer, key, { attestation, instance, challenge: await challengeOf(issuer) }, { provedTo });
    expect(await present(attested)).toMatchObject(refusal(400, 'use_attestation_challenge'));
    expect(await present(eudi.issuer, attested)).toMatchObject(refusal(400, 'invalid_client'));
    expect((await present(eudi.issuer)).status).toBe(200);
  });

  it('a request that is encrypted to the key of another', async () => {
    const session = await openSession((await eudi.offer(CARD)).uri, CARD);
    const encryptionOf = (metadata: Json) =>
      metadata['credential_request_encryption'] as Json & { jwks: { keys: Json[] } };
    const [here] = encryptionOf(session.metadata).jwks.keys;
    for (const other of [own, attested]) {
      const metadata = await signedMetadata(other);
      const [there] = encryptionOf(metadata).jwks.keys;
      expect(there?.['kid']).not.toBe(here?.['kid']);
      const disguised = { jwks: { keys: [{ ...there, kid: here?.['kid'] }] } };
      for (const to of [metadata, { ...metadata, credential_request_encryption: disguised }])
        expect(await session.askEncrypted(await proofFor(session), to)).toMatchObject(
          refusal(400, 'invalid_encryption_parameters'),
        );
    }
    expect((await session.askEncrypted(await proofFor(session))).status).toBe(200);
  });
});

describe('an identifier of the profile open', () => {
  const jwt = 'jwt' as const;
  const named = (_key: unknown, index: number) => ({ kid: `key-${index}` });
  const form = (more: Form): Form => ({ configurationId: ATTESTED_CARD, ...more });

  it('is read by wallets of the EU only if all of its types demand attested keys', async () => {
    expect(() => judgeMetadata({}, own)).toThrow();
    const [strict, open] = [await signedMetadata(attested), await signedMetadata(own)];
    expect(judgeMetadata(strict, attested)).toHaveProperty([ATTESTED_CARD]);
    expect(() => judgeMetadata(open, own)).toThrow(/does not demand attested keys/);
  });

  it.each<[string, Form]>([
    ['EU:K1 kid 0', { type: jwt, header: { kid: '0' } }],
    ['EU:K2 kid 0, the keys with a kid of their own', { type: jwt, header: { kid: '0' }, members: named }],
    ['EU:K3 the attestation alone', { type: jwt }],
    ['EU:K5 proof type attestation', { type: 'attestation' }],
    ['EU:K6 keys with use', { type: 'attestation', members: () => ({ use: 'sig', alg: 'ES256', iat: 1 }) }],
    ['EU:K7 an attestation with ES384', { type: jwt, attester: 'ES384' }],
    ['EU:K7 an attestation with ES512', { type: 'attestation', attester: 'ES512' }],
  ])('%s is accepted, EU:K12 in the order of the keys', async (_what, given) => {
    const answer = await prove(eudi, form(given));
    const bound = credentialsOf(answer).map((one) => (payloadOf(one)['cnf'] as { jwk: Json }).jwk['x']);
    expect(bound).toEqual(answer.keys.map(({ jwk }) => jwk.x));
  });

  it.each<[string, Form]>([
    ['under kid 1', { type: jwt, signer: 1, header: { kid: '1' } }],
    ['by its own kid', { type: jwt, signer: 1, header: { kid: 'key-1' }, members: named }],
  ])('EU:K4 the second attested key may prove, %s; the profile eudi takes the first alone', async (_what, given) => {
    expect(credentialsOf(await prove(eudi, form(given)))).toHaveLength(2);
    expect(await prove(eudi, given)).toMatchObject(refusal(400, 'invalid_proof'));
  });

  it.each<[string, Form]>([
    ['a foreign key', { type: jwt, signer: 'foreign' }],
    ['an index out of range', { type: jwt, header: { kid: '2' } }],
    ['an index that is not written plainly', { type: jwt, header: { kid: '00' } }],
    ['another typ', { type: jwt, header: { typ: 'JWT' } }],
    ['no attestation', { type: jwt, header: { key_attestation: null, kid: '0' } }],
    ['an attested key for encryption', { type: 'attestation', members: () => ({ use: 'enc' }) }],
    ['an unknown provider', { type: jwt, attester: 'stranger' }],
    ['a provider for TLS servers', { type: 'attestation', attester: 'tls' }],
    ['EU:K8 keys on a curve that the type does not list', { type: 'attestation', alg: 'ES384' }],
  ])('EU:K9 %s is invalid_proof', async (_what, given) => {
    expect(await prove(eudi, form(given))).toMatchObject(refusal(400, 'invalid_proof'));
  });

  it('EU:K8 keys on P-384 are for the types that list them', async () => {
    const large = await prove(eudi, { type: 'attestation', configurationId: LARGE_CARD, alg: 'ES384' });
    expect(credentialsOf(large)).toHaveLength(2);
  });
});
