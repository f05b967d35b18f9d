import { randomBytes } from 'node:crypto';
import { createSecret, sha256 } from '@vestibule/crypto';
import type { VerifiedNonce } from '@vestibule/oauth';
import { tokenKey } from '../../domain/access-token';
import type { OpenOffer } from '../../domain/credential-offer';
import { failedEvent, issuanceEvent } from '../../domain/issuance-event';
import { expireCredentialOffers } from '../../use-cases/expire-credential-offers';
import { CLAIMS, NOW, TYPE_ID } from '../../testing/issuer.fixture-spec';
import {
  at,
  completionOf,
  OFFER_SECONDS,
  openStoreStage,
  readBy,
  redemptionOf,
  TX_CODE,
  type StoreStage,
} from '../../testing/store.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const nonce = (): VerifiedNonce => ({ digest: sha256(createSecret(randomBytes)), expiresAt: at(300) });
const complete = ({ offerId }: OpenOffer, nonces: readonly VerifiedNonce[] = [nonce()], now = NOW) =>
  stage.store.complete(completionOf({ offerId }, { nonces, now }));
const fail = ({ offerId }: OpenOffer, now = NOW) =>
  stage.store.fail(offerId, failedEvent(offerId, 'signing_failed', 'text'), now);
const expire = (offers: readonly OpenOffer[], now: Date) =>
  stage.store.expire(
    offers.map(({ offerId }) => ({ offerId, event: issuanceEvent(offerId, 'EXPIRED') })),
    now,
  );
const parallel = <T>(times: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => run(index)));
const countOf = (outcomes: readonly unknown[], wanted: unknown) => outcomes.filter((one) => one === wanted).length;
const WIPED = { session: null, code_digest: null, tx_code_digest: null };

describe('completing an offer', () => {
  it('VCI:P9 lets one of 10 parallel requests win, with one event and nothing left of the session', async () => {
    const offer = await stage.insert({}, TX_CODE);
    const outcomes = await parallel(10, () => complete(offer));
    expect([countOf(outcomes, 'issued'), countOf(outcomes, 'ended')]).toEqual([1, 9]);
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
    expect(await stage.row(offer)).toMatchObject({ status: 'ISSUED', finished_at: NOW, ...WIPED });
  });

  it.each<[string, (offer: OpenOffer) => Promise<unknown>]>([
    ['ISSUED', (offer) => complete(offer)],
    ['FAILED', (offer) => fail(offer)],
    ['EXPIRED', (offer) => expire([offer], at(OFFER_SECONDS))],
  ])('leaves nothing that only an open offer is asked for once it is %s', async (status, end) => {
    const offer = await stage.insert({}, TX_CODE);
    expect(await stage.store.redeem(redemptionOf(offer, { txCode: TX_CODE }))).toBe('redeemed');
    expect(await stage.row(offer)).toMatchObject({ redeemed_at: NOW });
    await end(offer);
    expect(await stage.row(offer)).toMatchObject({ status, redeemed_at: null, ...WIPED });
  });

  it('VCI:N4 refuses a used nonce and leaves the offer open for another', async () => {
    const [first, second] = [await stage.insert(), await stage.insert()];
    const used = nonce();
    expect(await complete(first, [used])).toBe('issued');
    expect(await complete(second, [used])).toBe('nonce_used');
    expect(await complete(second, [nonce(), used])).toBe('nonce_used');
    expect(await stage.row(second)).toMatchObject({ status: 'OFFER_CREATED', finished_at: null });
    expect(await stage.statuses(second)).toEqual(['OFFER_CREATED']);
    expect(await complete(second, [nonce(), nonce()])).toBe('issued');
  });

  it('VCI:N4 lets one nonce complete one of 10 offers in parallel', async () => {
    const offers = await parallel(10, () => stage.insert());
    const shared = nonce();
    const outcomes = await Promise.all(offers.map((offer) => complete(offer, [shared])));
    expect([countOf(outcomes, 'issued'), countOf(outcomes, 'nonce_used')]).toEqual([1, 9]);
    expect((await stage.events()).filter(({ event }) => event.status === 'ISSUED')).toHaveLength(1);
  });

  it('never waits in a circle when requests bring the same nonces in different orders', async () => {
    const offers = await parallel(20, () => stage.insert());
    const nonces = Array.from({ length: 20 }, nonce);
    const outcomes = await Promise.all(
      offers.map((offer, index) => complete(offer, index % 2 === 0 ? nonces : [...nonces].reverse())),
    );
    expect([countOf(outcomes, 'issued'), countOf(outcomes, 'nonce_used')]).toEqual([1, 19]);
  });

  it.each([
    [1, 0],
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 2],
  ])('with %d nonces marks its %d status list entries as issued, and no other', async (nonces, entries) => {
    const [offer, refused] = [await stage.insert(), await stage.insert()];
    const used = nonce();
    expect(await complete(await stage.insert(), [used])).toBe('issued');
    const reserve = (idx: number) =>
      stage.database.query(`INSERT INTO issuer.status_entry (list_number, idx, expires_at, is_issued) VALUES
        (7, ${idx}, now(), false), (8, ${idx}, now(), false)`);
    for (const idx of [1, 2, 3]) await reserve(idx);
    const own = [1, 2, 3].slice(0, entries).map((idx) => ({ listNumber: 7, uri: 'unused', idx }));
    const finish = ({ offerId }: OpenOffer, spent: readonly VerifiedNonce[]) =>
      stage.store.complete(completionOf({ offerId }, { nonces: spent, entries: own }));
    const marked = () =>
      stage.database.query('SELECT list_number, idx FROM issuer.status_entry WHERE is_issued ORDER BY idx');
    const fresh = Array.from({ length: nonces - 1 }, nonce);
    expect(await finish(refused, [...fresh, used])).toBe('nonce_used');
    expect(await marked()).toEqual([]);
    expect(await finish(offer, Array.from({ length: nonces }, nonce))).toBe('issued');
    expect(await marked()).toEqual(own.map(({ idx }) => ({ list_number: 7, idx })));
  });

  it('is not possible at the end of its time, nor after it ended otherwise', async () => {
    const [late, failed] = [await stage.insert(), await stage.insert()];
    expect(await complete(late, [nonce()], at(OFFER_SECONDS))).toBe('ended');
    expect(await fail(failed)).toBe(true);
    expect(await complete(failed)).toBe('ended');
    expect(await stage.statuses(failed)).toEqual(['OFFER_CREATED', 'FAILED']);
  });
});

