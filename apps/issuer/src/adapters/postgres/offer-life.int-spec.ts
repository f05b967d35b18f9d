import type { QueryRunner } from 'typeorm';
import { randomBytes } from 'node:crypto';
import { sha256 } from '@vestibule/crypto';
import { credentialOfferUri } from '@vestibule/oid4vci';
import { issuanceEvent } from '../../domain/issuance-event';
import { createCredentialOffer } from '../../use-cases/create-credential-offer';
import { LONG_CHAIN, CLAIMS, ISSUER_URL, NOW, TYPE_ID, TYPES } from '../../testing/issuer.fixture-spec';
import {
  at,
  completionOf,
  newOffer,
  OFFER_SECONDS,
  openStoreStage,
  redemptionOf,
  RETENTION_SECONDS,
  tokenOf,
  TX_CODE,
  type StoreStage,
} from '../../testing/store.fixture-spec';
import { MIGRATIONS, SCHEMA } from './migrations';
import { OVERDUE } from './overdue';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const count = async (table: string) => (await stage.database.query(`SELECT 1 AS one FROM issuer.${table}`)).length;
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('a new offer', () => {
  it('is stored together with its OFFER_CREATED event', async () => {
    const offer = await stage.insert();
    expect(await stage.row(offer)).toMatchObject({
      configuration_id: TYPE_ID,
      status: 'OFFER_CREATED',
      created_at: NOW,
      expires_at: at(OFFER_SECONDS),
      finished_at: null,
      redeemed_at: null,
      tx_code_digest: null,
    });
    const { offerId } = offer;
    expect(await stage.events()).toEqual([
      { subject: offerId, event: { eventId: offerId, status: 'OFFER_CREATED', offerId } },
    ]);
  });

  it('is not stored, and has no event, when it exists already: both are one statement', async () => {
    const offer = await stage.insert();
    await expect(stage.insert({ offerId: offer.offerId })).rejects.toThrow();
    expect([await count('credential_offer'), await count('callback')]).toEqual([1, 1]);
  });

  it('is found with its claims until it expires', async () => {
    const offer = await stage.insert({}, TX_CODE);
    expect(await stage.store.findOpen(offer.offerId, at(OFFER_SECONDS - 1))).toEqual(offer);
    expect(await stage.store.findOpen(offer.offerId, at(OFFER_SECONDS))).toBeUndefined();
    expect(await stage.store.findOpen(newOffer().offerId, NOW)).toBeUndefined();
  });

  it('takes no claims once its time is over, though no sweep has ended it', async () => {
    const { offerId } = await stage.insert({ deferral: 'waiting', claims: {} });
    expect(await stage.store.completeClaims(offerId, CLAIMS, at(OFFER_SECONDS))).toBe(false);
    expect(await stage.store.completeClaims(offerId, CLAIMS, at(OFFER_SECONDS - 1))).toBe(true);
  });

  it.each(['', 'x', "' OR 1=1 --", 'A'.repeat(128)])('is not found under the id %j', async (offerId) => {
    await stage.insert();
    expect(await stage.store.findOpen(offerId, NOW)).toBeUndefined();
    expect(await stage.store.findView(offerId)).toBeUndefined();
  });

  it('VCI:O12 stays redeemable however often it is read', async () => {
    const offer = await stage.insert();
    for (let reads = 0; reads < 3; reads += 1) await stage.store.findOpen(offer.offerId, NOW);
    expect(await stage.store.redeem(redemptionOf(offer))).toBe('redeemed');
    expect(await stage.store.findOpen(offer.offerId, NOW)).toBeDefined();
  });

  it('shows status and times to a backend', async () => {
    const offer = await stage.insert();
    const times = { created_at: NOW.toISOString(), expires_at: at(OFFER_SECONDS).toISOString() };
    const open = { offer_id: offer.offerId, status: 'OFFER_CREATED', ...times };
    expect(await stage.store.findView(offer.offerId)).toEqual({
      configurationId: TYPE_ID,
      view: open,
      shortenedTo: undefined,
    });
    await stage.store.fail(offer.offerId, issuanceEvent(offer.offerId, 'EXPIRED'), at(9));
    expect((await stage.store.findView(offer.offerId))?.view).toEqual({
      ...open,
      status: 'FAILED',
      finished_at: at(9).toISOString(),
    });
  });

  it('VCI:V9 keeps when the credentials of an offer end, where the chain of the issuer cut their validity', async () => {
    const [cut, whole] = [await stage.insert(), await stage.insert()];
    await stage.store.complete(completionOf(cut, { shortenedTo: at(7_200) }));
    await stage.store.complete(completionOf(whole));
    expect((await stage.store.findView(cut.offerId))?.shortenedTo).toEqual(at(7_200));
    expect((await stage.store.findView(whole.offerId))?.shortenedTo).toBeUndefined();
  });
});

