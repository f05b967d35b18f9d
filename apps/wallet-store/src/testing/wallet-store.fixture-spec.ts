import { createHash, randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import { createTestDatabase } from '@vestibule/dev-stack';
import type { JsonObject } from '@vestibule/foundation';
import { createDatabase, createIdempotency } from '@vestibule/persistence';
import type { Logger } from '@vestibule/service';
import { bodyContext, ContentStore } from '../adapters/postgres/content.store';
import { MIGRATIONS, SCHEMA } from '../adapters/postgres/migrations';
import { TenantStore } from '../adapters/postgres/tenant.store';
import { WalletStore } from '../adapters/postgres/wallet.store';
import { composeWalletStore } from '../compose';
import type { ContentState } from '../domain/records';
import type { ContentKind, Owner } from '../use-cases/read-content';

const silent = (): void => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = () => new Date();

/** One revision as a test puts it into a wallet. */
export interface Content {
  readonly did: string;
  readonly state?: ContentState;
  readonly revision?: number;
  readonly latest?: boolean;
  readonly holderDid?: string | null;
  readonly issuerDid?: string | null;
  readonly body?: JsonObject;
  /** An SQL expression. */
  readonly createdAt?: string;
}

/** The wallet store over a fresh Postgres database of its own. */
export async function openWalletStore() {
  const testDatabase = await createTestDatabase();
  const url = testDatabase.urls.wallet_store;
  const database = await createDatabase({
    url,
    schema: SCHEMA,
    applicationName: 'test',
    migrations: MIGRATIONS,
    logger,
  });
  const sealer = createSealer([randomBytes(32)], randomBytes);
  const tenants = new TenantStore(database);
  const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock });
  const store = composeWalletStore({
    clock,
    random: randomBytes,
    tenants,
    wallets: new WalletStore(database, sealer, idempotency),
    credentials: new ContentStore(database, sealer, 'credential'),
    presentations: new ContentStore(database, sealer, 'presentation'),
  });

  const newTenant = async () => {
    const keyDigest = createHash('sha256').update(randomBytes(32)).digest();
    await tenants.install(randomBytes(8).toString('hex'), keyDigest);
    const apiKeyDigest = keyDigest.toString('base64url');
    const { EntityDid } = await store.createEntity({ apiKeyDigest });
    const { WalletDid } = await store.createWallet({ apiKeyDigest, entityDid: EntityDid });
    return { apiKeyDigest, keyDigest, owner: { entityDid: EntityDid, walletDid: WalletDid } };
  };
  const insert = async (kind: ContentKind, { entityDid, walletDid }: Owner, content: Content) => {
    const { did, revision = 1, body = { id: content.did } } = content;
    const sealed = sealer.seal(Buffer.from(JSON.stringify(body)), bodyContext(kind, { walletDid, did, revision }));
    await database.query(
      `INSERT INTO wallet_store.${kind} (did, revision, latest, tenant_id, wallet_did, entity_did, state, issuer_did,
         holder_did, types, body, created_at, updated_at)
       SELECT $1, $2, $3, tenant_id, did, entity_did, $5, $6, $7, '{VerifiableCredential}', $8,
         ${content.createdAt ?? 'now()'}, now() FROM wallet_store.wallet WHERE did = $4 AND entity_did = $9`,
      [
        did,
        revision,
        content.latest ?? true,
        walletDid,
        content.state ?? 'issued',
        content.issuerDid ?? null,
        content.holderDid ?? null,
        sealed,
        entityDid,
      ],
    );
  };
  return {
    store,
    tenants,
    database,
    sealer,
    idempotency,
    newTenant,
    insert,
    async close() {
      await database.close();
      await testDatabase.drop();
    },
  };
}

export type WalletStoreStage = Awaited<ReturnType<typeof openWalletStore>>;
export type Tenant = Awaited<ReturnType<WalletStoreStage['newTenant']>>;