describe('failing and expiring', () => {
  it('ends an offer as FAILED once, with one event', async () => {
    const offer = await stage.insert({}, TX_CODE);
    const won = await parallel(10, () => fail(offer));
    expect(countOf(won, true)).toBe(1);
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'FAILED']);
    expect(await stage.row(offer)).toMatchObject({ status: 'FAILED', ...WIPED });
  });

  it('expires what is overdue and nothing else, with one event each and nothing left of the session', async () => {
    const [overdue, open, issued] = [
      await stage.insert({}, TX_CODE),
      await stage.insert({ expiresAt: at(900) }),
      await stage.insert(),
    ];
    await complete(issued);
    const now = at(OFFER_SECONDS);
    expect(await stage.store.findOverdue(at(OFFER_SECONDS - 1), 10)).toEqual([]);
    expect(await stage.store.findOverdue(now, 10)).toEqual([{ offerId: overdue.offerId, wasUnserved: false }]);
    expect(await expire([overdue, open, issued], now)).toBe(1);
    expect(await expire([overdue, open, issued], now)).toBe(0);
    expect(await stage.statuses(overdue)).toEqual(['OFFER_CREATED', 'EXPIRED']);
    expect(await stage.statuses(open)).toEqual(['OFFER_CREATED']);
    expect(await stage.statuses(issued)).toEqual(['OFFER_CREATED', 'ISSUED']);
    expect(await stage.row(overdue)).toMatchObject({ status: 'EXPIRED', finished_at: now, ...WIPED });
  });

  it('gives each of 20 offers exactly one end when completing, failing and two sweeps race', async () => {
    const offers = await parallel(20, () => stage.insert());
    const [now, justBefore] = [at(OFFER_SECONDS), at(OFFER_SECONDS - 1)];
    const completions = offers.map((offer) => complete(offer, [nonce()], justBefore));
    const failures = offers.slice(0, 10).map((offer) => fail(offer, now));
    const sweeps = [expire(offers, now), expire([...offers].reverse(), now)];
    const issued = countOf(await Promise.all(completions), 'issued');
    const failed = countOf(await Promise.all(failures), true);
    const expired = (await Promise.all(sweeps)).reduce((sum, one) => sum + one, 0);
    expect(issued + failed + expired).toBe(20);
    const ends = (await stage.events()).filter(({ event }) => event.status !== 'OFFER_CREATED');
    expect(new Set(ends.map(({ subject }) => subject)).size).toBe(20);
    expect(ends).toHaveLength(20);
  });

  it('shares 1,500 overdue offers among four sweeps at once without one event too many', async () => {
    for (let batch = 0; batch < 15; batch += 1) await parallel(100, () => stage.insert());
    const sweep = expireCredentialOffers({
      rest: async () => undefined,
      clock: () => at(OFFER_SECONDS),
      agreedTime: () => Promise.resolve(at(OFFER_SECONDS)),
      findOverdue: (now, limit) => stage.store.findOverdue(now, limit),
      expire: (endings, now) => stage.store.expire(endings, now),
    });
    const swept = await parallel(4, () => sweep());
    expect(swept.reduce((sum, expired) => sum + expired, 0)).toBe(1_500);
    const ends = await stage.database.query('SELECT 1 AS one FROM issuer.callback');
    expect(ends).toHaveLength(3_000);
  });
});