describe('repeated creation', () => {
  const create = createCredentialOffer({
    clock: () => NOW,
    random: randomBytes,
    types: TYPES,
    ...LONG_CHAIN,
    addresses: { callbackUrlFault: () => undefined, credentialOfferEndpoint: 'openid-credential-offer://' },
    insert: (...all) => stage.store.insert(...all),
    recall: (call) => stage.store.recall(call),
  });
  const body = { credential_configuration_id: TYPE_ID, claims: CLAIMS, tx_code: {} };
  const idempotencyKey = 'k'.repeat(40);

  it('can be answered as before without a new offer, unless its body is another one', async () => {
    const key = 'r'.repeat(40);
    const first = await create({ body, idempotencyKey: key });
    expect(await stage.store.recall({ key, body })).toEqual(first);
    expect(await stage.store.recall({ key, body: { ...body, expires_in: 1 } })).toBeUndefined();
  });

  it('of 20 parallel calls with one key makes one offer, one event and one answer', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ body, idempotencyKey })));
    const [first] = answers;
    for (const answer of answers) expect(answer).toEqual(first);
    expect(first?.credential_offer_uri).toBe(
      credentialOfferUri('openid-credential-offer://', ISSUER_URL, first?.offer_id ?? ''),
    );
    expect([await count('credential_offer'), await count('callback')]).toEqual([1, 1]);
  });

  it('with the same key and another body is a conflict, and makes nothing', async () => {
    await create({ body, idempotencyKey });
    const other = { ...body, expires_in: 60 };
    await expect(create({ body: other, idempotencyKey })).rejects.toEqual(code('idempotency_conflict'));
    expect([await count('credential_offer'), await count('callback')]).toEqual([1, 1]);
  });

  it('without a key makes an offer each time', async () => {
    const answers = await Promise.all([create({ body }), create({ body })]);
    expect(new Set(answers.map(({ offer_id: id }) => id)).size).toBe(2);
    expect([await count('credential_offer'), await count('callback'), await count('idempotency_key')]).toEqual([
      2, 2, 0,
    ]);
  });
});

describe('purging', () => {
  /** What a purge then deletes, of which {@link CredentialOffers.hasRemains} knows before, and nothing after. */
  async function purged(seconds: number, limit = 10, store = stage.store): Promise<number> {
    const known = await store.hasRemains(at(seconds));
    const count = await store.purge(at(seconds), limit);
    expect(known).toBe(count > 0);
    return count;
  }

  it('forgets ended offers after their retention and keeps open ones', async () => {
    const [ended, open] = [await stage.insert({}, TX_CODE), await stage.insert()];
    await stage.dropTokens();
    await stage.store.fail(ended.offerId, issuanceEvent(ended.offerId, 'EXPIRED'), NOW);
    expect(await purged(RETENTION_SECONDS - 1, 10)).toBe(0);
    expect(await stage.store.findView(ended.offerId)).toBeDefined();
    expect(await purged(RETENTION_SECONDS, 10)).toBe(1);
    expect(await stage.store.findView(ended.offerId)).toBeUndefined();
    expect(await stage.store.findView(open.offerId)).toBeDefined();
  });

  it('VCI:P8 takes no answer from a wallet that may ask for it again, however short the retention is', async () => {
    const store = stage.storeWith(stage.keys, false, { retentionSeconds: 60 });
    const offer = await stage.insert();
    const kept = { requestDigest: sha256('a request'), sealed: Buffer.from('sealed'), expiresAt: at(120) };
    expect(await store.complete(completionOf(offer, { kept }))).toBe('issued');
    const token = sha256(tokenOf(offer));
    await purged(119, 10, store);
    expect(await store.findGrant(token, at(119), [])).toMatchObject({
      status: 'ISSUED',
      keptRequests: [expect.anything()],
    });
    expect(await store.findKept(token, kept.requestDigest, at(119))).toEqual(kept.sealed);
    await purged(120, 10, store);
    expect(await store.findView(offer.offerId)).toBeUndefined();
  });

  it('VCI:P8 takes no answer that came long after ISSUED, or is kept for longer by another replica', async () => {
    const issuing = stage.storeWith(stage.keys, true, { redeliverySeconds: 600 });
    const sweeping = stage.storeWith(stage.keys, true, { retentionSeconds: 60, redeliverySeconds: 0 });
    const [first, last] = [OFFER_SECONDS - 200, OFFER_SECONDS - 1];
    const offer = await stage.insert();
    const keptAt = (seconds: number) => ({
      requestDigest: sha256(`request at ${seconds}`),
      sealed: Buffer.from('sealed'),
      expiresAt: at(seconds + 600),
    });
    for (const seconds of [first, last])
      expect(await issuing.complete(completionOf(offer, { kept: keptAt(seconds), now: at(seconds) }))).toBe('issued');
    for (const seconds of [OFFER_SECONDS, last + 599]) {
      await sweeping.purge(at(seconds), 10);
      expect(await stage.database.query(OVERDUE.replaceAll('now()', '$2'), [60, at(seconds)])).toEqual([
        { seconds: 0 },
      ]);
    }
    const { requestDigest, sealed } = keptAt(last);
    expect(await issuing.findKept(sha256(tokenOf(offer)), requestDigest, at(last + 599))).toEqual(sealed);
    await purged(last + 600, 10, sweeping);
    expect([await stage.row(offer), await count('access_token')]).toEqual([{}, 0]);
  });

  it('VCI:P8 forgets no offer that keeps its claims until it expires', async () => {
    const store = stage.storeWith(stage.keys, true);
    const offer = await stage.insert({ expiresAt: at(2 * RETENTION_SECONDS) });
    expect(await store.complete(completionOf(offer))).toBe('issued');
    const grant = () => store.findGrant(sha256(tokenOf(offer)), at(2 * RETENTION_SECONDS - 1), []);
    await purged(2 * RETENTION_SECONDS - 1, 10, store);
    expect(await grant()).toMatchObject({ claims: offer.claims });
    expect(await stage.database.query(OVERDUE, [RETENTION_SECONDS])).toEqual([{ seconds: 0 }]);
    await purged(2 * RETENTION_SECONDS, 10, store);
    expect(await store.findView(offer.offerId)).toBeUndefined();
  });

  it('VCI:P8 deletes claims that were kept, by the time by which they are kept no longer, and not those of open offers', async () => {
    const unkeptBy = (seconds: number) => stage.storeWith(stage.keys, false, { unkeptBy: () => at(seconds) });
    const [issued, open] = [await stage.insert({ expiresAt: at(3_600) }), await stage.insert({ expiresAt: at(3_600) })];
    expect(await stage.storeWith(stage.keys, true).complete(completionOf(issued))).toBe('issued');
    expect(await purged(1, 10, stage.storeWith(stage.keys, true))).toBe(0);
    expect(await stage.row(issued)).toMatchObject({ session: expect.any(Buffer) });
    expect([await purged(1), await purged(1, 10, unkeptBy(-1)), await purged(1, 10, unkeptBy(0))]).toEqual([0, 0, 1]);
    expect(await stage.row(issued)).toMatchObject({ status: 'ISSUED', session: null, expires_at: at(3_600) });
    expect(await stage.row(open)).toMatchObject({ session: expect.any(Buffer) });
  });

  it('forgets tokens, nonces and proofs when their time is over, not before, and no more than it may at once', async () => {
    const offer = await stage.insert();
    await stage.dropTokens();
    await stage.store.redeem(redemptionOf(offer, { tokenExpiresAt: at(50) }));
    for (const name of ['a', 'b', 'c']) await stage.store.spendProof(sha256(name), at(60));
    expect(await purged(49, 10)).toBe(0);
    expect(await purged(50, 10)).toBe(1);
    expect(await purged(59, 10)).toBe(0);
    expect(await purged(60, 2)).toBe(2);
    expect(await purged(60, 2)).toBe(1);
    expect([await count('access_token'), await count('spent'), await count('credential_offer')]).toEqual([0, 0, 1]);
  });
});

