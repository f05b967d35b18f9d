import { issuanceEvent } from '@vestibule/contracts';
import { ServerRefusal } from '@vestibule/demo-wallet';
import { CLAIMS, offerCredential } from './flows';
import { joinStage, type SharedStage } from './stage';

let stage: SharedStage;
beforeAll(async () => {
  stage = await joinStage();
});
afterAll(() => stage?.stop());

const refusal = (error: string) => expect.objectContaining({ error });

describe('issuance to a wallet of a third party', () => {
  it('C:1.4 C:2.64 C:2.66 C:3.24 C:3.25 C:3.26 C:6.3 C:6.4 VCI:F12 ends as ISSUED, with OFFER_CREATED before it and nothing after it', async () => {
    const offer = await offerCredential(stage);
    expect(offer.txCode).toBeUndefined();
    const [credential] = await stage.createWallet().redeemOffer(offer.uri);
    expect(credential).toBeDefined();
    const events = await stage.callbacksOf(offer.offerId, 2);
    expect(events).toEqual([
      { eventId: offer.offerId, status: 'OFFER_CREATED', offerId: offer.offerId },
      { eventId: offer.offerId, status: 'ISSUED', offerId: offer.offerId },
    ]);
    for (const event of events) expect(issuanceEvent.safeParse(event).success).toBe(true);
  });

  it('VCI:V18 is not offered with more disclosures than a credential may have: 400 that names the bound', async () => {
    const offered = (count: number) =>
      stage.management('POST', '/offers', {
        credential_configuration_id: 'identity-card',
        claims: { given_name: 'Ada', family_name: 'Example', nationalities: Array.from({ length: count }, () => 'DE') },
      });
    // Besides the elements: both names, and the array itself.
    expect((await offered(497)).status).toBe(201);
    const refused = await offered(498);
    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request']);
    expect(refused.body['errors']).toEqual([{ path: 'claims', message: expect.stringContaining('500') as string }]);
  });

  it('C:2.55 C:2.57 C:8.4 takes the right transaction code', async () => {
    const offer = await offerCredential(stage, { tx_code: { length: 8 } });
    expect(offer.txCode).toMatch(/^\d{8}$/);
    await stage.createWallet().redeemOffer(offer.uri, { txCode: offer.txCode as string });
    expect((await stage.callbacksOf(offer.offerId, 2)).map(({ status }) => status)).toEqual([
      'OFFER_CREATED',
      'ISSUED',
    ]);
  });

  it('C:5.14 VCI:T6 answers a missing code with invalid_request and a wrong one with invalid_grant; the right one still works', async () => {
    const offer = await offerCredential(stage, { tx_code: {} });
    const wallet = stage.createWallet();
    const withoutCode = wallet.redeemOffer(offer.uri, {
      txCode: '1',
      faults: { tokenRequest: (form) => void form.delete('tx_code') },
    });
    await expect(withoutCode).rejects.toMatchObject(refusal('invalid_request'));
    const wrong = offer.txCode === '000000' ? '000001' : '000000';
    await expect(wallet.redeemOffer(offer.uri, { txCode: wrong })).rejects.toMatchObject(refusal('invalid_grant'));
    await wallet.redeemOffer(offer.uri, { txCode: offer.txCode as string });
    expect((await stage.callbacksOf(offer.offerId, 2)).map(({ status }) => status)).toEqual([
      'OFFER_CREATED',
      'ISSUED',
    ]);
  });

  it('17.13 tells the wallet what its user can do about a transaction code', async () => {
    const offer = await offerCredential(stage, { tx_code: {} });
    const wallet = stage.createWallet();
    const wrong = offer.txCode === '000000' ? '000001' : '000000';
    const told = async (redeeming: Promise<unknown>) => {
      const refused: unknown = await redeeming.catch((error: unknown) => error);
      if (!(refused instanceof ServerRefusal)) throw new Error('it was not refused');
      return refused.body();
    };
    expect(await told(wallet.redeemOffer(offer.uri, { txCode: wrong }))).toEqual({
      error: 'invalid_grant',
      error_description: 'the transaction code is wrong: it may be entered again',
    });
    const tokenRequest = (form: URLSearchParams) => form.delete('tx_code');
    expect(await told(wallet.redeemOffer(offer.uri, { txCode: '1', faults: { tokenRequest } }))).toEqual({
      error: 'invalid_request',
      error_description: 'a transaction code is required: send it as tx_code',
    });
    const plain = await offerCredential(stage);
    const added = (form: URLSearchParams) => form.set('tx_code', '123456');
    expect(await told(wallet.redeemOffer(plain.uri, { faults: { tokenRequest: added } }))).toEqual({
      error: 'invalid_request',
      error_description: 'this offer has no transaction code: repeat the request without tx_code',
    });
    await wallet.redeemOffer(plain.uri);
  });

  it('C:3.28 C:3.29 C:3.34 C:6.4 C:7.5 VCI:T10 ends as FAILED with a reason after five wrong transaction codes, also for the right code then', async () => {
    const offer = await offerCredential(stage, { tx_code: {} });
    const wallet = stage.createWallet();
    const wrong = offer.txCode === '000000' ? '000001' : '000000';
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await expect(wallet.redeemOffer(offer.uri, { txCode: wrong })).rejects.toBeInstanceOf(ServerRefusal);
    }
    await expect(wallet.redeemOffer(offer.uri, { txCode: offer.txCode as string })).rejects.toBeDefined();
    const [, failed, ...more] = await stage.callbacksOf(offer.offerId, 2);
    expect(more).toEqual([]);
    expect(failed).toEqual({
      eventId: offer.offerId,
      status: 'FAILED',
      offerId: offer.offerId,
      errorDetails: expect.stringMatching(/^tx_code_attempts_exceeded: /),
    });
    expect(issuanceEvent.safeParse(failed).success).toBe(true);
  });

  it('C:3.31 C:3.32 C:3.34 C:6.4 C:7.6 VCI:T9 ends as EXPIRED without errorDetails when no wallet comes in time', async () => {
    const offer = await offerCredential(stage, { expires_in: 1 });
    const events = await stage.callbacksOf(offer.offerId, 2);
    expect(events[1]).toEqual({ eventId: offer.offerId, status: 'EXPIRED', offerId: offer.offerId });
    await expect(stage.createWallet().redeemOffer(offer.uri)).rejects.toBeDefined();
    const view = await stage.management('GET', `/offers/${offer.offerId}`);
    expect(view.body).toMatchObject({ offer_id: offer.offerId, status: 'EXPIRED' });
  });

  it('gives one credential for each key of a batch', async () => {
    const offer = await offerCredential(stage);
    const credentials = await stage.createWallet().redeemOffer(offer.uri, { batch: 3 });
    expect(credentials).toHaveLength(3);
  });

  it.each([
    ['C:4.8 VCI:J10 a random nonce', { nonce: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }, 'invalid_nonce'],
    [
      'C:7.8 VCI:J8 a proof for another audience',
      { proof: { payload: { aud: 'https://other.example' } } },
      'invalid_proof',
    ],
    ['VCI:J7 a proof with a broken signature', { proof: { tamperSignature: true } }, 'invalid_proof'],
    ['C:5.13 VCI:D12 a DPoP proof with another key', { credentialDpop: 'other_key' as const }, 'invalid_token'],
    ['VCI:D11 a DPoP proof without ath', { credentialDpop: { payload: { ath: undefined } } }, 'invalid_dpop_proof'],
    ['C:4.7 VCI:T16 no DPoP proof at the token endpoint', { tokenDpop: 'none' as const }, 'invalid_dpop_proof'],
  ])('%s is refused and leaves the offer open', async (_what, faults, error) => {
    const offer = await offerCredential(stage);
    const wallet = stage.createWallet();
    await expect(wallet.redeemOffer(offer.uri, { faults })).rejects.toMatchObject(refusal(error));
    expect((await stage.management('GET', `/offers/${offer.offerId}`)).body).toMatchObject({ status: 'OFFER_CREATED' });
  });

  it('VCI:T8 VCI:P9 of 20 wallets with one code, one gets the credential, and the backend hears it once', async () => {
    const offer = await offerCredential(stage);
    const attempts = Array.from({ length: 20 }, () => stage.createWallet().redeemOffer(offer.uri));
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await stage.callbacksOf(offer.offerId, 2)).map(({ status }) => status)).toEqual([
      'OFFER_CREATED',
      'ISSUED',
    ]);
  });

  it('VCI:D10 VCI:T8 a token request is taken once: to get the same token again takes a new proof', async () => {
    const offer = await offerCredential(stage);
    const twice = stage.createWallet().redeemOffer(offer.uri, { faults: { repeat: 'token' } });
    await expect(twice).rejects.toMatchObject(refusal('invalid_dpop_proof'));
  });

  it('VCI:P8 the very same credential request after ISSUED is refused: to get the answer again takes a new proof', async () => {
    const offer = await offerCredential(stage);
    const twice = stage.createWallet().redeemOffer(offer.uri, { faults: { repeat: 'credential' } });
    await expect(twice).rejects.toMatchObject({
      error: 'invalid_dpop_proof',
    });
    expect((await stage.callbacksOf(offer.offerId, 2)).map(({ status }) => status)).toEqual([
      'OFFER_CREATED',
      'ISSUED',
    ]);
  });
});

