import { randomBytes } from 'node:crypto';
import { createSecret, sha256 } from '@vestibule/crypto';
import { until } from '@vestibule/testkit';
import type { OpenOffer } from '../../domain/credential-offer';
import { PLAIN_TYPE_ID, TYPE_ID } from '../../testing/issuer.fixture-spec';
import { servedWallets } from '../../testing/served-wallets.fixture-spec';
import { at, OFFER_SECONDS, openStoreStage, TX_CODE, WAITING, type StoreStage } from '../../testing/store.fixture-spec';
import { createWalletKey, type WalletKey } from '../../testing/wallet.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
/** A second connection, with which somebody without any key writes rows. */
let attacker: Awaited<ReturnType<StoreStage['open']>>;
let owner: WalletKey;
let thief: WalletKey;
let wallets: ReturnType<typeof servedWallets>;
beforeAll(async () => {
  [stage, owner, thief] = [await openStoreStage(), await createWalletKey(), await createWalletKey()];
  attacker = await stage.open();
  wallets = servedWallets(stage.store, owner);
});
afterEach(() => stage.clear());
afterAll(async () => {
  await attacker.close();
  await stage.close();
});

const ALTERED = expect.objectContaining({ code: 'record_altered', kind: 'unavailable' });
const idOf = ({ offerId }: Pick<OpenOffer, 'offerId'>) => Buffer.from(offerId, 'base64url');
const write = (sql: string, ...values: unknown[]) => attacker.query(sql, values);

/** Writes a token of the attacker's own choice for somebody's offer. */
async function insertToken(offer: OpenOffer, token: string, key = thief): Promise<void> {
  await write(
    `INSERT INTO issuer.access_token (token_digest, offer_id, thumbprint, granted, expires_at) VALUES ($1, $2, $3, '[]', $4)`,
    sha256(token),
    idOf(offer),
    key.thumbprint,
    at(200),
  );
}

/** Changes a row that `work` has read, while it waits to write to it. */
async function writeMeanwhile<Result>(work: () => Promise<Result>, sql: string): Promise<Result> {
  const [running] = await attacker.transaction(async ({ query }) => {
    await query(sql);
    const result = work();
    await until(async () => (await stage.database.query(WAITING)).length > 0);
    return [result];
  });
  return running;
}

/** Nothing was issued, and no event says so. */
async function expectNothing(offer: OpenOffer): Promise<void> {
  expect(await stage.row(offer)).toMatchObject({ status: 'OFFER_CREATED' });
  expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED']);
}

