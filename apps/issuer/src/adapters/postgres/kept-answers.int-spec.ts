import { randomBytes } from 'node:crypto';
import { createSealer, createSecret, deriveKey, sha256 } from '@vestibule/crypto';
import type { OpenOffer } from '../../domain/credential-offer';
import {
  answerKey,
  digestOfKeys,
  digestOfTransaction,
  openAnswer,
  redeemedCode,
  sealAnswer,
  type KeptAnswer,
} from '../../domain/kept-answer';
import { NOW } from '../../testing/issuer.fixture-spec';
import {
  at,
  completionOf,
  OFFER_SECONDS,
  openStoreStage,
  readBy,
  redemptionOf,
  tokenOf,
  TX_CODE,
  type StoreStage,
} from '../../testing/store.fixture-spec';
import { createWalletKey } from '../../testing/wallet.fixture-spec';
import { repeatAnswer } from '../../use-cases/kept-answers';
import { sessionContext } from './sealed-offer';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const CANARY = 'canary-credential';
const ANSWER = { credentials: [{ credential: CANARY }] };
const REQUEST = digestOfKeys(['a-thumbprint']);
const broken = expect.objectContaining({ code: 'seal_broken' });

/** What is kept of the answer to a request of the token that the fixture gave the offer. */
function keptFor(offer: OpenOffer, requestDigest = REQUEST, seconds = 120): KeptAnswer {
  const seal = { key: answerKey(tokenOf(offer)), offerId: offer.offerId, requestDigest };
  return { requestDigest, sealed: sealAnswer(seal, JSON.stringify(ANSWER), randomBytes), expiresAt: at(seconds) };
}
const complete = (offer: OpenOffer, kept: KeptAnswer | undefined = keptFor(offer), store = stage.store) =>
  store.complete(completionOf(offer, { kept }));
const grantOf = (offer: OpenOffer, now = NOW) => stage.store.findGrant(sha256(tokenOf(offer)), now, []);
const count = async () => (await stage.database.query('SELECT FROM issuer.kept_answer')).length;
async function repeat(offer: OpenOffer, now = NOW, requestDigest = REQUEST, token = tokenOf(offer)) {
  const grant = { offerId: offer.offerId, accessToken: token } as never;
  return (await repeatAnswer(stage.store)({ grant, requestDigest, now }))?.plain;
}

