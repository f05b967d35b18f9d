import { createSecret, sha256 } from '@vestibule/crypto';
import { encodeBase64url } from '@vestibule/foundation';
import { randomBytes } from 'node:crypto';
import type { OpenOffer } from '../../domain/credential-offer';
import { failedEvent, issuanceEvent } from '../../domain/issuance-event';
import type { UnservedWallet } from '../../domain/ports';
import { at, openStoreStage, redemptionOf, type StoreStage } from '../../testing/store.fixture-spec';
import { NOW } from '../../testing/issuer.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

type Named = Omit<UnservedWallet, 'millisecondsAgo'>;
const byId = ({ offerId }: OpenOffer): Named => ({ by: 'offer_id', name: offerId });
const byCode = (offer: OpenOffer): Named => ({
  by: 'code_digest',
  name: encodeBase64url(sha256(offer.preAuthorizedCode)),
});
const byToken = (token: string): Named => ({ by: 'token_digest', name: encodeBase64url(sha256(token)) });
const mark = (named: readonly Named[], now = NOW, millisecondsAgo = 0) =>
  stage.store.markUnserved(
    named.map((one) => ({ ...one, millisecondsAgo })),
    now,
  );
const isMarked = async (offer: OpenOffer) => (await stage.row(offer))['unserved_at'] !== null;

async function redeemed() {
  const [offer, token] = [await stage.insert(), createSecret(randomBytes)];
  expect(await stage.store.redeem(redemptionOf(offer, { tokenDigest: sha256(token) }))).toBe('redeemed');
  return { offer, token };
}

describe('an offer whose credential could not be signed', () => {
  it('is marked once, and FAILED with the code of that when its time is over; its wallet may come back before', async () => {
    const { offer } = await redeemed();
    await stage.store.markUnsigned(offer.offerId, NOW);
    await stage.store.markUnsigned(offer.offerId, at(1));
    expect(await stage.row(offer)).toMatchObject({ unsigned_at: NOW, status: 'OFFER_CREATED' });
    const overdue = await stage.store.findOverdue(at(3_600), 10);
    expect(overdue).toEqual([{ offerId: offer.offerId, wasUnserved: true, wasUnsigned: true }]);
    const event = failedEvent(offer.offerId, 'signer_unavailable', 'x');
    expect(await stage.store.expire([{ offerId: offer.offerId, event }], at(3_600))).toBe(1);
    expect(await stage.row(offer)).toMatchObject({ status: 'FAILED' });
  });

  it('is not marked after its end, and no longer after its claims were supplied again', async () => {
    const [ended, deferred] = [await stage.insert(), await stage.insert({ deferral: 'ready', expiresAt: at(10) })];
    await stage.store.cancel(ended.offerId, failedEvent(ended.offerId, 'offer_cancelled', 'x'), NOW);
    for (const { offerId } of [ended, deferred]) await stage.store.markUnsigned(offerId, NOW);
    expect((await stage.row(ended))['unsigned_at']).toBeNull();
    expect(await stage.store.completeClaims(deferred.offerId, {}, NOW)).toBe(true);
    expect(await stage.store.findOverdue(at(20), 10)).toEqual([{ offerId: deferred.offerId, wasUnserved: false }]);
  });
});

describe('an offer whose wallet could not be served', () => {
  it.each([
    ['its id', byId],
    ['its code', byCode],
  ])('is marked by %s, once, and stays open', async (_what, name) => {
    const offer = await stage.insert();
    expect([await mark([name(offer), name(offer)]), await mark([name(offer)])]).toEqual([1, 0]);
    expect(await stage.row(offer)).toMatchObject({ unserved_at: NOW, status: 'OFFER_CREATED' });
    expect(await stage.store.redeem(redemptionOf(offer))).toBe('redeemed');
    expect(await isMarked(offer)).toBe(false);
  });

  it('is marked by its token, and by its code where the answer with the token was lost', async () => {
    const [first, second] = [await redeemed(), await redeemed()];
    expect(await mark([byToken(first.token), byCode(second.offer)])).toBe(2);
    expect([await isMarked(first.offer), await isMarked(second.offer)]).toEqual([true, true]);
  });

  it('is not marked by its id once its code was redeemed: that step is done', async () => {
    const { offer } = await redeemed();
    expect(await mark([byId(offer)])).toBe(0);
  });

  it('is not marked when it has ended, nor for a wallet that came after its time', async () => {
    const [ended, over] = [await stage.insert(), await stage.insert({ expiresAt: at(-5) })];
    await stage.store.cancel(ended.offerId, failedEvent(ended.offerId, 'offer_cancelled', 'x'), NOW);
    expect(await mark([byId(ended), byCode(ended)])).toBe(0);
    expect(await mark([byId(over)], NOW, 4_000)).toBe(0);
    expect(await mark([byId(over)], NOW, 6_000)).toBe(1);
    expect(await stage.store.findOverdue(NOW, 10)).toEqual([{ offerId: over.offerId, wasUnserved: true }]);
  });

  it('is left to the next sweep when it is marked while its end is prepared', async () => {
    const offer = await stage.insert({ expiresAt: NOW });
    const [found] = await stage.store.findOverdue(NOW, 10);
    await mark([byId(offer)], NOW, 1);
    const ending = { offerId: offer.offerId, event: issuanceEvent(offer.offerId, 'EXPIRED') };
    expect([found?.wasUnserved, await stage.store.expire([ending], NOW)]).toEqual([false, 0]);
    expect(await stage.store.findOverdue(NOW, 10)).toEqual([{ offerId: offer.offerId, wasUnserved: true }]);
  });

  it.each(['', 'no id', '../../etc', createSecret(randomBytes)])('is not found by %j', async (name) => {
    await redeemed();
    for (const by of ['offer_id', 'code_digest', 'token_digest'] as const) expect(await mark([{ by, name }])).toBe(0);
  });

  it('is nobody to blame for while the backend has given no claims', async () => {
    const offer = await stage.insert({ deferral: 'waiting', expiresAt: at(10) });
    expect(await mark([byId(offer)])).toBe(1);
    expect(await stage.store.findOverdue(at(20), 10)).toEqual([{ offerId: offer.offerId, wasUnserved: false }]);
    expect(await stage.store.completeClaims(offer.offerId, {}, NOW)).toBe(true);
    expect(await isMarked(offer)).toBe(false);
  });

  it('is marked once however many gateways report it, in whatever order', async () => {
    const offers = await Promise.all(Array.from({ length: 40 }, () => stage.insert()));
    const names = offers.flatMap((offer) => [byId(offer), byCode(offer)]);
    const reports = Array.from({ length: 8 }, (_, turn) => mark(turn % 2 === 0 ? names : [...names].reverse()));
    expect((await Promise.all(reports)).reduce((sum, count) => sum + count, 0)).toBe(40);
  });
});
