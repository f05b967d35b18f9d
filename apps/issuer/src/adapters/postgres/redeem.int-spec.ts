import { randomBytes } from 'node:crypto';
import { createSealer, sha256 } from '@vestibule/crypto';
import { resealRecords } from '@vestibule/persistence';
import type { OpenOffer } from '../../domain/credential-offer';
import { failedEvent, issuanceEvent } from '../../domain/issuance-event';
import {
  at,
  completionOf,
  OFFER_SECONDS,
  openStoreStage,
  redemptionOf,
  TX_CODE,
  type StoreStage,
} from '../../testing/store.fixture-spec';
import { NOW, TYPE_ID } from '../../testing/issuer.fixture-spec';
import { SEALED } from './sealed-columns';

jest.setTimeout(180_000);

const WRONG = '000000';
const nothing = () => undefined;
let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const redeem = (offer: OpenOffer, txCode?: string) => stage.store.redeem(redemptionOf(offer, { txCode }));
const times = (count: number, run: () => Promise<string>) => Promise.all(Array.from({ length: count }, run));
const countOf = (outcomes: readonly string[], wanted: string) => outcomes.filter((one) => one === wanted).length;

describe('the code of an offer without transaction code', () => {
  it('VCI:T8 is redeemed by exactly one of 20 parallel requests', async () => {
    const offer = await stage.insert();
    const outcomes = await times(20, () => redeem(offer));
    expect(countOf(outcomes, 'redeemed')).toBe(1);
    expect(countOf(outcomes, 'gone')).toBe(19);
    expect(
      await stage.database.query('SELECT 1 AS token FROM issuer.access_token WHERE code_digest IS NOT NULL'),
    ).toHaveLength(1);
    expect(await stage.row(offer)).toMatchObject({ status: 'OFFER_CREATED', tx_code_attempts: 0 });
  });

  it('VCI:T5 is gone once it was used, and the token stays good: VCI:T20', async () => {
    const offer = await stage.insert();
    const redemption = redemptionOf(offer);
    expect(await stage.store.redeem(redemption)).toBe('redeemed');
    expect(await redeem(offer)).toBe('gone');
    expect(await stage.store.findRedeemable(sha256(offer.preAuthorizedCode), NOW)).toBeUndefined();
    expect(await stage.store.findGrant(redemption.tokenDigest, NOW, [])).toMatchObject({ offerId: offer.offerId });
  });

  it('VCI:T9 dies with the offer', async () => {
    const offer = await stage.insert();
    const digest = sha256(offer.preAuthorizedCode);
    expect(await stage.store.findRedeemable(digest, at(OFFER_SECONDS - 1))).toEqual({
      offerId: offer.offerId,
      configurationId: TYPE_ID,
      hasTxCode: false,
      isDeferred: false,
      expiresAt: offer.expiresAt,
    });
    expect(await stage.store.findRedeemable(digest, at(OFFER_SECONDS))).toBeUndefined();
    expect(await stage.store.redeem(redemptionOf(offer, { now: at(OFFER_SECONDS) }))).toBe('gone');
  });

  it.each(['cancelled', 'failed', 'expired', 'over', 'issued'])(
    'VCI:T5 VCI:T9 VCI:T20 gives its token again only while that is of use: the offer is %s',
    async (end) => {
      const offer = await stage.insert();
      const { offerId } = offer;
      const requestDigest = sha256('a request');
      const keptToken = { requestDigest, sealed: sha256('sealed'), expiresAt: at(OFFER_SECONDS + 30) };
      const redemption = redemptionOf(offer, { keptToken, tokenExpiresAt: at(OFFER_SECONDS + 30) });
      expect(await stage.store.redeem(redemption)).toBe('redeemed');
      const find = (now = NOW) => stage.store.findGivenToken(redemption.codeDigest, requestDigest, now);
      expect(await find(at(OFFER_SECONDS - 1))).toMatchObject({ offerId, configurationId: TYPE_ID });
      const failed = failedEvent(offerId, 'signing_failed', 'text');
      if (end === 'cancelled') await stage.store.cancel(offerId, failed, NOW);
      if (end === 'failed') await stage.store.fail(offerId, failed, NOW);
      if (end === 'issued') await stage.store.complete(completionOf(offer));
      if (end === 'expired')
        await stage.store.expire([{ offerId, event: issuanceEvent(offerId, 'EXPIRED') }], at(OFFER_SECONDS));
      const found = await find(end === 'over' ? at(OFFER_SECONDS) : NOW);
      expect(found?.offerId).toBe(end === 'issued' ? offerId : undefined);
    },
  );

  it('VCI:T5 is not found for another text', async () => {
    await stage.insert();
    expect(await stage.store.findRedeemable(sha256('a guess'), NOW)).toBeUndefined();
  });
});