describe('the answer that is kept with ISSUED', () => {
  it('VCI:P8 is there for its token and request until its end, and the grant names it', async () => {
    const offer = await stage.insert();
    expect((await grantOf(offer))?.keptRequests).toEqual([]);
    expect(await complete(offer)).toBe('issued');
    expect((await grantOf(offer))?.keptRequests.map((one) => Buffer.from(one))).toEqual([REQUEST]);
    expect([await repeat(offer, at(119)), await repeat(offer, at(120))]).toEqual([ANSWER, undefined]);
    expect((await grantOf(offer, at(120)))?.keptRequests).toEqual([]);
    expect(await repeat(offer, NOW, digestOfKeys(['another-thumbprint']))).toBeUndefined();
  });

  it('VCI:P8 is none where nothing is to be kept, and none for who loses against it', async () => {
    const [offer, contested] = [await stage.insert(), await stage.insert()];
    expect(await complete(offer, undefined as never)).toBe('issued');
    await stage.database.query('DELETE FROM issuer.kept_answer');
    expect(await stage.store.complete(completionOf(offer))).toBe('ended');
    const all = await Promise.all(Array.from({ length: 10 }, () => complete(contested)));
    expect(all.filter((outcome) => outcome === 'issued')).toHaveLength(1);
    expect(await count()).toBe(1);
  });

  it('VCI:P8 keeps its token alive, beyond the end of the offer, and no token lives shorter for it', async () => {
    const [short, long] = [await stage.insert({ expiresAt: at(10) }), await stage.insert()];
    await complete(short);
    await complete(long);
    expect(await grantOf(short, at(119))).toMatchObject({ status: 'ISSUED', claims: undefined });
    expect(await grantOf(short, at(120))).toBeUndefined();
    expect(await grantOf(long, at(OFFER_SECONDS - 1))).toBeDefined();
  });

  it('VCI:P10 is deleted by the sweep at its end, and with its token', async () => {
    const [offer, revoked] = [await stage.insert(), await stage.insert()];
    await complete(offer);
    await complete(revoked);
    await stage.store.revokeToken(sha256(tokenOf(revoked)));
    expect(await count()).toBe(1);
    await stage.store.purge(at(119), 10);
    expect(await count()).toBe(1);
    await stage.store.purge(at(120), 10);
    expect(await count()).toBe(0);
  });

  it.each(['credential_accepted', 'credential_failure', 'credential_deleted'] as const)(
    'VCI:P10 is deleted by %s, of this offer alone',
    async (event) => {
      const [offer, other] = [await stage.insert(), await stage.insert()];
      await complete(offer);
      await complete(other);
      await stage.store.recordNotification(offer.offerId, event, NOW);
      expect([await repeat(offer), await repeat(other)]).toEqual([undefined, ANSWER]);
    },
  );

  it('VCI:P8 is kept for each request where claims are kept, and the first one counts for equal requests', async () => {
    const offer = await stage.insert();
    const store = stage.storeWith(stage.keys, true);
    for (const request of ['first', 'second', 'third'].map((name) => digestOfKeys([name]))) {
      const answer = keptFor(offer, request);
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => complete(offer, answer, store)));
      expect(outcomes.sort()).toEqual(['answered', 'answered', 'answered', 'issued']);
      expect(await repeat(offer, NOW, request)).toEqual(ANSWER);
    }
  });

  it('VCI:F2 VCI:P8 is kept with a promise, and then with what was promised', async () => {
    const offer = await stage.insert({ deferral: 'waiting', claims: {} });
    const promise = { transactionDigest: sha256('id'), keys: [], statuses: [], kept: keptFor(offer) };
    expect(await stage.store.defer(readBy(offer), [], promise, NOW)).toBe('deferred');
    expect((await grantOf(offer))?.keptRequests).toHaveLength(1);
    expect(await repeat(offer)).toEqual(ANSWER);
    const later = digestOfTransaction('id');
    expect(await complete(offer, keptFor(offer, later))).toBe('issued');
    expect((await grantOf(offer))?.keptRequests).toHaveLength(2);
    expect(await repeat(offer, NOW, later)).toEqual(ANSWER);
  });

  it('VCI:F2 VCI:P8 of a promise is deleted by the promise that takes its place', async () => {
    const offer = await stage.insert({ deferral: 'waiting', claims: {} });
    for (const request of [REQUEST, digestOfKeys(['second'])]) {
      const promise = { transactionDigest: sha256(request), keys: [], statuses: [], kept: keptFor(offer, request) };
      expect(await stage.store.defer(readBy(offer), [], promise, NOW)).toBe('deferred');
    }
    expect([await repeat(offer), await repeat(offer, NOW, digestOfKeys(['second']))]).toEqual([undefined, ANSWER]);
  });
  it('VCI:F4 of a promise is not named any more when the offer has failed', async () => {
    const offer = await stage.insert({ deferral: 'waiting', claims: {} });
    const promise = { transactionDigest: sha256('id'), keys: [], statuses: [], kept: keptFor(offer) };
    await stage.store.defer(readBy(offer), [], promise, NOW);
    await stage.store.cancel(offer.offerId, { eventId: 'x', status: 'FAILED', offerId: offer.offerId } as never, NOW);
    expect(await grantOf(offer)).toMatchObject({ status: 'FAILED', keptRequests: [] });
  });
});

