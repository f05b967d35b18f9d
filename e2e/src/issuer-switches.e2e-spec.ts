import { until } from '@vestibule/testkit';
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';
import { CLAIMS, endIn, offerCredential } from './flows';
import { createHolder, type Holder } from './handmade-credential';
import { startIssuanceBench, TYPE_ID, type IssuanceBench } from './issuance-bench';

let bench: IssuanceBench;
beforeAll(async () => {
  const issuer = {
    CREDENTIAL_ENCRYPTION: 'required',
    KEEP_CLAIMS_UNTIL_EXPIRY: 'true',
    DEFERRED_SECONDS: '600',
    DEFERRED_NOTIFICATION_ID: 'false',
  };
  bench = await startIssuanceBench({ environment: { issuer } });
});
afterAll(() => bench?.stop());

describe('CREDENTIAL_ENCRYPTION=required', () => {
  it('VCI:M7 VCI:M8 VCI:M9 is what the metadata says of requests and responses', async () => {
    const { issuerUrl } = bench.stage.stack;
    const metadata = (await (
      await fetch(new URL('/.well-known/openid-credential-issuer', issuerUrl))
    ).json()) as Record<string, object>;
    expect(metadata['credential_request_encryption']).toMatchObject({ encryption_required: true });
    expect(metadata['credential_response_encryption']).toMatchObject({ encryption_required: true });
    expect(JSON.stringify(metadata)).not.toMatch(/"d":/);
  });

  it('VCI:E2 VCI:R15 refuses a plain request and a plain answer, and the offer stays open', async () => {
    const [offer, wallet] = [await bench.offer(), bench.createWallet()];
    const token = await wallet.token(offer);
    const refusal = { error: 'invalid_encryption_parameters', error_description: expect.any(String) as string };
    expect((await wallet.post('credential', token, await wallet.body())).json).toEqual(refusal);
    const jwe = await bench.encrypt(await wallet.body());
    const { status, json } = await wallet.post('credential', token, {}, ({ headers }) => ({
      body: jwe,
      headers: [['content-type', 'application/jwt'], ...headers.slice(1)],
    }));
    expect([status, json]).toEqual([400, refusal]);
    expect(await bench.remainsOf(offer)).toMatchObject({ status: 'OFFER_CREATED' });
  });
});

describe('KEEP_CLAIMS_UNTIL_EXPIRY=true', () => {
  it('VCI:P8 VCI:P4 lets a wallet of a third party fetch one credential per request, with one callback', async () => {
    const offer = await offerCredential(bench.stage);
    const wallet = bench.stage.createWallet();
    const { credentials } = await wallet.redeem(offer.uri, {
      encrypt: true,
      configurationIds: [TYPE_ID, TYPE_ID, TYPE_ID],
    });
    expect(new Set(credentials.map(({ compact }) => compact)).size).toBe(3);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
    const { body } = await bench.stage.management('GET', `/offers/${offer.offerId}`);
    expect(body['delivery']).toMatchObject({ state: 'accepted', handed_over_at: expect.any(String) });
    expect(await bench.remainsOf(offer)).toMatchObject({ status: 'ISSUED', held: ['session'] });
    await endIn(bench.stage, 0, offer.offerId);
    await until(async () => (await bench.remainsOf(offer)).held.length === 0);
    expect(await bench.remainsOf(offer)).toMatchObject({ status: 'ISSUED', held: [] });
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });
});

describe('a promise that leads nowhere, because other keys got the credential', () => {
  it('VCI:P8 VCI:F2 is kept no longer where claims are: each of two equal requests gets the same credential', async () => {
    const offer = await bench.offer({ deferred: true, claims: {} });
    const wallet = bench.createWallet();
    const token = await wallet.token(offer);
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), alg: 'ECDH-ES' };
    const wish = { credential_response_encryption: { jwk, enc: 'A256GCM' } };
    const ask = async (signer: Holder) => {
      const proofs = { jwt: [wallet.keyProof(await wallet.nonce(), { signer })] };
      const body = await bench.encrypt(await wallet.body({ ...wish, proofs }));
      const { status, text } = await wallet.post('credential', token, {}, ({ headers }) => ({
        body,
        headers: [['content-type', 'application/jwt'], ...headers.slice(1)],
      }));
      const { plaintext } = await compactDecrypt(text, privateKey);
      const answer = JSON.parse(Buffer.from(plaintext).toString('utf8')) as { credentials?: unknown };
      return { status, ...answer };
    };
    const [first, second] = [createHolder(), createHolder()];
    const promise = await ask(first);
    expect(promise).toMatchObject({ status: 202, transaction_id: expect.any(String) });
    expect(await ask(first)).toEqual(promise);
    await bench.stage.management('PATCH', `/offers/${offer.offerId}`, { claims: CLAIMS });
    const others = await ask(second);
    expect(others).toMatchObject({ status: 200, credentials: [expect.anything()] });
    const [own, again] = await Promise.all([ask(first), ask(first)]);
    expect(own).toMatchObject({ status: 200, credentials: [expect.anything()] });
    expect(again).toEqual(own);
    expect(own.credentials).not.toEqual(others.credentials);
    expect(await Promise.all([ask(first), ask(second)])).toEqual([own, others]);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });
});

describe('DEFERRED_NOTIFICATION_ID=false', () => {
  const noticeOf = async (offerId: string) =>
    (await bench.stage.management('GET', `/offers/${offerId}`)).body['notification'];

  it('18.3 leaves notification_id out of the answer with deferred credentials, and of no other', async () => {
    const wallet = bench.stage.createWallet();
    const later = await offerCredential(bench.stage, { deferred: true, claims: {} });
    const { deferred } = await wallet.redeem(later.uri, { encrypt: true });
    await bench.stage.management('PATCH', `/offers/${later.offerId}`, { claims: CLAIMS });
    expect(await deferred[0]?.collect()).toHaveLength(1);
    expect(await bench.stage.callbacksOf(later.offerId, 2)).toMatchObject([{}, { status: 'ISSUED' }]);
    expect(await noticeOf(later.offerId)).toBeUndefined();

    const atOnce = await offerCredential(bench.stage);
    await wallet.redeem(atOnce.uri, { encrypt: true });
    expect(await noticeOf(atOnce.offerId)).toMatchObject({ event: 'credential_accepted' });
  });
});
