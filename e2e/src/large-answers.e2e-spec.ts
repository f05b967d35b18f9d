import { CLAIMS, offerCredential } from './flows';
import { startIssuanceBench, type IssuanceBench } from './issuance-bench';

let bench: IssuanceBench;
beforeAll(async () => {
  bench = await startIssuanceBench({ environment: { issuer: { BATCH_SIZE: '40' } } });
});
afterAll(() => bench?.stop());

/** Claims with a portrait, or what is as large as one. */
const claimsWith = (bytes: number) => ({ ...CLAIMS, given_name: 'x'.repeat(bytes) });
const offerWith = (claims: object, extra: object = {}) =>
  bench.stage.management('POST', '/offers', { credential_configuration_id: 'identity-card', claims, ...extra });

describe('an answer that is larger than the bus carries', () => {
  it('is refused at POST /offers where the claims times BATCH_SIZE show it, and the bound is named', async () => {
    const { status, body } = await offerWith(claimsWith(60_000));
    expect([status, body['code']]).toEqual([400, 'invalid_request']);
    expect(JSON.stringify(body)).toMatch(/must have at most \d{5} bytes: .*BATCH_SIZE.* 1995904 bytes/);
    expect(JSON.stringify(body)).not.toContain('xxxxxx');
  });

  it('is refused at PATCH /offers, too, and the offer stays open', async () => {
    const { body } = await offerWith({}, { deferred: true });
    const changed = await bench.stage.management('PATCH', `/offers/${String(body['offer_id'])}`, {
      claims: claimsWith(60_000),
    });
    expect([changed.status, changed.body['code']]).toEqual([400, 'invalid_request']);
    const view = await bench.stage.management('GET', `/offers/${String(body['offer_id'])}`);
    expect(view.body).toMatchObject({ status: 'OFFER_CREATED', deferral: 'waiting' });
  });

  it('VCI:V3 ends the offer as FAILED, never as ISSUED, where only the finished answer shows it', async () => {
    const offer = await offerCredential(bench.stage, { claims: claimsWith(30_000) });
    const tried = bench.stage.createWallet().redeemOffer(offer.uri, { batch: 40, encrypt: true, typeMetadata: false });
    await expect(tried).rejects.toMatchObject({ status: 400, error: 'credential_request_denied' });
    const [created, ended] = await bench.stage.callbacksOf(offer.offerId, 2);
    expect([created?.['status'], ended?.['status']]).toEqual(['OFFER_CREATED', 'FAILED']);
    expect(ended?.['errorDetails']).toMatch(
      /^credential_answer_too_large: the answer with 40 credentials has \d{7} bytes/,
    );
    expect(await bench.remainsOf(offer)).toMatchObject({ status: 'FAILED', held: [] });
  });

  it('is given where it fits: one of the same credentials, encrypted', async () => {
    const offer = await offerCredential(bench.stage, { claims: claimsWith(30_000) });
    const wallet = bench.stage.createWallet();
    expect(await wallet.redeemOffer(offer.uri, { encrypt: true, typeMetadata: false })).toHaveLength(1);
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });
});
