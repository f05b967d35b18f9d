import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { decodeJwt } from 'jose';
import type { Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { copyDatabase, loseDatabase, runSql, type Restore } from './database-copy';
import { endIn, offerCredential, queryFor, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';
import { createW3cIssuer } from './w3c-issuer';
import { createWalletApi, ownerQuery, type WalletApi } from './wallet-api';

const AFTER_RESTORE = readFileSync(path.resolve(__dirname, '../../deploy/after-restore.sql'), 'utf8');
const SERVICES = ['verifier', 'issuer', 'wallet-store'] as const;
/** While true, the backend takes nothing, and events wait in the outbox. */
let away = false;
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ respond: () => (away ? 503 : 204) });
});
afterAll(() => stage?.stop());

const change = (offerId: string, status: string) => stage.management('PATCH', `/offers/${offerId}/status`, { status });

/** A wallet with the credential of one offer. */
async function issued() {
  const wallet = stage.createWallet();
  const { offerId, uri } = await offerCredential(stage);
  await wallet.redeemOffer(uri);
  return { wallet, offerId };
}

/** The list that holds the status of a wallet's credential. */
function listOf(wallet: Wallet): string {
  const [compact] = wallet.credentials()[0]?.compact.split('~', 1) ?? [];
  const { status } = decodeJwt<{ status: { status_list: { uri: string } } }>(compact ?? '');
  return status.status_list.uri;
}

/** What the backend hears when the wallet shows its credential. */
async function present(wallet: Wallet): Promise<Record<string, unknown>> {
  const { state, crossDevice } = await requestPresentation(stage);
  await wallet.present(crossDevice);
  return (await stage.callbacksOf(state, 1))[0] ?? {};
}
const REVOKED = {
  status: 'VERIFICATION_FAILED',
  errorDetails: expect.stringMatching(/^credential_revoked: /) as string,
};

/** A verifier that has seen no list yet. */
const forgetLists = () => stage.stack.process('verifier').restart();
const attemptsAbout = (id: string) =>
  stage.backend.received.filter(({ text }) => text.includes(id)).map(({ text }) => text);

/** A presentation that has ended while the backend was away. */
async function waitingCallback(wallet: Wallet): Promise<string> {
  away = true;
  const { state, crossDevice } = await requestPresentation(stage);
  expect((await wallet.present(crossDevice)).status).toBe(200);
  await until(() => attemptsAbout(state).length > 0);
  return state;
}

/** Lets the backend take what waits for it. */
async function deliver(state: string): Promise<void> {
  away = false;
  expect((await stage.management('POST', '/callbacks/verifier/retry')).status).toBe(200);
  await stage.untilDelivered([state]);
}

/** A wallet of a tenant with a document and a draft of a presentation. */
async function createContent(api: WalletApi) {
  const owner = await api.newWallet();
  const credential = await api.importCredential(owner, await (await createW3cIssuer()).issue({ given_name: 'Ada' }));
  return { owner, presentation: await api.newPresentation(owner, credential) };
}

async function migrate(): Promise<void> {
  const migrated = await Promise.all(SERVICES.map((app) => stage.stack.process(app).runCommand('migrate')));
  expect(migrated.map(({ code }) => code)).toEqual([0, 0, 0]);
}

/** The services die, the database is gone, and what is in the copy comes back; `repair` runs before they start. */
async function loseAndRestore(restore: Restore, repair?: string): Promise<void> {
  await Promise.all(SERVICES.map((app) => stage.stack.process(app).kill('SIGKILL')));
  const { adminUrl, urls } = stage.database;
  await loseDatabase(adminUrl, urls);
  await restore(adminUrl, migrate);
  if (repair !== undefined) await runSql(adminUrl, repair);
  await Promise.all(SERVICES.map((app) => stage.stack.process(app).restart()));
}

describe('after everything was lost and the last backup was restored with the sealing keys', () => {
  it('open flows end, waiting callbacks arrive, and statuses stay and change', async () => {
    const api = createWalletApi(stage.stack.baseUrl, stage.stack.files.secrets.apiKey);
    const { presentation } = await createContent(api);
    const [good, revoked] = [await issued(), await issued()];
    expect((await change(revoked.offerId, 'revoked')).status).toBe(200);
    const request = await requestPresentation(stage);
    const offer = await offerCredential(stage, { tx_code: { input_mode: 'numeric', length: 6 } });
    const waiting = await waitingCallback(good.wallet);
    const [posted] = attemptsAbout(waiting);

    await loseAndRestore(await copyDatabase(stage.database.adminUrl));
    await deliver(waiting);
    expect(new Set(attemptsAbout(waiting))).toEqual(new Set([posted]));
    expect(JSON.parse(posted ?? '')).toMatchObject({ status: 'FULFILLED', state: waiting });
    expect((await good.wallet.present(request.crossDevice)).status).toBe(200);
    expect((await stage.callbacksOf(request.state, 1))[0]).toMatchObject({ status: 'FULFILLED' });
    expect(await stage.createWallet().redeemOffer(offer.uri, { txCode: String(offer.txCode) })).toHaveLength(1);
    expect(await present(revoked.wallet)).toMatchObject(REVOKED);
    expect((await change(good.offerId, 'revoked')).body).toMatchObject({ status: 'revoked', credentials: 1 });
    await forgetLists();
    expect(await present(good.wallet)).toMatchObject(REVOKED);
    expect((await api.call('POST', `/vp/${presentation}/issue`, { Challenge: 'zero' })).status).toBe(200);
    expect(stage.logLines.filter((line) => line.includes('seal_broken'))).toEqual([]);
  });
});