describe('whoever writes rows of the issuer', () => {
  it('is not needed for a credential', async () => {
    const [plain, deferred] = [await stage.insert({}, TX_CODE), await stage.insert({ deferral: 'waiting' })];
    const answer = await wallets.request(await wallets.redeem(plain, owner, TX_CODE), owner, TYPE_ID);
    expect(answer).toHaveProperty('credentials');
    const token = await wallets.redeem(deferred, owner);
    const promise = await wallets.request(token, owner, TYPE_ID);
    const transactionId = 'transaction_id' in promise ? promise.transaction_id : '';
    expect(await wallets.requestLater(token, owner, transactionId)).toEqual(promise);
    expect(await stage.store.completeClaims(deferred.offerId, deferred.claims, at(0))).toBe(true);
    expect(await wallets.requestLater(token, owner, transactionId)).toHaveProperty('credentials');
  });

  it.each([
    ['of the form that tokens have', () => Buffer.from(randomBytes(48)).toString('base64url')],
    ['of the form that they had', () => createSecret(randomBytes)],
  ])('gets no credential with a token %s for the offer of somebody else', async (_form, newToken) => {
    const victim = await stage.insert();
    const token = newToken();
    await insertToken(victim, token);
    await expect(wallets.request(token, thief, TYPE_ID)).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it('gets no credential with a token for an offer of their own that they move', async () => {
    const [victim, own] = [await stage.insert(), await stage.insert()];
    const token = await wallets.redeem(own, thief);
    await write('UPDATE issuer.access_token SET offer_id = $1 WHERE token_digest = $2', idOf(victim), sha256(token));
    await expect(wallets.request(token, thief, TYPE_ID)).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it('gets no credential with the token of somebody else, whose key they replace', async () => {
    const victim = await stage.insert();
    const token = await wallets.redeem(victim, owner);
    await write('UPDATE issuer.access_token SET thumbprint = $1', thief.thumbprint);
    await expect(wallets.request(token, thief, TYPE_ID)).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it.each([
    ['client_id', `'another-wallet'`],
    ['granted', `'[{"configurationId": "${TYPE_ID}", "credentialIdentifier": "another"}]'`],
  ])('does not change the %s of a token', async (column, value) => {
    const victim = await stage.insert();
    const token = await wallets.redeem(victim, owner);
    await write(`UPDATE issuer.access_token SET ${column} = ${value}`);
    await expect(wallets.request(token, owner, TYPE_ID)).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it('gets no credential with the code of their own in the offer of somebody else', async () => {
    const victim = await stage.insert();
    const own = { preAuthorizedCode: createSecret(randomBytes) };
    await write('UPDATE issuer.credential_offer SET code_digest = $1', sha256(own.preAuthorizedCode));
    const token = await wallets.redeem(own, thief);
    await expect(wallets.request(token, thief, TYPE_ID)).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it('gets no token with a code of their own where there is a transaction code', async () => {
    const victim = await stage.insert({}, TX_CODE);
    const own = { preAuthorizedCode: createSecret(randomBytes) };
    await write('UPDATE issuer.credential_offer SET code_digest = $1', sha256(own.preAuthorizedCode));
    await expect(wallets.redeem(own, thief, TX_CODE)).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it('gets no credential without the transaction code, though they know the code', async () => {
    const victim = await stage.insert({}, TX_CODE);
    await write('UPDATE issuer.credential_offer SET tx_code_digest = NULL');
    const token = await wallets.redeem(victim, thief);
    await expect(wallets.request(token, thief, TYPE_ID)).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it.each(['NULL', `sha256('another')`])(
    'does not take away a transaction code that is just being tried: %s',
    async (digest) => {
      const victim = await stage.insert({}, TX_CODE);
      const attempt = writeMeanwhile(
        () => wallets.redeem(victim, thief, '000000'),
        `UPDATE issuer.credential_offer SET tx_code_digest = ${digest}`,
      );
      await expect(attempt).rejects.toMatchObject({ code: 'invalid_grant' });
      expect(await stage.row(victim)).toMatchObject({ redeemed_at: null, tx_code_attempts: 1 });
      await expectNothing(victim);
    },
  );

  it('gets no more attempts at a transaction code by trying many at the same time', async () => {
    const victim = await stage.insert({}, TX_CODE);
    await write('UPDATE issuer.credential_offer SET tx_code_attempts = -1000');
    const attempts = Array.from({ length: 12 }, (_, count) =>
      wallets.redeem(victim, thief, `${100_000 + count}`).catch((error: { code: string }) => error.code),
    );
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter((outcome) => outcome === 'invalid_grant')).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === 'record_altered')).toHaveLength(7);
    await expectNothing(victim);
  });

  it('gets no more attempts at a transaction code of a process than an offer has', async () => {
    const victim = await stage.insert({}, TX_CODE);
    const outcomes: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      const attempt = wallets.redeem(victim, thief, `00000${count}`);
      outcomes.push(await attempt.catch((error: { code: string }) => error.code));
      await write('UPDATE issuer.credential_offer SET tx_code_attempts = 0');
    }
    const wrong = Array.from({ length: 5 }, () => 'invalid_grant');
    expect(outcomes).toEqual([...wrong, 'record_altered', 'record_altered']);
    await expect(wallets.redeem(victim, thief, TX_CODE)).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it('gets no token with the transaction code of an offer of their own', async () => {
    const [victim, own] = [await stage.insert({}, TX_CODE), await stage.insert({}, '000000')];
    const { tx_code_digest: digest } = await stage.row(own);
    await write('UPDATE issuer.credential_offer SET tx_code_digest = $1 WHERE offer_id = $2', digest, idOf(victim));
    await expect(wallets.redeem(victim, thief, '000000')).rejects.toMatchObject({ code: 'invalid_grant' });
    await expectNothing(victim);
  });

  it('does not make a credential of another type', async () => {
    const victim = await stage.insert({ configurationId: PLAIN_TYPE_ID, claims: { club: 'canary' } });
    const token = await wallets.redeem(victim, owner);
    await write('UPDATE issuer.credential_offer SET configuration_id = $1', TYPE_ID);
    await expect(wallets.request(token, owner, TYPE_ID)).rejects.toEqual(ALTERED);
    await expect(stage.store.findOpen(victim.offerId, at(0))).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it('does not supply the claims of another type to a deferred offer', async () => {
    const victim = await stage.insert({ deferral: 'waiting' });
    await write('UPDATE issuer.credential_offer SET configuration_id = $1', PLAIN_TYPE_ID);
    await expect(stage.store.completeClaims(victim.offerId, { club: 'canary' }, at(0))).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it('does not prolong an offer', async () => {
    const victim = await stage.insert({}, TX_CODE);
    await write('UPDATE issuer.credential_offer SET expires_at = $1', at(OFFER_SECONDS + 1));
    await expect(wallets.redeem(victim, owner, TX_CODE)).rejects.toEqual(ALTERED);
    await expect(stage.store.findOpen(victim.offerId, at(0))).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });

  it.each([`'ready'`, 'NULL'])(
    'makes no credential of claims that the backend has not confirmed: %s',
    async (state) => {
      const victim = await stage.insert({ deferral: 'waiting' });
      const token = await wallets.redeem(victim, owner);
      await write(`UPDATE issuer.credential_offer SET deferral = ${state}`);
      await expect(wallets.request(token, owner, TYPE_ID)).rejects.toEqual(ALTERED);
      await expectNothing(victim);
    },
  );

  it('does not move what is sealed: claims, and the keys of a deferred credential', async () => {
    const [victim, own] = [await stage.insert({ deferral: 'waiting' }), await stage.insert({ deferral: 'waiting' })];
    const tokens = [await wallets.redeem(victim, owner), await wallets.redeem(own, thief)] as const;
    await wallets.request(tokens[0], owner, TYPE_ID);
    await wallets.request(tokens[1], thief, TYPE_ID);
    const broken = expect.objectContaining({ code: 'seal_broken' });
    const move = (column: string) =>
      write(
        `UPDATE issuer.credential_offer SET ${column} = (SELECT ${column} FROM issuer.credential_offer WHERE offer_id = $1)
         WHERE offer_id = $2`,
        ...(column === 'session' ? [idOf(victim), idOf(own)] : [idOf(own), idOf(victim)]),
      );
    await move('transaction_keys');
    await expect(wallets.request(tokens[0], owner, TYPE_ID)).rejects.toEqual(broken);
    await move('session');
    await expect(wallets.request(tokens[1], thief, TYPE_ID)).rejects.toEqual(broken);
    await expectNothing(victim);
    await expectNothing(own);
  });
});

describe('an offer whose wallet waits', () => {
  it('is not ISSUED without a credential: its keys are gone', async () => {
    const victim = await stage.insert({ deferral: 'waiting' });
    const token = await wallets.redeem(victim, owner);
    const promise = await wallets.request(token, owner, TYPE_ID);
    const transactionId = 'transaction_id' in promise ? promise.transaction_id : '';
    await stage.store.completeClaims(victim.offerId, victim.claims, at(0));
    await write('UPDATE issuer.credential_offer SET transaction_keys = NULL');
    await expect(wallets.requestLater(token, owner, transactionId)).rejects.toEqual(ALTERED);
    await expectNothing(victim);
  });
});