describe('what an access token grants', () => {
  const granted = [{ configurationId: TYPE_ID, credentialIdentifier: TYPE_ID }];

  async function redeemed() {
    const offer = await stage.insert();
    const redemption = redemptionOf(offer, { granted, tokenExpiresAt: at(200) });
    expect(await stage.store.redeem(redemption)).toBe('redeemed');
    const { tokenDigest } = redemption;
    const find = (now = NOW, nonces: readonly Uint8Array[] = []) => stage.store.findGrant(tokenDigest, now, nonces);
    return { offer, find };
  }

  it('VCI:T15 is the offer, its configuration, claims and key, until the token expires', async () => {
    const { offer, find } = await redeemed();
    expect(await find(at(199))).toEqual({
      offerId: offer.offerId,
      configurationId: TYPE_ID,
      status: 'OFFER_CREATED',
      claims: CLAIMS,
      thumbprint: 'thumbprint-of-a-key',
      granted,
      binding: { key: tokenKey(offer.preAuthorizedCode, undefined), isRequired: true },
      usedNonces: [],
      keptRequests: [],
    });
    expect(await find(at(200))).toBeUndefined();
    expect(await stage.store.findGrant(sha256('another token'), NOW, [])).toBeUndefined();
  });

  it('VCI:N4 VCI:J10 comes with those of the presented nonces that were used: issued with, promised with, in any order', async () => {
    const { find } = await redeemed();
    const [issuedWith, promisedWith, fresh] = [nonce(), nonce(), nonce()];
    const [issued, promised] = [await stage.insert(), await stage.insert({ deferral: 'waiting', claims: {} })];
    expect(await complete(issued, [issuedWith])).toBe('issued');
    const promise = { transactionDigest: sha256('id'), keys: [], statuses: [] };
    expect(await stage.store.defer(readBy(promised), [promisedWith], promise, NOW)).toBe('deferred');
    const digests = [fresh, promisedWith, issuedWith].map(({ digest }) => digest);
    const used = (await find(NOW, digests))?.usedNonces.map((digest) => Buffer.from(digest).toString('hex'));
    expect(new Set(used)).toEqual(
      new Set([issuedWith, promisedWith].map(({ digest }) => Buffer.from(digest).toString('hex'))),
    );
    expect((await find(NOW, [fresh.digest]))?.usedNonces).toEqual([]);
  });

  it('VCI:N4 VCI:D10 does not take the proof of a wallet for a nonce', async () => {
    const { find } = await redeemed();
    const { digest, expiresAt } = nonce();
    await stage.store.spendProof(digest, expiresAt);
    await stage.store.spendAttestationProof(digest, expiresAt);
    expect((await find(NOW, [digest]))?.usedNonces).toEqual([]);
  });

  it('VCI:F8 outlives ISSUED without claims', async () => {
    const { offer, find } = await redeemed();
    await complete(offer);
    expect(await find()).toMatchObject({ offerId: offer.offerId, claims: undefined });
  });

  it.each(['FAILED', 'EXPIRED'])('is nothing once the offer is %s', async (status) => {
    const { offer, find } = await redeemed();
    if (status === 'FAILED') await fail(offer);
    else await expire([offer], at(OFFER_SECONDS));
    expect(await find()).toBeUndefined();
  });

  it('is nothing when the offer is over although nobody has swept yet', async () => {
    const offer = await stage.insert({ expiresAt: at(100) });
    const redemption = redemptionOf(offer, { tokenExpiresAt: at(200) });
    await stage.store.redeem(redemption);
    expect(await stage.store.findGrant(redemption.tokenDigest, at(99), [])).toBeDefined();
    expect(await stage.store.findGrant(redemption.tokenDigest, at(100), [])).toBeUndefined();
  });
});

describe('a DPoP proof', () => {
  it('VCI:D10 is spent by exactly one of 20 parallel requests', async () => {
    const digest = sha256('proof');
    const first = await parallel(20, () => stage.store.spendProof(digest, at(300)));
    expect(countOf(first, true)).toBe(1);
    expect(await stage.store.spendProof(sha256('another'), at(300))).toBe(true);
  });

  it('VCI:N5 and a nonce with the same digest are two things', async () => {
    const offer = await stage.insert();
    const both = nonce();
    expect(await stage.store.spendProof(both.digest, both.expiresAt)).toBe(true);
    expect(await complete(offer, [both])).toBe('issued');
  });
});

describe('a proof of a wallet attestation', () => {
  it('VCI:C10 is spent by exactly one of 20 parallel requests at two replicas', async () => {
    const replica = stage.storeWith(stage.keys);
    const digest = sha256('proof of possession');
    const spendTwice = () =>
      Promise.all([stage.store, replica].map((store) => store.spendAttestationProof(digest, at(300))));
    expect(countOf((await parallel(10, spendTwice)).flat(), true)).toBe(1);
  });

  it('VCI:N5 and a DPoP proof with the same digest are two things', async () => {
    const digest = sha256('one digest');
    expect(await stage.store.spendProof(digest, at(300))).toBe(true);
    expect(await stage.store.spendAttestationProof(digest, at(300))).toBe(true);
  });

  it('VCI:C16 a token remembers which wallet it belongs to, and nothing of an anonymous one', async () => {
    for (const clientId of ['https://wallet.example/app', undefined]) {
      const redemption = redemptionOf(await stage.insert(), { clientId });
      await stage.store.redeem(redemption);
      expect(await stage.store.findGrant(redemption.tokenDigest, at(1), [])).toMatchObject({ clientId });
    }
  });
});