describe('after a restore to an older point in time and deploy/after-restore.sql', () => {
  it('nothing is used twice, no index is assigned twice, and lost revocations can be made again', async () => {
    const known = await issued();
    const offer = await offerCredential(stage);
    const request = await requestPresentation(stage);
    const copy = await copyDatabase(stage.database.adminUrl);
    const redeemer = stage.createWallet();
    await redeemer.redeemOffer(offer.uri);
    expect((await known.wallet.present(request.crossDevice)).status).toBe(200);
    expect((await stage.callbacksOf(request.state, 1))[0]).toMatchObject({ status: 'FULFILLED' });
    const forgotten = await issued();
    expect((await change(known.offerId, 'revoked')).status).toBe(200);
    expect(listOf(forgotten.wallet)).toBe(listOf(known.wallet));

    await loseAndRestore(copy, AFTER_RESTORE);
    const again = stage.createWallet();
    await expect(again.redeemOffer(offer.uri)).rejects.toThrow('the server answered 404');
    expect(again.credentials()).toEqual([]);
    await expect(known.wallet.present(request.crossDevice)).rejects.toThrow('the server answered 404');
    const outcomes = (await stage.callbacksOf(request.state, 2)).map(({ status }) => status);
    expect(outcomes.filter((status) => status === 'FULFILLED')).toHaveLength(1);

    expect(await present(known.wallet)).toMatchObject({ status: 'FULFILLED' });
    expect((await change(known.offerId, 'revoked')).status).toBe(200);
    await forgetLists();
    expect(await present(known.wallet)).toMatchObject(REVOKED);
    expect((await change(forgotten.offerId, 'revoked')).body).toMatchObject({ code: 'credential_offer_not_found' });
    expect(await present(forgotten.wallet)).toMatchObject({ status: 'FULFILLED' });
    const later = await issued();
    expect(listOf(later.wallet)).not.toBe(listOf(forgotten.wallet));
    expect(await present(later.wallet)).toMatchObject({ status: 'FULFILLED' });
  });
});

describe('after a restore without the sealing keys', () => {
  it('open flows, waiting events and wallet content are lost, and statuses and outcomes are not', async () => {
    const api = createWalletApi(stage.stack.baseUrl, stage.stack.files.secrets.apiKey);
    const { owner, presentation } = await createContent(api);
    const repeatable = { 'Idempotency-Key': randomBytes(20).toString('hex') };
    const first = await stage.management('POST', '/oidc4vp', { dcql_query: queryFor(stage) }, repeatable);
    expect(first.status).toBe(201);
    const holder = await issued();
    const request = await requestPresentation(stage);
    const offer = await offerCredential(stage);
    expect((await stage.callbacksOf(offer.offerId, 1))[0]).toMatchObject({ status: 'OFFER_CREATED' });
    const waiting = await waitingCallback(holder.wallet);
    const copy = await copyDatabase(stage.database.adminUrl);
    const SEALING_KEYS = randomBytes(32).toString('base64url');
    for (const app of SERVICES) stage.stack.process(app).configure({ SEALING_KEYS });
    await loseAndRestore(copy);
    const attempts = attemptsAbout(waiting).length;
    away = false;
    await expect(holder.wallet.present(request.crossDevice)).rejects.toThrow('the server answered 503');
    await expect(stage.createWallet().redeemOffer(offer.uri)).rejects.toThrow('the server answered 503');
    expect((await stage.management('POST', '/callbacks/verifier/retry')).status).toBe(200);
    await until(() => stage.logLines.some((line) => line.includes('"result":"seal_broken"')));
    expect(attemptsAbout(waiting)).toHaveLength(attempts);
    const kept = (await stage.management('GET', `/oidc4vp/${waiting}`)).body;
    expect(kept).toMatchObject({ state: waiting, status: 'FULFILLED' });
    expect(kept).not.toHaveProperty('credentials');
    expect((await api.get(`/vp/${presentation}?${ownerQuery(owner)}`)).body['code']).toBe('seal_broken');
    const repeated = await stage.management('POST', '/oidc4vp', { dcql_query: queryFor(stage) }, repeatable);
    expect([repeated.status, repeated.body['code']]).toEqual([503, 'seal_broken']);
    expect((await api.call('POST', `/vp/${presentation}/issue`, { Challenge: 'one' })).body['code']).toBe(
      'seal_broken',
    );

    await endIn(stage, 0, request.state, offer.offerId);
    // The former if the gateway has reported by then that a wallet came and could not be served.
    const [ended] = await stage.callbacksOf(request.state, 1);
    expect(['PROCESSING_ERROR', 'EXPIRED']).toContain(ended?.['status']);
    expect(['FAILED', 'EXPIRED']).toContain((await stage.callbacksOf(offer.offerId, 2)).at(-1)?.['status']);
    expect(await present(holder.wallet)).toMatchObject({ status: 'FULFILLED' });
    expect((await change(holder.offerId, 'revoked')).body).toMatchObject({ status: 'revoked', credentials: 1 });
    await forgetLists();
    expect(await present(holder.wallet)).toMatchObject(REVOKED);
    expect(await present((await issued()).wallet)).toMatchObject({ status: 'FULFILLED' });
    const fresh = await createContent(api);
    expect((await api.call('POST', `/vp/${fresh.presentation}/issue`, { Challenge: 'two' })).status).toBe(200);
  });
});
