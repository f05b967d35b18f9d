import { randomBytes } from 'node:crypto';
import { createEphemeralKeyPair, createSecret, sha256, type PublicJwk } from '@vestibule/crypto';
import type { VerifiedNonce } from '@vestibule/oauth';
import type { OpenOffer } from '../../domain/credential-offer';
import { failedEvent, issuanceEvent } from '../../domain/issuance-event';
import type { PromisedCredential, ReadOffer } from '../../domain/issuance';
import { CLAIMS, NOW } from '../../testing/issuer.fixture-spec';
import {
  at,
  completionOf,
  OFFER_SECONDS,
  openStoreStage,
  readBy,
  redemptionOf,
  type StoreStage,
} from '../../testing/store.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const DEFERRED_SECONDS = 3_600;
const keys: readonly PublicJwk[] = [0, 1].map(() => createEphemeralKeyPair(randomBytes).publicJwk);
const nonce = (): VerifiedNonce => ({ digest: sha256(createSecret(randomBytes)), expiresAt: at(300) });
const promise = (id = createSecret(randomBytes)) => ({ transactionDigest: sha256(id), keys, statuses: [] });
const complete = (offer: Omit<ReadOffer, 'accessToken'>, nonces = [nonce()], now = NOW, store = stage.store) =>
  store.complete(completionOf(offer, { offer: { ...offer, ...readBy(offer) }, nonces, now }));
const cancel = ({ offerId }: OpenOffer, now = NOW) =>
  stage.store.cancel(offerId, failedEvent(offerId, 'offer_cancelled', 'x'), now);
const parallel = <T>(times: number, run: () => Promise<T>) => Promise.all(Array.from({ length: times }, run));
const countOf = (outcomes: readonly unknown[], wanted: unknown) => outcomes.filter((one) => one === wanted).length;
const WIPED = { session: null, code_digest: null, tx_code_digest: null, transaction_keys: null };

/** An offer that a wallet has a token for. */
async function redeemed(changes: Partial<OpenOffer> = {}, tokenSeconds = DEFERRED_SECONDS) {
  const offer = await stage.insert(changes);
  const redemption = redemptionOf(offer, { tokenExpiresAt: at(tokenSeconds) });
  expect(await stage.store.redeem(redemption)).toBe('redeemed');
  const grant = (now = NOW) => stage.store.findGrant(redemption.tokenDigest, now, []);
  return { offer, grant };
}
const hexOf = ({ offerId }: OpenOffer) => Buffer.from(offerId, 'base64url').toString('hex');
const deferred = () => redeemed({ deferral: 'waiting', claims: {} });
const defer = (offer: OpenOffer, of: PromisedCredential = promise(), nonces = [nonce()], now = NOW) =>
  stage.store.defer(readBy(offer), nonces, of, now);

describe('cancelling', () => {
  it('ends an open offer once, with one event and nothing left of the session', async () => {
    const { offer, grant } = await redeemed();
    const outcomes = await parallel(10, () => cancel(offer));
    expect([countOf(outcomes, 'cancelled'), countOf(outcomes, 'ended')]).toEqual([1, 9]);
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'FAILED']);
    expect(await stage.row(offer)).toMatchObject({ status: 'FAILED', ...WIPED });
    expect(await grant()).toBeUndefined();
  });

  it('knows what has ended, is overdue or never was', async () => {
    const [issued, overdue] = [await stage.insert(), await stage.insert()];
    await complete(issued);
    expect([await cancel(issued), await cancel(overdue, at(OFFER_SECONDS))]).toEqual(['ended', 'ended']);
    expect(await stage.store.cancel('no-id', failedEvent('no-id', 'offer_cancelled', 'x'), NOW)).toBe('unknown');
    expect(await stage.statuses(overdue)).toEqual(['OFFER_CREATED']);
  });

  it('VCI:P9 and issuing at once give each of 20 offers one end', async () => {
    const offers = await parallel(20, () => stage.insert());
    const ends = await Promise.all(offers.flatMap((offer) => [complete(offer), cancel(offer)]));
    expect(countOf(ends, 'issued') + countOf(ends, 'cancelled')).toBe(20);
    const events = (await stage.events()).filter(({ event }) => event.status !== 'OFFER_CREATED');
    expect([new Set(events.map(({ subject }) => subject)).size, events.length]).toEqual([20, 20]);
  });
});