describe('the migrations', () => {
  it('run once: a second start has nothing to do, and the data is still there', async () => {
    const offer = await stage.insert();
    const again = await stage.open();
    await again.close();
    expect(await stage.store.findView(offer.offerId)).toBeDefined();
  });

  it('can be taken back and made again', async () => {
    const migrations = MIGRATIONS.map((Migration) => new Migration());
    const run = (way: 'up' | 'down', order: typeof migrations) =>
      stage.database.transaction(async ({ manager }) => {
        for (const migration of order) await migration[way](manager.queryRunner as QueryRunner);
      });
    await run('down', [...migrations].reverse());
    const left = await stage.database.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${SCHEMA}'`,
    );
    expect(left.map(({ name }) => name).sort()).toEqual(['migration_compatibility', 'migrations']);
    await run('up', migrations);
    expect(await stage.store.findView((await stage.insert()).offerId)).toBeDefined();
  });

  it.each([
    ['fails an offer and keeps its claims', `status = 'FAILED', code_digest = NULL, finished_at = now()`],
    [
      'ends an offer and keeps its keys',
      `status = 'ISSUED', session = NULL, code_digest = NULL, finished_at = now(), transaction_keys = 'x'`,
    ],
    ['makes a promise of an offer that is not deferred', `transaction_digest = code_digest`],
    ['notes a notification without its time', `notification_event = 'credential_accepted'`],
    ['ends an offer and keeps its code', `status = 'ISSUED', session = NULL, finished_at = now()`],
    [
      'ends an offer and keeps its transaction code',
      `status = 'ISSUED', session = NULL, code_digest = NULL, finished_at = now()`,
    ],
    ['wipes the claims of an open offer', `session = NULL`],
    ['makes up a status', `status = 'DONE', session = NULL, code_digest = NULL, finished_at = now()`],
  ])('refuse a statement that %s', async (_what, change) => {
    const sql = `UPDATE issuer.credential_offer SET ${change}`;
    await stage.insert({}, TX_CODE);
    await expect(stage.database.query(sql)).rejects.toEqual(code('database_error'));
  });
});
