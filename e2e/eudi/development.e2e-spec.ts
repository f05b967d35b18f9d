import { EUDI_SAMPLE_TYPE } from '@vestibule/dev-stack';
import { decodeJwt } from 'jose';
import { CLAIMS, offerCredential, requestPresentation } from '../src/flows';
import { FLOWS, startStage, type Stage } from '../src/stage';
import { developmentProvider } from './attesters';
import { present } from './presenting';
import { judgeCredential, type Json } from './strict-judgement';
import { challengeOf, createKey, keyProof, openSession, sign, type Answer, type WalletKey } from './strict-wallet';

/** The configuration that `npm start` makes, as it is. */
let stage: Stage;
let provider: ReturnType<typeof developmentProvider>;
beforeAll(async () => {
  stage = await startStage({ apps: FLOWS });
  provider = developmentProvider(stage.stack.files.folder);
});
afterAll(async () => stage?.stop());

const credentialsOf = ({ body }: Answer) =>
  ((body['credentials'] ?? []) as { credential: string }[]).map(({ credential }) => credential);
const statusesOf = async (id: string, count: number) =>
  (await stage.callbacksOf(id, count)).map(({ status }) => status);

/** A strict EU wallet with an attested instance redeems an offer of the sample type. */
async function redeem(members: object = {}) {
  const offer = await offerCredential(stage, { credential_configuration_id: EUDI_SAMPLE_TYPE, ...members });
  const issuer = `${stage.stack.issuerUrl}/eudi`;
  const instance = await createKey();
  const attestation = await provider.attestWallet(instance.jwk);
  const attested = { attestation, instance, challenge: await challengeOf(issuer) };
  const session = await openSession(offer.uri, EUDI_SAMPLE_TYPE, { attested });
  expect(session.issuer).toBe(issuer);
  return { offer, session };
}

async function batchFor(session: Awaited<ReturnType<typeof redeem>>['session'], count: number) {
  const keys = await Promise.all(Array.from({ length: count }, () => createKey()));
  const nonce = await session.nonce();
  const key_attestation = await provider.attestKeys(
    keys.map(({ jwk }) => jwk),
    { nonce },
  );
  const proof = await keyProof(keys[0] as WalletKey, { key_attestation }, { aud: session.issuer, nonce });
  return { keys, jwt: { jwt: [proof] }, attestation: { attestation: [key_attestation] } };
}

describe('the configuration of npm start serves a strict EU wallet', () => {
  it.each([1, 3])(
    'EU:M1 EU:M2 EU:M8 with %i credentials, encrypted, a notification, and presentations',
    async (count) => {
      const { offer, session } = await redeem();
      const { keys, jwt } = await batchFor(session, count);
      const answer = await session.askEncrypted(jwt);
      const credentials = credentialsOf(answer);
      expect(credentials).toHaveLength(count);
      for (const one of credentials) await judgeCredential(one, 'always');
      expect(await session.notify(String(answer.body['notification_id']))).toBe(204);
      expect(await statusesOf(offer.offerId, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
      for (const [index, credential] of credentials.entries()) {
        const vct = String(decodeJwt(credential.split('~')[0] ?? '')['vct']);
        const presented = await present(stage, credential, keys[index] as WalletKey, { vct });
        expect(presented.answer.status).toBe(200);
        expect(await stage.callbacksOf(presented.state, 1)).toMatchObject([
          { status: 'FULFILLED', credentials: { card: [{ isTrusted: true }] } },
        ]);
      }
    },
  );

  it('EU:K13 with a deferred credential', async () => {
    const { offer, session } = await redeem({ deferred: true, claims: {} });
    const { attestation, jwt } = await batchFor(session, 2);
    const [promised, again] = [await session.ask(attestation), await session.askEncrypted(jwt)];
    expect([promised.status, again.status]).toEqual([202, 202]);
    const { transaction_id: transactionId } = promised.body as Json & { transaction_id: string };
    expect(again.body['transaction_id']).toBe(transactionId);
    expect((await session.collect(transactionId)).status).toBe(202);
    expect((await stage.management('PATCH', `/offers/${offer.offerId}`, { claims: CLAIMS })).status).toBe(200);
    const collected = await session.collect(transactionId);
    expect(credentialsOf(collected)).toHaveLength(2);
    for (const one of credentialsOf(collected)) await judgeCredential(one);
    expect(await session.notify(String(collected.body['notification_id']))).toBe(204);
  });
});

describe('and, beside it, an open wallet', () => {
  it('with a batch, encrypted, a notification, and a presentation of what it got', async () => {
    const wallet = stage.createWallet();
    const offer = await offerCredential(stage);
    expect(await wallet.redeemOffer(offer.uri, { batch: 3, encrypt: true })).toHaveLength(3);
    expect(await statusesOf(offer.offerId, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
    const { body } = await stage.management('GET', `/offers/${offer.offerId}`);
    expect(body).toMatchObject({ notification: { event: 'credential_accepted' } });
    const { crossDevice, state } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    expect(await statusesOf(state, 1)).toEqual(['FULFILLED']);
  });

  it('with a deferred credential', async () => {
    const offer = await offerCredential(stage, { deferred: true, claims: {} });
    const { deferred } = await stage.createWallet().redeem(offer.uri);
    expect(deferred).toHaveLength(1);
    expect(await deferred[0]?.collect()).toBeUndefined();
    await stage.management('PATCH', `/offers/${offer.offerId}`, { claims: CLAIMS });
    expect(await deferred[0]?.collect()).toHaveLength(1);
  });

  it('and a wallet that attests all the same, by somebody unknown, like one that does not', async () => {
    const instance = await createKey();
    const stranger = await createKey();
    const claims = {
      sub: 'https://wallet.example',
      exp: Math.floor(Date.now() / 1000) + 600,
      cnf: { jwk: instance.jwk },
    };
    const attestation = await sign(stranger, { typ: 'oauth-client-attestation+jwt' }, claims);
    const attested = { attestation, instance, challenge: undefined };
    const session = await openSession((await offerCredential(stage)).uri, 'identity-card', { attested, strict: false });
    const [key, nonce] = [await createKey(), await session.nonce()];
    const proof = await keyProof(key, { jwk: key.jwk }, { aud: session.issuer, nonce });
    expect(credentialsOf(await session.ask({ jwt: [proof] }))).toHaveLength(1);
  });
});