describe('the transaction code of an offer', () => {
  it('VCI:T10 allows at most five of 20 parallel wrong tries, then the offer has FAILED once and for all', async () => {
    const offer = await stage.insert({}, TX_CODE);
    const outcomes = await times(20, () => redeem(offer, WRONG));
    expect(countOf(outcomes, 'wrong_tx_code')).toBe(4);
    expect(countOf(outcomes, 'ended')).toBe(1);
    expect(countOf(outcomes, 'gone')).toBe(15);
    expect(await stage.row(offer)).toMatchObject({
      status: 'FAILED',
      tx_code_attempts: 5,
      session: null,
      code_digest: null,
      tx_code_digest: null,
      redeemed_at: null,
      finished_at: NOW,
    });
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'FAILED']);
    expect(await redeem(offer, TX_CODE)).toBe('gone');
    expect(
      await stage.database.query('SELECT 1 AS token FROM issuer.access_token WHERE code_digest IS NOT NULL'),
    ).toHaveLength(0);
  });

  it('VCI:T10 opens the offer on the fifth try when that one is right', async () => {
    const offer = await stage.insert({}, TX_CODE);
    for (let attempt = 1; attempt <= 4; attempt += 1) expect(await redeem(offer, WRONG)).toBe('wrong_tx_code');
    expect(await redeem(offer, TX_CODE)).toBe('redeemed');
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED']);
    expect(await stage.row(offer)).toMatchObject({ tx_code_attempts: 4, redeemed_at: NOW });
  });

  it('VCI:T10 is not counted after the code was redeemed', async () => {
    const offer = await stage.insert({}, TX_CODE);
    expect(await redeem(offer, TX_CODE)).toBe('redeemed');
    expect(await times(6, () => redeem(offer, WRONG))).toEqual(Array.from({ length: 6 }, () => 'gone'));
    expect(await stage.row(offer)).toMatchObject({ status: 'OFFER_CREATED', tx_code_attempts: 0 });
  });

  it('VCI:T10 wins against parallel wrong tries or loses, but never both', async () => {
    const offer = await stage.insert({}, TX_CODE);
    const outcomes = await Promise.all([
      ...Array.from({ length: 10 }, () => redeem(offer, WRONG)),
      redeem(offer, TX_CODE),
    ]);
    const [redeemed, ended] = [countOf(outcomes, 'redeemed'), countOf(outcomes, 'ended')];
    expect(redeemed + ended).toBe(1);
    expect((await stage.statuses(offer)).filter((status) => status === 'FAILED')).toHaveLength(ended);
  });

  it('VCI:T6 counts a try without one as wrong', async () => {
    const offer = await stage.insert({}, TX_CODE);
    expect(await stage.store.findRedeemable(sha256(offer.preAuthorizedCode), NOW)).toMatchObject({ hasTxCode: true });
    expect(await redeem(offer)).toBe('wrong_tx_code');
  });

  it('VCI:T11 is recognised when the offer was re-sealed and the old sealing key is gone', async () => {
    const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
    const offer = await stage.insert({}, TX_CODE, stage.storeWith([oldKey]));
    const sealer = createSealer([newKey, oldKey], randomBytes);
    const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
    const resealed = await resealRecords({ database: stage.database, registry: SEALED, sealer, logger });
    expect(resealed).toMatchObject({ broken: 0, left: 0 });
    const rotated = stage.storeWith([newKey]);
    expect(await rotated.findOpen(offer.offerId, NOW)).toMatchObject({ claims: offer.claims });
    expect(await rotated.redeem(redemptionOf(offer, { txCode: WRONG }))).toBe('wrong_tx_code');
    expect(await rotated.redeem(redemptionOf(offer, { txCode: TX_CODE }))).toBe('redeemed');
  });

  it('VCI:T11 is compared under a key of its own that nobody outside the sealed offer gets', async () => {
    const offer = await stage.insert({}, TX_CODE);
    expect(Object.keys((await stage.store.findOpen(offer.offerId, NOW)) ?? {}).sort()).toEqual([
      'claims',
      'configurationId',
      'createdAt',
      'expiresAt',
      'offerId',
      'preAuthorizedCode',
      'txCode',
    ]);
  });

  it('VCI:T11 of one offer does not open another', async () => {
    await stage.insert({}, TX_CODE);
    const other = await stage.insert({}, '111111');
    expect(await redeem(other, TX_CODE)).toBe('wrong_tx_code');
  });
});