describe('a token that was revoked', () => {
  it('VCI:T20 completes nothing that it has begun, and is promised nothing', async () => {
    const [offer, deferred] = [await stage.insert(), await stage.insert({ deferral: 'waiting', claims: {} })];
    for (const one of [offer, deferred]) await stage.store.revokeToken(sha256(tokenOf(one)));
    expect(await complete(offer)).toBe('ended');
    expect(await complete(offer, keptFor(offer), stage.storeWith(stage.keys, true))).toBe('ended');
    const promise = { transactionDigest: sha256('id'), keys: [], statuses: [] };
    expect(await stage.store.defer(readBy(deferred), [], promise, NOW)).toBe('ended');
    expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED']);
    expect(await grantOf(offer)).toBeUndefined();
  });

  it('VCI:T20 is revoked before or after the commit, and leaves nothing kept either way', async () => {
    const offers = await Promise.all(Array.from({ length: 20 }, () => stage.insert()));
    const runs = await Promise.all(
      offers.map(async (offer) => {
        const [outcome] = await Promise.all([complete(offer), stage.store.revokeToken(sha256(tokenOf(offer)))]);
        return outcome;
      }),
    );
    for (const outcome of runs) expect(['issued', 'ended']).toContain(outcome);
    expect(await count()).toBe(0);
  });
});

/** A redeemed offer, and everything that the wallet sent for its token. */
async function redeemedBy(txCode?: string) {
  const offer = await stage.insert({}, txCode);
  const { jwk, thumbprint } = await createWalletKey();
  const keyed = { clientId: undefined, key: jwk as never, issuer: '' };
  const sent = { preAuthorizedCode: offer.preAuthorizedCode, txCode, ...keyed };
  const redeemed = redeemedCode(sent);
  const token = createSecret(randomBytes);
  const { key, requestDigest, txCodeDigest } = redeemed;
  const sealed = sealAnswer({ key, offerId: offer.offerId, requestDigest }, token, randomBytes);
  const redemption = redemptionOf(offer, {
    txCode,
    thumbprint,
    tokenDigest: sha256(token),
    redeemedTxCodeDigest: txCodeDigest,
    keptToken: { requestDigest, sealed, expiresAt: at(30) },
  });
  expect(await stage.store.redeem(redemption)).toBe('redeemed');
  return { offer, sent, redeemed, token, redemption };
}

describe('the token of a redeemed code', () => {
  it('VCI:T20 is found by its code, and itself only by the request that it was given to, for 30 s', async () => {
    const { offer, sent, redeemed, token, redemption } = await redeemedBy(TX_CODE);
    const find = (requestDigest: Uint8Array, now = NOW) =>
      stage.store.findGivenToken(redemption.codeDigest, requestDigest, now);
    const given = await find(redeemed.requestDigest, at(29));
    const seal = { ...redeemed, offerId: offer.offerId };
    expect(openAnswer(seal, given?.sealedToken as Uint8Array)).toBe(token);
    expect((await find(redeemed.requestDigest, at(30)))?.sealedToken).toBeUndefined();
    const { jwk } = await createWalletKey();
    const others = [{ clientId: 'wallet' }, { key: jwk as never }, { issuer: 'eudi' }];
    for (const change of [{ txCode: '000000' }, { txCode: undefined }, ...others]) {
      const other = await find(redeemedCode({ ...sent, ...change }).requestDigest);
      expect(other).toMatchObject({ offerId: offer.offerId, sealedToken: undefined });
    }
    expect(await stage.store.findGivenToken(sha256('a guess'), redeemed.requestDigest, NOW)).toBeUndefined();
    expect(await find(redeemed.requestDigest, at(200))).toBeUndefined();
  });

  it('VCI:T20 does not open for another key of the wallet, nor from what is stored with it', async () => {
    const { offer, sent, redeemed, redemption } = await redeemedBy();
    const given = await stage.store.findGivenToken(redemption.codeDigest, redeemed.requestDigest, NOW);
    const { jwk } = await createWalletKey();
    const { key } = redeemedCode({ ...sent, key: jwk as never });
    expect(() => openAnswer({ ...redeemed, key, offerId: offer.offerId }, given?.sealedToken as Uint8Array)).toThrow(
      broken,
    );
  });

  it('VCI:T8 is one however many redeem the code, and no second one is stored', async () => {
    const { redemption } = await redeemedBy();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => stage.store.redeem(redemption)));
    expect(new Set(outcomes)).toEqual(new Set(['gone']));
    expect(await count()).toBe(1);
  });
});

