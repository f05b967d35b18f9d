import { randomBytes } from 'node:crypto';
import { until } from '@vestibule/testkit';
import { createDidKey } from '@vestibule/vcdm';
import type { Document } from './domain/content';
import { openWalletStore, PATIENT, type Tenant, type WalletStoreStage } from './testing/wallet-store.fixture-spec';

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

let stage: WalletStoreStage;
let tenant: Tenant;
beforeAll(async () => {
  stage = await openWalletStore(PATIENT);
  tenant = await stage.newTenant();
});
afterAll(() => stage.close());

const newDid = () => createDidKey(randomBytes).did;
const documentOf = (did: string): Document => ({
  ...{ did, revision: 1, ...tenant.owner, state: 'issued', types: [], labels: {}, annotations: {} },
  ...{ createdAt: new Date(), updatedAt: new Date(), body: { id: did } },
});

describe('documents that come into one wallet at the same time', () => {
  it('do not wait for each other, in whatever order presentations name them', async () => {
    const { issued } = stage.adapters;
    const [first, middle, last] = [newDid(), newDid(), newDid()].sort().map(documentOf) as [
      Document,
      Document,
      Document,
    ];
    const present = (...credentials: Document[]) =>
      issued.insertCopies(tenant.id, { presentation: documentOf(newDid()), credentials });
    const isWaiting = (count: number) => async () => (await stage.outside(WAITING)).length === count;
    const held = new Error('the call that keeps them waiting comes to nothing');
    let outcomes: Promise<unknown[]> | undefined;
    const holding = stage.asTenant(tenant.id, async (query) => {
      await query(
        `INSERT INTO wallet_store.credential (did, revision, latest, tenant_id, wallet_did, entity_did, state, types, body,
           created_at, updated_at) VALUES ($1, 1, true, $2, $3, $4, 'issued', '{}', '', now(), now())`,
        [middle.did, tenant.id, tenant.owner.walletDid, tenant.owner.entityDid],
      );
      const one = present(first, middle, last);
      await until(isWaiting(1));
      outcomes = Promise.all([one, present(last, first)]);
      await until(isWaiting(2));
      throw held;
    });
    await expect(holding).rejects.toBe(held);
    expect(await outcomes).toHaveLength(2);
  });

  it('are told apart by their DID: a second one is credential_exists, whichever index finds it', async () => {
    const [imported, revised] = [newDid(), newDid()];
    const add = (did: string) =>
      stage.adapters.issued.insertIssued(tenant.id, { ...documentOf(did), isOfStranger: false }, {}, undefined);
    await add(imported);
    await stage.insert('credential', tenant.owner, { did: revised, revision: 2 });
    for (const did of [imported, revised]) {
      await expect(add(did)).rejects.toThrow(expect.objectContaining({ code: 'credential_exists' }));
    }
  });
});
