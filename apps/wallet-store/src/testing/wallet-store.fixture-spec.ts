import { createHash, randomBytes } from 'node:crypto';
import { Test } from '@nestjs/testing';
import { createSealer } from '@vestibule/crypto';
import { createTestDatabase } from '@vestibule/dev-stack';
import type { JsonObject } from '@vestibule/foundation';
import { createDatabase, DATABASE, SEALER, type Database, type Query } from '@vestibule/persistence';
import { createMetrics, ProcessModule, TRANSPORT, type Logger, type ProcessContext } from '@vestibule/process';
import { canonicalize, createDidKey } from '@vestibule/vcdm';
import { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';
import { bodyContext } from '../adapters/postgres/content-row';
import { WALLET_STORE_DATABASE } from '../adapters/postgres/database';
import { asTenant } from '../adapters/postgres/tenant-scope';
import type { ContentKind } from '../domain/content';
import type { Draft, DraftContent } from '../domain/drafts';
import type { Contents, Drafts, IssuedDocuments, Schemas, Tenants, Understand, Wallets } from '../domain/ports';
import type { ContentState, Owner, TenantId } from '../domain/records';
import {
  CANONICALIZER,
  CREDENTIALS,
  DRAFTS,
  ISSUED,
  PRESENTATION_DRAFTS,
  PRESENTATIONS,
  SCHEMAS,
  TENANTS,
  UNDERSTAND,
  WALLETS,
} from '../stores.module';
import { createEntity } from '../use-cases/create-entity';
import { createWallet } from '../use-cases/create-wallet';
import { importCredential } from '../use-cases/import-credential';
import type { IssueDraftDeps } from '../use-cases/issue-draft';
import { listEntities, listWallets } from '../use-cases/list-owners';
import {
  abandonPresentation,
  createPresentation,
  issuePresentation,
  presentPresentation,
} from '../use-cases/presentations';
import { getCredential, getPresentation, listCredentials, listPresentations } from '../use-cases/read-content';
import { updatePresentation } from '../use-cases/update-presentation';
import { WalletStoreModule } from '../wallet-store.module';
import { patient } from './patient-calls.fixture-spec';

export const BASE_URL = 'https://connector.example';

const silent = (): void => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = () => new Date();
const contextOf = (configuration: object) =>
  ({
    name: 'wallet-store',
    configuration: { databasePoolSize: 10, baseUrl: BASE_URL, unknownJsonSchemas: 'refuse', ...configuration },
    logger,
    metrics: createMetrics('wallet-store'),
    readiness: { require: silent },
  }) as unknown as ProcessContext;

/** A mistake of a programmer: the tenant in the WHERE of every statement holds for everybody. */
export const forgetTenant = (sql: string) =>
  sql.replace(/(?:"\w+"\.)?"?tenant_id"? = (\$\d+)/g, '$1::uuid IS NOT NULL');

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
  /** Settings that differ from the usual ones. */
  readonly configuration?: object;
  /** How long a statement may take, instead of the usual time. */
  readonly statementTimeoutMilliseconds?: number;
}

/** For tests that keep statements waiting: what they do is judged, not how long a busy machine takes until it lets them go on. */
export const PATIENT: StoreOptions = { statementTimeoutMilliseconds: 120_000 };

/** Changes the statements of both ways to Postgres: those in SQL, and those of repositories. */
function rewriting(database: Database, rewrite: (sql: string) => string): Database {
  const changed =
    (query: Query): Query =>
    (sql, parameters) =>
      query(rewrite(sql), parameters);
  return {
    ...database,
    query: changed(database.query),
    transaction: (work) =>
      database.transaction(({ query, manager }) => {
        const runner = manager.queryRunner as QueryRunner;
        const ask = runner.query.bind(runner);
        runner.query = (sql: string, ...rest: unknown[]) => ask(rewrite(sql), ...(rest as [])) as never;
        return work({ query: changed(query), manager });
      }),
  };
}

