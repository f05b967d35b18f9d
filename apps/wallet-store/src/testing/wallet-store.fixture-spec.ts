import { createHash, randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import { createTestDatabase } from '@vestibule/dev-stack';
import type { JsonObject } from '@vestibule/foundation';
import { createDatabase, createIdempotency, type Database, type Query } from '@vestibule/persistence';
import type { Logger } from '@vestibule/process';
import { canonicalize, createDidKey, type KnownContexts } from '@vestibule/vcdm';
import { Pool } from 'pg';
import { bodyContext } from '../adapters/postgres/content-row';
import { ContentStore } from '../adapters/postgres/content.store';
import { DraftStore } from '../adapters/postgres/draft.store';
import { IssuedStore } from '../adapters/postgres/issued.store';
import { MIGRATIONS, SCHEMA } from '../adapters/postgres/migrations';
import { TenantStore } from '../adapters/postgres/tenant.store';
import { asTenant } from '../adapters/postgres/tenant-scope';
import { WalletStore } from '../adapters/postgres/wallet.store';
import { composeWalletStore } from '../compose';
import type { Draft, DraftContent } from '../domain/drafts';
import type { ContentState, Owner, TenantId } from '../domain/records';
import type { IssueDraftDeps } from '../use-cases/issue-draft';
import type { ContentKind } from '../use-cases/read-content';

/** Nothing but the bundled contexts. */
const contexts: KnownContexts = { find: () => Promise.resolve(undefined), isOwn: () => false };

const silent = (): void => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = () => new Date();

/** A mistake of a programmer: the tenant in the WHERE of every statement holds for everybody. */
export const forgetTenant = (sql: string) => sql.replace(/tenant_id = (\$\d+)/g, '$1::uuid IS NOT NULL');

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

export interface StoreOptions {
  /** Changes every statement of the stores on its way to Postgres. */
  readonly rewrite?: (sql: string) => string;
  /** Connects as a superuser, for whom row-level security does not hold. */
  readonly asSuperuser?: boolean;
}

function rewriting(database: Database, rewrite: (sql: string) => string): Database {
  const changed =
    (query: Query): Query =>
    (sql, parameters) =>
      query(rewrite(sql), parameters);
  return {
    ...database,
    query: changed(database.query),
    transaction: (work) => database.transaction(({ query, manager }) => work({ query: changed(query), manager })),
  };
}

/** The wallet store over a fresh Postgres database of its own. */
export async function openWalletStore({ rewrite = (sql) => sql, asSuperuser = false }: StoreOptions = {}) {
  const testDatabase = await createTestDatabase();
  const url = asSuperuser ? testDatabase.adminUrl : testDatabase.urls.wallet_store;
  const opened = await createDatabase({
    url,
    schema: SCHEMA,
    applicationName: 'test',
    migrations: MIGRATIONS,
    logger,
  });
  const database = rewriting(opened, rewrite);
  // A superuser, to look at everything and to break things: row-level security does not hold for it.
  const pool = new Pool({ connectionString: testDatabase.adminUrl, max: 4 });
  const outside = async <Row extends object>(sql: string, parameters: readonly unknown[] = []) =>
    (await pool.query<Row & Record<string, unknown>>(sql, [...parameters])).rows as Row[];
  const sealingKey = randomBytes(32);
  const sealer = createSealer([sealingKey], randomBytes);
  const tenants = new TenantStore(database);
  const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock });
  const drafts = new DraftStore({ database, sealer, idempotency }, 'credential');
  const wallets = new WalletStore(database, sealer, idempotency);
  const adapters = {
    clock,
    random: randomBytes,
    tenants,
    wallets,
    credentials: new ContentStore(database, sealer, 'credential'),
    presentations: new ContentStore(database, sealer, 'presentation'),
    presentationDrafts: new DraftStore({ database, sealer, idempotency }, 'presentation'),
    issued: new IssuedStore(database, sealer, idempotency),
    contexts,
    canonicalizeFor: () => canonicalize,
  };
  const store = composeWalletStore(adapters);
  const draftDeps: IssueDraftDeps = {
    clock,
    findDraft: (tenant, did) => drafts.findDraft(tenant, did),
    replaceDraft: (tenant, change) => drafts.replaceDraft(tenant, change),
    findEntityKey: (tenant, did) => wallets.findEntityKey(tenant, did),
    contexts,
    canonicalizeFor: () => canonicalize,
  };

  const newTenant = async () => {
    const keyDigest = createHash('sha256').update(randomBytes(32)).digest();
    await tenants.install(randomBytes(8).toString('hex'), keyDigest);
    const apiKeyDigest = keyDigest.toString('base64url');
    const { EntityDid } = await store.createEntity({ apiKeyDigest });
    const { WalletDid } = await store.createWallet({ apiKeyDigest, entityDid: EntityDid });
    const id = (await tenants.findTenant(apiKeyDigest)) as string;
    return { id, apiKeyDigest, keyDigest, owner: { entityDid: EntityDid, walletDid: WalletDid } };
  };
  const newDraft = async (tenant: { id: string; owner: Owner }, change: Partial<DraftContent> = {}) => {
    const { did } = createDidKey(randomBytes);
    const content = { types: ['VerifiableCredential'], body: { id: did }, source: {}, labels: {}, annotations: {} };
    const draft = {
      tenant: tenant.id,
      owner: tenant.owner,
      did,
      content: { ...content, ...change },
      createdAt: clock(),
    };
    await drafts.insertDraft(draft, {});
    return (await drafts.findDraft(tenant.id, did)) as Draft;
  };
  const insert = async (kind: ContentKind, { entityDid, walletDid }: Owner, content: Content) => {
    const { did, revision = 1, body = { id: content.did } } = content;
    const sealed = sealer.seal(Buffer.from(JSON.stringify(body)), bodyContext(kind, { walletDid, did, revision }));
    await outside(
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
    sealingKey,
    outside,
    adapters: { ...adapters, drafts },
    asTenant: <Result>(tenant: TenantId, work: (query: Query) => Promise<Result>) => asTenant(database, tenant, work),
    draftDeps,
    newDraft,
    newTenant,
    insert,
    async close() {
      await Promise.all([database.close(), pool.end()]);
      await testDatabase.drop();
    },
  };
}

export type WalletStoreStage = Awaited<ReturnType<typeof openWalletStore>>;
export type Tenant = Awaited<ReturnType<WalletStoreStage['newTenant']>>;
