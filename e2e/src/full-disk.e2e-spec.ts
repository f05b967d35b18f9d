import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWallet, type Wallet } from '@vestibule/demo-wallet';
import {
  createBackend,
  createManagement,
  createTestNats,
  mountSmallDisk,
  moveDatabase,
  offerSample,
  provisionDatabase,
  requestSample,
  startCallbackReceiver,
  startEmbeddedPostgres,
  startStack,
  type CallbackReceiver,
  type Management,
  type SmallDisk,
  type Stack,
} from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { FLOWS } from './stage';

const DATABASE = 'vestibule';
const folder = path.join(tmpdir(), `vestibule-full-disk-${randomBytes(6).toString('hex')}`);
/** Only root may mount, and not in every container. Where it may not, `unwritable-postgres` has the stand-in. */
const canMount = (() => {
  mkdirSync(folder, { mode: 0o711 });
  const disk = mountSmallDisk(path.join(folder, 'try'), folder);
  disk?.unmount();
  return disk !== undefined;
})();
const ifMounted = canMount ? describe : describe.skip;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

ifMounted('14.4 a Postgres whose tables are on a full disk', () => {
  const opened: (() => Promise<void> | void)[] = [];
  let disk: SmallDisk;
  let backend: CallbackReceiver;
  let stack: Stack;
  let management: Management;
  let wallet: Wallet;

  beforeAll(async () => {
    const postgres = await startEmbeddedPostgres({ dataFolder: path.join(folder, 'postgres') });
    disk = mountSmallDisk(path.join(folder, 'disk'), postgres.dataFolder) as SmallDisk;
    // Postgres has its files there.
    opened.push(() => disk.unmount(), postgres.stop);
    const { adminUrl } = postgres;
    const [verifier, issuer, wallet_store] = ['verifier', 'issuer', 'wallet_store'] as const;
    const passwords = { [verifier]: 'verifier', [issuer]: 'issuer', [wallet_store]: 'wallet-store' };
    const databaseUrls = await provisionDatabase({ adminUrl, database: DATABASE, passwords });
    await moveDatabase(adminUrl, DATABASE, disk.folder);
    const nats = await createTestNats();
    opened.push(nats.stop);
    backend = await startCallbackReceiver();
    opened.push(() => backend.stop());
    stack = await startStack({
      dataFolder: path.join(folder, 'stack'),
      databaseUrls,
      natsUrl: nats.url,
      callbackUrl: backend.url,
      ports: { management: 0, public: 0 },
      apps: FLOWS,
    });
    opened.push(() => stack.stop());
    management = createManagement(stack.managementUrl);
    wallet = createWallet();
  });
  afterAll(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });

  const asBackend = () => createBackend(stack, management);
  const statusesOf = (id: string) =>
    backend.received.filter(({ text }) => text.includes(id)).map(({ body }) => (body as { status: string }).status);
  const offer = () => management('POST', '/offers', { credential_configuration_id: 'identity-card', deferred: true });

  it('is 503 with Retry-After, loses nothing, and all is well once there is space again', async () => {
    await wallet.redeemOffer((await offerSample(asBackend())).uri);
    const { state, crossDevice } = await requestSample(asBackend());
    const { responseUri, form } = await wallet.buildPresentation(crossDevice);
    const made: string[] = [];
    disk.fill();
    try {
      // What fits into the pages that there are is still written.
      await until(async () => {
        const { status, headers, body } = await offer();
        if (status === 201) made.push(String(body['offer_id']));
        else {
          expect([status, body['code']]).toEqual([503, 'database_not_writable']);
          expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        }
        return status !== 201;
      });
      const told = await wallet.send(responseUri, form);
      expect([200, 503]).toContain(told.status);
    } finally {
      disk.empty();
    }
    await until(async () => (await offer()).status === 201);
    await until(async () => (await wallet.send(responseUri, form)).status === 200);
    await until(() => statusesOf(state).length > 0);
    expect(statusesOf(state)).toEqual(['FULFILLED']);
    await until(() => made.every((id) => statusesOf(id).length > 0));
    expect(made.flatMap(statusesOf)).toEqual(made.map(() => 'OFFER_CREATED'));
    await wallet.redeemOffer((await offerSample(asBackend())).uri);
  });
});