/** The module of the wallet store, as it runs but for patient callers, over a database; documents are canonicalized without a thread. */
async function openModule(database: Database, sealer: ReturnType<typeof createSealer>, configuration: object) {
  const threads = { canonicalizeFor: () => canonicalize, close: () => Promise.resolve() };
  const values: [symbol, object][] = [
    [DATABASE, database],
    [SEALER, sealer],
    [TRANSPORT, {}],
    [CANONICALIZER, threads],
  ];
  const builder = Test.createTestingModule({
    imports: [ProcessModule.register(contextOf(configuration)), WalletStoreModule],
  });
  for (const [token, value] of values) builder.overrideProvider(token).useValue(value);
  const app = await builder.compile();
  const useCase = <Deps, UseCase>(make: (deps: Deps) => UseCase): UseCase => patient(app.get<UseCase>(make));
  return { app, useCase };
}

type UseCases = Awaited<ReturnType<typeof openModule>>['useCase'];

/** The use cases about wallets and what they hold. */
const contentOf = (useCase: UseCases) => ({
  createEntity: useCase(createEntity),
  createWallet: useCase(createWallet),
  listEntities: useCase(listEntities),
  listWallets: useCase(listWallets),
  getCredential: useCase(getCredential),
  getPresentation: useCase(getPresentation),
  listCredentials: useCase(listCredentials),
  listPresentations: useCase(listPresentations),
  importCredential: useCase(importCredential),
  createPresentation: useCase(createPresentation),
  updatePresentation: useCase(updatePresentation),
  issuePresentation: useCase(issuePresentation),
  abandonPresentation: useCase(abandonPresentation),
  presentPresentation: useCase(presentPresentation),
});

/** The wallet store over a fresh Postgres database of its own. */
export async function openWalletStore({
  rewrite = (sql) => sql,
  asSuperuser = false,
  configuration = {},
  statementTimeoutMilliseconds,
}: StoreOptions = {}) {
  const testDatabase = await createTestDatabase();
  const url = asSuperuser ? testDatabase.adminUrl : testDatabase.urls.wallet_store;
  const opened = await createDatabase({
    url,
    ...WALLET_STORE_DATABASE,
    applicationName: 'test',
    logger,
    ...(statementTimeoutMilliseconds === undefined ? {} : { statementTimeoutMilliseconds }),
  });
  const database = rewriting(opened, rewrite);
  // A superuser, to look at everything and to break things: row-level security does not hold for it.
  const pool = new Pool({ connectionString: testDatabase.adminUrl, max: 4 });
  const outside = async <Row extends object>(sql: string, parameters: readonly unknown[] = []) =>
    (await pool.query<Row & Record<string, unknown>>(sql, [...parameters])).rows as Row[];
  const sealingKey = randomBytes(32);
  const sealer = createSealer([sealingKey], randomBytes);
  const { app, useCase } = await openModule(database, sealer, configuration);
  const adapters = {
    tenants: app.get<Tenants>(TENANTS),
    wallets: app.get<Wallets>(WALLETS),
    credentials: app.get<Contents>(CREDENTIALS),
    presentations: app.get<Contents>(PRESENTATIONS),
    drafts: app.get<Drafts>(DRAFTS),
    presentationDrafts: app.get<Drafts>(PRESENTATION_DRAFTS),
    issued: app.get<IssuedDocuments>(ISSUED),
    schemas: app.get<Schemas>(SCHEMAS),
  };
  const { tenants, wallets, drafts } = adapters;
  const store = contentOf(useCase);
  const draftDeps: IssueDraftDeps = {
    clock,
    findDraft: drafts.findDraft,
    replaceDraft: drafts.replaceDraft,
    findEntityKey: wallets.findEntityKey,
    understand: app.get<Understand>(UNDERSTAND),
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
    adapters,
    useCase,
    asTenant: <Result>(tenant: TenantId, work: (query: Query) => Promise<Result>) =>
      asTenant(database, tenant, ({ query }) => work(query)),
    draftDeps,
    newDraft,
    newTenant,
    insert,
    async close() {
      await Promise.all([app.close(), pool.end()]);
      await testDatabase.drop();
    },
  };
}

export type WalletStoreStage = Awaited<ReturnType<typeof openWalletStore>>;
export type Tenant = Awaited<ReturnType<WalletStoreStage['newTenant']>>;