/** Every value of every row, as bytes and as the text of the bytes. */
async function everythingStored(): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for (const table of ['credential_offer', 'access_token', 'kept_answer', 'spent', 'callback', 'idempotency_key']) {
    for (const row of await stage.database.query<Record<string, unknown>>(`SELECT * FROM issuer.${table}`))
      for (const value of Object.values(row)) {
        if (Buffer.isBuffer(value)) found.push(value, Buffer.from(value.toString('base64url')));
        else if (typeof value === 'string') found.push(Buffer.from(value));
      }
  }
  return found;
}

/** Whatever these bytes can be made into a key by. */
const keysFrom = (bytes: Uint8Array): Uint8Array[] => [
  ...(bytes.byteLength === 32 ? [bytes] : []),
  sha256(bytes),
  answerKey(Buffer.from(bytes).toString()),
  ...['kept answer', 'kept token', 'token request'].map((purpose) => deriveKey(bytes, purpose)),
];

describe('somebody who reads the database, or changes it', () => {
  it('VCI:P10 opens nothing with every row and every sealing key, also from before; the token opens it', async () => {
    const { offer, token, redeemed, redemption } = await redeemedBy(TX_CODE);
    const sealer = createSealer(stage.keys, randomBytes);
    const { session } = await stage.row(offer);
    const text = sealer.open(session as Buffer, sessionContext(offer.offerId)).toString('utf8');
    const known = [...(await everythingStored()), ...stage.keys.map((key) => Buffer.from(key)), Buffer.from(text)];
    for (const value of Object.values(JSON.parse(text) as object)) known.push(Buffer.from(String(value)));

    const seal = { key: answerKey(token), offerId: offer.offerId, requestDigest: REQUEST };
    const sealed = sealAnswer(seal, CANARY, randomBytes);
    const kept = { requestDigest: REQUEST, sealed, expiresAt: at(120) };
    const completion = completionOf(offer, { kept, offer: { offerId: offer.offerId, accessToken: token } });
    expect(await stage.store.complete(completion)).toBe('issued');
    expect(await stage.dump()).not.toContain(CANARY);
    known.push(...(await everythingStored()));

    const sealedToken = redemption.keptToken?.sealed as Uint8Array;
    let tried = 0;
    for (const key of known.flatMap(keysFrom)) {
      tried += 1;
      expect(() => openAnswer({ ...seal, key }, sealed)).toThrow(broken);
      const { requestDigest } = redeemed;
      expect(() => openAnswer({ key, offerId: offer.offerId, requestDigest }, sealedToken)).toThrow(broken);
    }
    expect(tried).toBeGreaterThan(100);
    expect(openAnswer(seal, sealed)).toBe(CANARY);
    expect(known.some((bytes) => bytes.toString() === offer.preAuthorizedCode)).toBe(true);
  });

  it('VCI:P10 gets no answer to another offer, token or request by moving rows: seal_broken', async () => {
    const [offer, other] = [await stage.insert(), await stage.insert()];
    for (const one of [offer, other]) expect(await complete(one)).toBe('issued');
    const moved = Buffer.from(sha256(tokenOf(other)));
    await stage.database.query('DELETE FROM issuer.kept_answer WHERE token_digest = $1', [moved]);
    await stage.database.query('UPDATE issuer.kept_answer SET token_digest = $1', [moved]);
    await expect(repeat(other)).rejects.toEqual(broken);
    const another = digestOfKeys(['another']);
    await stage.database.query('UPDATE issuer.kept_answer SET token_digest = $1, request_digest = $2', [
      Buffer.from(sha256(tokenOf(offer))),
      Buffer.from(another),
    ]);
    await expect(repeat(offer, NOW, another)).rejects.toEqual(broken);
    // The token itself, given to another offer.
    await expect(repeat({ ...other, offerId: other.offerId }, NOW, another, tokenOf(offer))).rejects.toEqual(broken);
  });
});