describe('POST /offers', () => {
  it('C:2.52 refuses an unknown type with unknown_credential_configuration', async () => {
    const answer = await stage.management('POST', '/offers', { credential_configuration_id: 'nothing', claims: {} });
    expect([answer.status, answer.body['code']]).toEqual([400, 'unknown_credential_configuration']);
    // 17.13: it lists those that there are.
    expect(answer.body['errors']).toEqual([
      { path: 'credential_configuration_id', message: expect.stringContaining('which has: ') as string },
    ]);
    expect(JSON.stringify(answer.body['errors'])).toContain('identity-card');
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it('lists every fault of a body by its path', async () => {
    const body = {
      credential_configuration_id: 'identity-card',
      claims: { ...CLAIMS, given_name: undefined, shoe_size: 44, iss: 'https://other.example' },
      expiresIn: 5,
      tx_code: { length: 99 },
    };
    const answer = await stage.management('POST', '/offers', body);
    const paths = (answer.body['errors'] as { path: string }[]).map(({ path }) => path).sort();
    expect(paths).toEqual(['claims.given_name', 'claims.iss', 'claims.shoe_size', 'expiresIn', 'tx_code.length']);
  });

  it('answers the same to the same Idempotency-Key, and 409 to another body', async () => {
    const headers = { 'idempotency-key': 'a'.repeat(40) };
    const body = { credential_configuration_id: 'identity-card', claims: CLAIMS };
    const [first, again] = [
      await stage.management('POST', '/offers', body, headers),
      await stage.management('POST', '/offers', body, headers),
    ];
    expect(again.body).toEqual(first.body);
    const other = await stage.management('POST', '/offers', { ...body, expires_in: 100 }, headers);
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
  });
});
