import { until } from '@vestibule/testkit';
import { Client } from 'pg';
import { CONTENT, startStage, type Stage } from './stage';
import { createWalletApi, newTenantKey, ownerQuery, type OwnedWallet, type WalletApi } from './wallet-api';

let stage: Stage;
let busy: { readonly api: WalletApi; readonly owner: OwnedWallet };
let other: typeof busy;

async function tenant(name: string): Promise<typeof busy> {
  const api = createWalletApi(stage.stack.baseUrl, await newTenantKey(stage, name));
  return { api, owner: await api.newWallet() };
}

/** Each row of this entity costs whoever reads it a second: a search that is slow by what it searches. */
async function slowDown(entityDid: string): Promise<void> {
  const client = new Client({ connectionString: stage.database.adminUrl });
  await client.connect();
  await client.query(
    `CREATE POLICY slow ON wallet_store.credential AS RESTRICTIVE FOR SELECT
     USING (entity_did <> '${entityDid}' OR pg_sleep(1) IS NOT NULL)`,
  );
  await client.query(
    `INSERT INTO wallet_store.credential (did, revision, latest, tenant_id, wallet_did, entity_did, state, types, body, labels, annotations, created_at, updated_at)
     SELECT 'did:x:' || n, 1, true, tenant_id, did, entity_did, 'draft', '{}', '', '{}', '{}', now(), now()
     FROM wallet_store.wallet, generate_series(1, 10) AS n WHERE entity_did = $1`,
    [entityDid],
  );
  await client.end();
}

beforeAll(async () => {
  stage = await startStage({ apps: CONTENT });
  [busy, other] = [await tenant('busy'), await tenant('other')];
  await slowDown(busy.owner.entityDid);
});
afterAll(() => stage?.stop());

describe('a tenant whose searches are slow', () => {
  it('hears 503 with what to do, and another tenant reads and writes as ever meanwhile', async () => {
    let isOver = false;
    const outcomes: string[] = [];
    const flood = Array.from({ length: 20 }, async () => {
      while (!isOver) {
        const { status, headers, body } = await busy.api.get(`/credentials?${ownerQuery(busy.owner)}`);
        outcomes.push(`${status} ${String(body['code'])} ${headers.has('retry-after')}`);
      }
    });
    for (let count = 0; count < 15; count += 1) {
      expect((await other.api.get(`/credentials?${ownerQuery(other.owner)}`)).status).toBe(200);
      expect((await other.api.call('POST', `/wallet?entityDid=${other.owner.entityDid}`)).status).toBe(201);
    }
    // The flood was there all the time, whatever is asked of it.
    await until(() => outcomes.length >= 20);
    expect((await other.api.get(`/credentials?${ownerQuery(other.owner)}`)).status).toBe(200);
    isOver = true;
    await Promise.all(flood);
    expect([...new Set(outcomes)].sort()).toEqual(['503 search_timeout true', '503 tenant_busy true']);
  });
});