describe('a deferred offer', () => {
  it('VCI:F3 VCI:F5 keeps the promise with its keys, sealed, and lives as long as the token then', async () => {
    const { offer, grant } = await deferred();
    const statuses = [{ header: { kid: 'provider' }, own: 'https://lists.example', maintained: undefined }];
    const made = { ...promise(), statuses };
    expect(await defer(offer, made)).toBe('deferred');
    expect(await grant(at(DEFERRED_SECONDS - 1))).toMatchObject({
      status: 'OFFER_CREATED',
      deferral: { state: 'waiting', transaction: { digest: Buffer.from(made.transactionDigest), keys, statuses } },
    });
    expect(await stage.row(offer)).toMatchObject({ expires_at: at(DEFERRED_SECONDS) });
    for (const secret of [(keys[0] as PublicJwk).x, 'lists.example']) expect(await stage.dump()).not.toContain(secret);
    expect(await grant(at(DEFERRED_SECONDS))).toBeUndefined();
  });

  it('VCI:F6 does not live longer for a second promise, which takes the place of the first', async () => {
    const { offer, grant } = await deferred();
    const second = promise();
    await defer(offer);
    expect(await defer(offer, second, [nonce()], at(1_000))).toBe('deferred');
    expect((await grant())?.deferral?.transaction?.digest).toEqual(Buffer.from(second.transactionDigest));
    expect(await stage.row(offer)).toMatchObject({ expires_at: at(DEFERRED_SECONDS) });
  });

  it('VCI:F6 does not live longer for a wallet that has itself promised it again and again', async () => {
    const { offer, grant } = await deferred();
    await defer(offer);
    for (const second of [DEFERRED_SECONDS - 100, DEFERRED_SECONDS - 50, DEFERRED_SECONDS - 1]) {
      const kept = { requestDigest: sha256(`${second}`), sealed: Buffer.from('kept'), expiresAt: at(second + 120) };
      expect(await defer(offer, { ...promise(), kept }, [nonce()], at(second))).toBe('deferred');
    }
    expect(await stage.row(offer)).toMatchObject({ expires_at: at(DEFERRED_SECONDS) });
    expect(await grant(at(DEFERRED_SECONDS))).toBeUndefined();
  });

  it('VCI:N4 is not promised on a used nonce', async () => {
    const { offer, grant } = await deferred();
    const used = nonce();
    await complete(await stage.insert(), [used]);
    expect(await defer(offer, promise(), [used])).toBe('nonce_used');
    expect((await grant())?.deferral).toEqual({ state: 'waiting' });
  });

  it('is not promised after its end, at the end of its time, or when it is not deferred', async () => {
    const [{ offer: late }, { offer: cancelled }, { offer: plain }] = [
      await deferred(),
      await deferred(),
      await redeemed(),
    ];
    await cancel(cancelled);
    expect(await defer(late, promise(), [nonce()], at(OFFER_SECONDS))).toBe('ended');
    expect(await defer(cancelled)).toBe('ended');
    expect(await defer(plain)).toBe('ended');
  });

  it('takes its claims before and after the promise, and again, until it ends', async () => {
    const { offer, grant } = await deferred();
    expect(await stage.store.completeClaims(offer.offerId, { given_name: 'first' }, NOW)).toBe(true);
    await defer(offer);
    expect(await stage.store.completeClaims(offer.offerId, CLAIMS, NOW)).toBe(true);
    expect(await grant()).toMatchObject({ claims: CLAIMS, deferral: { state: 'ready', transaction: { keys } } });
    expect(await stage.store.findOpen(offer.offerId, NOW)).toMatchObject({
      preAuthorizedCode: offer.preAuthorizedCode,
    });
    expect(await stage.store.findView(offer.offerId)).toMatchObject({ view: { deferral: 'ready' } });
    expect(await complete(offer, [])).toBe('issued');
    expect(await stage.store.completeClaims(offer.offerId, CLAIMS, NOW)).toBe(false);
    expect(await stage.row(offer)).toMatchObject({ status: 'ISSUED', ...WIPED });
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('VCI:F3 is not issued with claims that the backend has replaced meanwhile', async () => {
    const { offer, grant } = await deferred();
    await stage.store.completeClaims(offer.offerId, { given_name: 'wrong' }, NOW);
    const before = await grant();
    if (!before) throw new Error('the token is worth nothing');
    expect(await stage.store.completeClaims(offer.offerId, CLAIMS, NOW)).toBe(true);
    expect(await complete(before)).toBe('claims_changed');
    expect(await complete(before, [], NOW, stage.storeWith(stage.keys, true))).toBe('claims_changed');
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED']);
    const after = await grant();
    expect(after).toMatchObject({ status: 'OFFER_CREATED', claims: CLAIMS });
    expect(await complete(after ?? before)).toBe('issued');
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('VCI:F3 keeps its word when claims and the request of a wallet race', async () => {
    const given = ([taken, outcome]: readonly [boolean, string]) => (taken ? 'claims_changed' : 'issued') === outcome;
    const prepare = async () => {
      const { offer, grant } = await deferred();
      await stage.store.completeClaims(offer.offerId, { given_name: 'wrong' }, NOW);
      const before = await grant();
      if (!before) throw new Error('the token is worth nothing');
      const change = () => stage.store.completeClaims(offer.offerId, CLAIMS, NOW);
      return { offer, change, issue: () => complete(before) };
    };
    const racing = await Promise.all(Array.from({ length: 30 }, prepare));
    const runs = await Promise.all(racing.map(({ change, issue }) => Promise.all([change(), issue()])));
    expect(runs.filter((run) => !given(run))).toEqual([]);
    // Both wait for the row, one after the other, and each may be the first.
    for (const isChangeFirst of [true, false]) {
      const { offer, change, issue } = await prepare();
      const hold = `SELECT FROM issuer.credential_offer WHERE offer_id = decode('${hexOf(offer)}', 'hex') FOR UPDATE`;
      const works = isChangeFirst ? [change, issue] : [issue, change];
      const [first, second] = await stage.whileHeld<boolean | string>(hold, works);
      const run = (isChangeFirst ? [first, second] : [second, first]) as [boolean, string];
      expect(given(run)).toBe(true);
      expect(run).toEqual(isChangeFirst ? [true, 'claims_changed'] : [false, 'issued']);
    }
  });

  it('VCI:F4 is still known by its token after it failed, without claims and keys', async () => {
    const { offer, grant } = await deferred();
    const made = promise();
    await defer(offer, made);
    await cancel(offer);
    expect(await grant()).toMatchObject({
      status: 'FAILED',
      claims: undefined,
      deferral: { transaction: { digest: Buffer.from(made.transactionDigest), keys: [] } },
    });
  });

  it('VCI:F2 is issued to one of 10 parallel requests, with one event', async () => {
    const { offer } = await deferred();
    await defer(offer);
    const outcomes = await parallel(10, () => complete(offer, []));
    expect([countOf(outcomes, 'issued'), countOf(outcomes, 'ended')]).toEqual([1, 9]);
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('expires like any other, with its keys', async () => {
    const { offer } = await deferred();
    await defer(offer);
    const now = at(DEFERRED_SECONDS);
    expect(await stage.store.findOverdue(at(OFFER_SECONDS), 10)).toEqual([]);
    expect(
      await stage.store.expire([{ offerId: offer.offerId, event: issuanceEvent(offer.offerId, 'EXPIRED') }], now),
    ).toBe(1);
    expect(await stage.row(offer)).toMatchObject({ status: 'EXPIRED', ...WIPED });
  });

  it('is changeable while it is open', async () => {
    const { offer } = await deferred();
    const find = (now = NOW, id = offer.offerId) => stage.store.findChangeable(id, now);
    expect(await find()).toEqual({ configurationId: offer.configurationId, isOpen: true, isDeferred: true });
    expect(await find(at(OFFER_SECONDS))).toMatchObject({ isOpen: false });
    expect(await find(NOW, 'no-id')).toBeUndefined();
    const plain = await stage.insert();
    expect(await find(NOW, plain.offerId)).toMatchObject({ isDeferred: false });
    expect(await stage.store.completeClaims(plain.offerId, CLAIMS, NOW)).toBe(false);
  });
});

describe('claims that are kept until the end of an offer’s time', () => {
  const keeping = () => stage.storeWith(stage.keys, true);

  it('VCI:P8 let it be issued again, with one event in all, until then', async () => {
    const { offer, grant } = await redeemed({}, OFFER_SECONDS);
    const again = (now = NOW) => complete(offer, [nonce()], now, keeping());
    expect(countOf(await parallel(5, () => again()), 'issued')).toBe(5);
    expect(await grant(at(OFFER_SECONDS - 1))).toMatchObject({ status: 'ISSUED', claims: CLAIMS });
    expect(await again(at(OFFER_SECONDS))).toBe('ended');
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
    expect(await stage.row(offer)).toMatchObject({ status: 'ISSUED', code_digest: null });
  });

  it('VCI:P8 give an equal request another answer only when the kept one is over, or leads nowhere', async () => {
    const { offer } = await redeemed();
    const finish = (now: number, text = 'first', replaced?: Uint8Array) => {
      const kept = { requestDigest: sha256('keys'), sealed: Buffer.from(text), expiresAt: at(now + 60) };
      return keeping().complete(completionOf(offer, { kept, now: at(now), replaced }));
    };
    expect([await finish(0), await finish(59), await finish(60)]).toEqual(['issued', 'answered', 'issued']);
    const outcomes = await parallel(3, () => finish(61, 'second', sha256('first')));
    expect([await finish(61), ...outcomes.sort()]).toEqual(['answered', 'answered', 'answered', 'issued']);
  });

  it('VCI:F2 serve no deferred credential twice', async () => {
    const { offer } = await redeemed();
    const collect = () => keeping().complete(completionOf(offer, { isDeferred: true }));
    expect((await parallel(3, collect)).sort()).toEqual(['ended', 'ended', 'issued']);
  });

  it('VCI:N4 let no nonce be used twice all the same', async () => {
    const [{ offer }, used] = [await redeemed(), nonce()];
    for (const end of ['issued', 'nonce_used']) expect(await complete(offer, [used], NOW, keeping())).toBe(end);
  });

  it('are gone with the sweep after that, or at once where the switch is off', async () => {
    const { offer } = await redeemed();
    await complete(offer, [nonce()], NOW, keeping());
    await keeping().purge(at(OFFER_SECONDS - 1), 10);
    expect((await stage.row(offer))['session']).not.toBeNull();
    await keeping().purge(at(OFFER_SECONDS), 10);
    expect(await stage.row(offer)).toMatchObject({ status: 'ISSUED', ...WIPED });
    const { offer: other } = await redeemed();
    await complete(other);
    expect(await stage.row(other)).toMatchObject(WIPED);
  });
});

describe('a notification', () => {
  it('VCI:F9 is kept with its time, and the same again changes nothing', async () => {
    const { offer } = await redeemed();
    await complete(offer);
    const record = (...all: Parameters<typeof stage.store.recordNotification>) =>
      stage.store.recordNotification(...all);
    await record(offer.offerId, 'credential_accepted', at(1));
    await record(offer.offerId, 'credential_accepted', at(2));
    const accepted = { event: 'credential_accepted', received_at: at(1).toISOString() };
    expect(await stage.store.findView(offer.offerId)).toMatchObject({
      view: { status: 'ISSUED', notification: accepted },
    });
    await record(offer.offerId, 'credential_deleted', at(3));
    const deleted = { event: 'credential_deleted', received_at: at(3).toISOString() };
    expect(await stage.store.findView(offer.offerId)).toMatchObject({
      view: { status: 'ISSUED', notification: deleted },
    });
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });
});
