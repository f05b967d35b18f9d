import { randomBytes } from 'node:crypto';
import { createSealer, createSecret, createTimedId, sha256 } from '@vestibule/crypto';
import type { OpenOffer } from '../../domain/credential-offer';
import { createOlderReplicas } from '../../domain/older-replicas';
import { TYPE_ID } from '../../testing/issuer.fixture-spec';
import { servedWallets } from '../../testing/served-wallets.fixture-spec';
import { at, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { createWalletKey, type WalletKey } from '../../testing/wallet.fixture-spec';
import { sessionContext } from './sealed-offer';

jest.setTimeout(180_000);

let stage: StoreStage;
let owner: WalletKey;
let thief: WalletKey;
beforeAll(async () => {
  [stage, owner, thief] = [await openStoreStage(), await createWalletKey(), await createWalletKey()];
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const ALTERED = expect.objectContaining({ code: 'record_altered' });
const HOUR = 3_600_000;
const idOf = ({ offerId }: Pick<OpenOffer, 'offerId'>) => Buffer.from(offerId, 'base64url');

/** A replica that was started `elapsed` milliseconds ago. */
function openReplica(elapsed = HOUR) {
  let passed = 0;
  const olderReplicas = createOlderReplicas(() => passed);
  passed = elapsed;
  const store = stage.storeWith(stage.keys, false, { olderReplicas });
  return { store, ...servedWallets(store, owner) };
}

/** A token as the previous version makes it, in a row that anybody may have written. */
async function insertToken(offer: OpenOffer, key: WalletKey): Promise<string> {
  const token = createSecret(randomBytes);
  await stage.database.query(
    `INSERT INTO issuer.access_token (token_digest, offer_id, thumbprint, granted, expires_at) VALUES ($1, $2, $3, '[]', $4)`,
    [sha256(token), idOf(offer), key.thumbprint, at(200)],
  );
  return token;
}

/** An offer that a replica of the previous version made, so many seconds ago. */
async function insertOlder(secondsAgo: number): Promise<OpenOffer> {
  const offer = await stage.insert({ offerId: createTimedId(at(-secondsAgo), randomBytes) });
  const { claims, preAuthorizedCode } = offer;
  const session = Buffer.from(JSON.stringify({ claims, preAuthorizedCode }));
  const sealed = createSealer(stage.keys, randomBytes).seal(session, sessionContext(offer.offerId));
  await stage.database.query('UPDATE issuer.credential_offer SET session = $1 WHERE offer_id = $2', [
    sealed,
    idOf(offer),
  ]);
  return offer;
}

describe('while replicas of the previous version may run', () => {
  it('their tokens, without a tag, get the credential', async () => {
    const young = openReplica(0);
    const offer = await stage.insert({}, undefined, young.store);
    expect(await young.request(await insertToken(offer, owner), owner, TYPE_ID)).toHaveProperty('credentials');
  });

  it('a token with a tag still has to be for its offer', async () => {
    const young = openReplica(0);
    const [victim, own] = [
      await stage.insert({}, undefined, young.store),
      await stage.insert({}, undefined, young.store),
    ];
    const token = await young.redeem(own, thief);
    await stage.database.query('UPDATE issuer.access_token SET offer_id = $1 WHERE token_digest = $2', [
      idOf(victim),
      sha256(token),
    ]);
    await expect(young.request(token, thief, TYPE_ID)).rejects.toEqual(ALTERED);
    expect(await stage.row(victim)).toMatchObject({ status: 'OFFER_CREATED' });
  });
});

describe('a replica that has run for an hour', () => {
  it('takes no token without a tag for an offer that it made', async () => {
    const settled = openReplica();
    const offer = await stage.insert({}, undefined, settled.store);
    await expect(settled.request(await insertToken(offer, owner), owner, TYPE_ID)).rejects.toEqual(ALTERED);
  });

  it('takes them as soon as it meets an offer that the previous version has just made, and while it does', async () => {
    const settled = openReplica();
    const [before, older] = [await stage.insert({}, undefined, settled.store), await insertOlder(60)];
    expect(await settled.request(await insertToken(older, owner), owner, TYPE_ID)).toHaveProperty('credentials');
    const after = await stage.insert({}, undefined, settled.store);
    for (const offer of [before, after])
      expect(await settled.request(await insertToken(offer, owner), owner, TYPE_ID)).toHaveProperty('credentials');
    // The one that was made meanwhile takes them for as long as it lives, also elsewhere.
    const another = await stage.insert({}, undefined, settled.store);
    expect(await openReplica().request(await insertToken(another, owner), owner, TYPE_ID)).toHaveProperty(
      'credentials',
    );
  });

  it('takes none because of an offer that the previous version made before it was replaced', async () => {
    const settled = openReplica();
    const older = await insertOlder(15 * 60 + 1);
    expect(await settled.request(await insertToken(older, owner), owner, TYPE_ID)).toHaveProperty('credentials');
    const offer = await stage.insert({}, undefined, settled.store);
    await expect(settled.request(await insertToken(offer, owner), owner, TYPE_ID)).rejects.toEqual(ALTERED);
  });
});
