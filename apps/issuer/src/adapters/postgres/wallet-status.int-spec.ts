import { randomBytes } from 'node:crypto';
import { createAccessToken, tokenKey } from '../../domain/access-token';
import { issuanceEvent } from '../../domain/issuance-event';
import type { OpenOffer } from '../../domain/credential-offer';
import { createSealer, sha256, type EcJwk } from '@vestibule/crypto';
import { resealRecords } from '@vestibule/persistence';
import { CLAIMS, NOW, TYPE_ID } from '../../testing/issuer.fixture-spec';
import { servedWallets } from '../../testing/served-wallets.fixture-spec';
import {
  at,
  completionOf,
  OFFER_SECONDS,
  openStoreStage,
  QUIET,
  redemptionOf,
  type StoreStage,
} from '../../testing/store.fixture-spec';
import { createWalletKey, type WalletKey } from '../../testing/wallet.fixture-spec';
import { SEALED } from './sealed-columns';

jest.setTimeout(180_000);

let stage: StoreStage;
let key: WalletKey;
beforeAll(async () => {
  [stage, key] = [await openStoreStage(), await createWalletKey()];
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const CERTIFICATE = 'MIIBcanaryOfTheCertificate';
const status = {
  header: { typ: 'oauth-client-attestation+jwt', x5c: [CERTIFICATE] },
  own: undefined,
  maintained: { status: { status_list: { uri: 'https://lists.example/wallets', idx: 471_147_114_711 } }, exp: 1 },
};
const walletStatus = { ...status, acceptedAt: NOW };
const KEEPS_CLAIMS = true;

/** An attested wallet redeems an offer; gives its token. */
async function redeemed(offer: OpenOffer, store = stage.store): Promise<string> {
  const { offerId, preAuthorizedCode } = offer;
  const { thumbprint } = key;
  const bound = { key: tokenKey(preAuthorizedCode, undefined), offerId, thumbprint, granted: [], hasStatus: true };
  const token = createAccessToken({ ...bound, clientId: 'wallet' }, randomBytes);
  const client = { thumbprint, clientId: 'wallet', walletStatus };
  expect(await store.redeem(redemptionOf(offer, { ...client, tokenDigest: sha256(token) }))).toBe('redeemed');
  return token;
}

const grantOf = (token: string, now = NOW) => stage.store.findGrant(sha256(token), now, []);
const isKept = async (offer: OpenOffer) => (await stage.row(offer))['wallet_status'] !== null;

describe('where the status of an attested wallet is', () => {
  it('VCI:C15 is known with the token, and who has signed it, and is sealed', async () => {
    const token = await redeemed(await stage.insert());
    expect(await grantOf(token)).toMatchObject({
      clientId: 'wallet',
      walletStatus: { maintained: status.maintained, header: { x5c: [CERTIFICATE] }, acceptedAt: NOW },
    });
    const dump = await stage.dump();
    for (const text of ['lists.example', '471147114711', CERTIFICATE]) expect(dump).not.toContain(text);
  });

  it('is not kept for a wrong transaction code, nor for an anonymous wallet', async () => {
    const offer = await stage.insert({}, '493817');
    await stage.store.redeem(redemptionOf(offer, { txCode: '000000', walletStatus }));
    expect(await isKept(offer)).toBe(false);
    const anonymous = await stage.insert();
    await stage.store.redeem(redemptionOf(anonymous));
    expect(await isKept(anonymous)).toBe(false);
  });

  it.each(['ISSUED', 'FAILED', 'EXPIRED'] as const)('is deleted at %s', async (end) => {
    const offer = await stage.insert();
    const accessToken = await redeemed(offer);
    const { offerId } = offer;
    if (end === 'ISSUED') await stage.store.complete(completionOf(offer, { offer: { offerId, accessToken } }));
    else if (end === 'FAILED') await stage.store.fail(offerId, issuanceEvent(offerId, 'EXPIRED'), NOW);
    else await stage.store.expire([{ offerId, event: issuanceEvent(offerId, end) }], at(OFFER_SECONDS));
    expect((await stage.row(offer))['status']).toBe(end);
    expect(await isKept(offer)).toBe(false);
  });

  it('stays with claims that are kept after ISSUED, and is deleted with them', async () => {
    const store = stage.storeWith(stage.keys, KEEPS_CLAIMS);
    const offer = await stage.insert({ expiresAt: at(100) });
    const accessToken = await redeemed(offer, store);
    const { offerId } = offer;
    expect(await store.complete(completionOf(offer, { offer: { offerId, accessToken } }))).toBe('issued');
    expect(await grantOf(accessToken)).toMatchObject({ status: 'ISSUED', walletStatus: { acceptedAt: NOW } });
    expect((await grantOf(accessToken, at(99)))?.claims).toBeDefined();
    // Their time is over, whether they have been deleted or not.
    const late = await grantOf(accessToken, at(100));
    expect(late).toMatchObject({ status: 'ISSUED', claims: undefined });
    await store.purge(at(OFFER_SECONDS), 10);
    expect(await isKept(offer)).toBe(false);
  });

  it('VCI:T11 cannot be taken from the row: the token says that there is one', async () => {
    const offer = await stage.insert();
    const token = await redeemed(offer);
    await stage.database.query('UPDATE issuer.credential_offer SET wallet_status = NULL');
    const { request } = servedWallets(stage.store, key);
    const altered = expect.objectContaining({ code: 'record_altered' }) as Error;
    await expect(request(token, key, TYPE_ID)).rejects.toEqual(altered);
  });

  it('is not that of another offer', async () => {
    const [offer, other] = [await stage.insert(), await stage.insert()];
    const token = await redeemed(offer);
    await redeemed(other);
    await stage.database.query(
      `UPDATE issuer.credential_offer AS one SET wallet_status = another.wallet_status
       FROM issuer.credential_offer AS another WHERE another.offer_id <> one.offer_id`,
    );
    await expect(grantOf(token)).rejects.toEqual(expect.objectContaining({ code: 'seal_broken' }));
  });
});

describe('a deferred credential that an attested wallet waits for, while keys are rotated', () => {
  const newKey = randomBytes(32);
  const TRANSACTION = 'transaction-id';
  const reseal = (registry = SEALED) => {
    const sealer = createSealer([newKey, ...stage.keys], randomBytes);
    return resealRecords({ database: stage.database, registry, sealer, logger: QUIET });
  };

  async function promised() {
    const offer = await stage.insert({ deferral: 'waiting', claims: {} });
    const accessToken = await redeemed(offer);
    const statuses = [{ ...status, acceptedAt: NOW }];
    const promise = { transactionDigest: sha256(TRANSACTION), keys: [key.jwk as EcJwk], statuses };
    expect(await stage.store.defer({ ...offer, accessToken }, [], promise, NOW)).toBe('deferred');
    expect(await stage.store.completeClaims(offer.offerId, CLAIMS, NOW)).toBe(true);
    return { offer, accessToken };
  }

  it('VCI:F3 is issued when everything is re-sealed and the key is gone that it was promised under', async () => {
    const { offer, accessToken } = await promised();
    expect(await reseal()).toMatchObject({ broken: 0, left: 0 });
    const store = stage.storeWith([newKey]);
    const known = { maintained: status.maintained, header: { x5c: [CERTIFICATE] }, acceptedAt: NOW };
    expect(await store.findGrant(sha256(accessToken), NOW, [])).toMatchObject({
      walletStatus: known,
      deferral: { transaction: { keys: [key.jwk], statuses: [known] } },
    });
    const answer = await servedWallets(store, key).requestLater(accessToken, key, TRANSACTION);
    expect(answer).toMatchObject({ credentials: [expect.anything()] });
    expect((await stage.row(offer))['status']).toBe('ISSUED');
  });

  it('stays as it is when the command of a version re-seals that does not know all that is sealed: it refuses', async () => {
    const { offer } = await promised();
    const before = await stage.row(offer);
    const known = SEALED.sealed.filter(({ column }) => column !== 'wallet_status');
    const refused = expect.objectContaining({ code: 'sealed_column_unknown' }) as Error;
    await expect(reseal({ ...SEALED, sealed: known })).rejects.toEqual(refused);
    expect(await stage.row(offer)).toEqual(before);
  });
});
