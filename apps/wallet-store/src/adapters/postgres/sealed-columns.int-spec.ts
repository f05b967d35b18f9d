import { randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import { findUnclassifiedColumns, resealRecords, type SealedRegistry } from '@vestibule/persistence';
import { createLogger } from '@vestibule/process';
import { openWalletStore, type Tenant, type WalletStoreStage } from '../../testing/wallet-store.fixture-spec';
import { createContentStore } from './content.store';
import { SEALED } from './sealed-columns';

jest.setTimeout(180_000);

const logger = createLogger({ name: 'test', level: 'silent' });
const newKey = randomBytes(32);
const newSealer = createSealer([newKey], randomBytes);

let stage: WalletStoreStage;
let tenants: Tenant[];
beforeAll(async () => {
  stage = await openWalletStore();
  tenants = await Promise.all(Array.from({ length: 3 }, () => fillTenant()));
});
afterAll(() => stage.close());

/** A tenant with something in every sealed column. */
async function fillTenant(): Promise<Tenant> {
  const tenant = await stage.newTenant();
  const { apiKeyDigest, owner } = tenant;
  await stage.insert('credential', owner, { did: `did:x:${tenant.id}`, body: { of: tenant.id } });
  await stage.newDraft(tenant);
  await stage.store.createPresentation({ apiKeyDigest, ...owner, credentialDids: [`did:x:${tenant.id}`] });
  await stage.store.createEntity({ apiKeyDigest, idempotencyKey: 'k'.repeat(32) });
  return tenant;
}

/** How many values each sealed column has, and how many of them are under the new key, for whoever sees everything. */
function counts() {
  return Promise.all(
    SEALED.sealed.map(async ({ table, column }) => {
      const [row] = await stage.outside<{ all: number; moved: number }>(
        `SELECT count(*)::int AS all, count(*) FILTER (WHERE substring(${column} FOR $2) = $1)::int AS moved
         FROM wallet_store.${table} WHERE ${column} IS NOT NULL`,
        [newSealer.currentMark, newSealer.currentMark.length],
      );
      return { column: `${table}.${column}`, all: row?.all ?? 0, moved: row?.moved ?? 0 };
    }),
  );
}

const reseal = (registry: SealedRegistry) => {
  const sealer = createSealer([newKey, stage.sealingKey], randomBytes);
  return resealRecords({ database: stage.database, registry, sealer, logger, pauseMilliseconds: 20 });
};

it('names every byte column of the schema: sealed, so that re-sealing visits it, or an identifier or digest', async () => {
  expect(await findUnclassifiedColumns(stage.database, SEALED)).toEqual([]);
  const forgetful = { ...SEALED, sealed: SEALED.sealed.slice(1) };
  const missing = SEALED.sealed.slice(0, 1).map(({ table, column }) => `${table}.${column}`);
  expect(await findUnclassifiedColumns(stage.database, forgetful)).toEqual(missing);
});

it('re-sealing fails, and does not overlook rows, where a table under row-level security is visited without tenants', async () => {
  const blind = { ...SEALED, sealed: SEALED.sealed.map(({ scope: _tenants, ...column }) => column) };
  await expect(reseal(blind)).rejects.toMatchObject({ code: 'database_error', sqlState: '42501' });
  for (const { column, moved } of await counts()) expect([column, moved]).toEqual([column, 0]);
});

it('re-sealing reaches every sealed value of every tenant as the role of the service, and the older key can go', async () => {
  const before = await counts();
  for (const { column, all } of before) expect([column, all >= tenants.length]).toEqual([column, true]);
  const total = before.reduce((sum, { all }) => sum + all, 0);
  expect(await reseal(SEALED)).toEqual({ moved: total, broken: 0, left: 0 });
  expect(await counts()).toEqual(before.map((one) => ({ ...one, moved: one.all })));
  const credentials = createContentStore(stage.database, newSealer, 'credential');
  for (const { id, owner } of tenants) {
    const found = await credentials.findOne(id, { ...owner, did: `did:x:${id}`, queryMode: 'All' });
    expect(found?.body).toEqual({ of: id });
  }
});
