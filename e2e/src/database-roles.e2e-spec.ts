import type { Wallet } from '@vestibule/demo-wallet';
import { Client } from 'pg';
import { issueTo, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';
import { createWalletApi } from './wallet-api';

let stage: Stage;
let wallet: Wallet;
beforeAll(async () => {
  stage = await startStage({ rolesApart: true });
  wallet = stage.createWallet();
});
afterAll(() => stage?.stop());

/** What the running role of a service gets for a statement: its rows, or the SQLSTATE of the refusal. */
async function asRunningRole(service: 'verifier' | 'issuer' | 'wallet_store', sql: string): Promise<unknown> {
  const url = new URL(stage.database.urls[service]);
  url.username += '_run';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await client.end();
  }
}
const DENIED = '42501';

describe('services whose roles do not own their schemas', () => {
  it('issue, verify, deliver callbacks and keep wallet content', async () => {
    await issueTo(stage, wallet);
    const { state, crossDevice } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    expect((await stage.callbacksOf(state, 1))[0]).toMatchObject({ status: 'FULFILLED' });
    const { baseUrl, files } = stage.stack;
    const owned = await createWalletApi(baseUrl, files.secrets.apiKey).newWallet();
    expect(owned.walletDid).toMatch(/^did:/);
    expect(stage.logLines.filter((line) => line.includes(DENIED))).toEqual([]);
  });

  it.each([
    'ALTER TABLE wallet_store.credential DISABLE ROW LEVEL SECURITY',
    'ALTER TABLE wallet_store.credential NO FORCE ROW LEVEL SECURITY',
    'DROP POLICY of_tenant ON wallet_store.credential',
    'DROP TABLE wallet_store.credential',
    'ALTER TABLE wallet_store.wallet ADD COLUMN extra text',
    'TRUNCATE wallet_store.wallet',
    'UPDATE wallet_store.audit_record SET record = record',
    'DELETE FROM wallet_store.audit_record',
    'TRUNCATE wallet_store.audit_record',
    'ALTER TABLE wallet_store.audit_record DISABLE TRIGGER ALL',
    'CREATE TABLE wallet_store.other (id integer)',
    'CREATE SCHEMA other',
    `SET row_security = off; SELECT * FROM wallet_store.wallet`,
    `DELETE FROM wallet_store.migrations`,
    `UPDATE wallet_store.migration_compatibility SET compatible = true`,
    'SELECT * FROM verifier.presentation_request',
    'ALTER ROLE CURRENT_USER BYPASSRLS',
  ])('cannot run %s', async (sql) => {
    expect(await asRunningRole('wallet_store', sql)).toBe(DENIED);
  });

  it('see nothing of any tenant unless they say whose rows they want', async () => {
    expect(await asRunningRole('wallet_store', 'SELECT did FROM wallet_store.wallet')).toEqual([]);
  });

  it.each(['verifier', 'issuer', 'wallet_store'] as const)('own nothing: %s', async (service) => {
    const owned = `SELECT relname FROM pg_class WHERE relowner = current_user::regrole`;
    expect(await asRunningRole(service, owned)).toEqual([]);
    const powers =
      'SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user';
    expect(await asRunningRole(service, powers)).toEqual([
      { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false },
    ]);
  });
});
