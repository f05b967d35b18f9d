import { randomBytes } from 'node:crypto';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { sha256, type Sealer } from '@vestibule/crypto';
import { BusModule } from '@vestibule/messaging';
import {
  createIdempotency,
  DATABASE,
  DatabaseModule,
  SEALER,
  type Database,
  type Idempotency,
} from '@vestibule/persistence';
import { createTimer, PROCESS, type Configuration, type ProcessContext, type Timer } from '@vestibule/process';
import { readContextFile } from './adapters/files/context-file';
import { CONTENT, ContentController } from './adapters/nats/content.controller';
import { KeysController, TENANTS } from './adapters/nats/keys.controller';
import { SCHEMAS, SchemasController } from './adapters/nats/schemas.controller';
import { VC_API, VcApiController } from './adapters/nats/vc-api.controller';
import { ContentStore } from './adapters/postgres/content.store';
import { WALLET_STORE_DATABASE } from './adapters/postgres/database';
import { draftSearch } from './adapters/postgres/draft-search';
import { DraftStore } from './adapters/postgres/draft.store';
import { IssuedStore } from './adapters/postgres/issued.store';
import { SchemaStore } from './adapters/postgres/schema.store';
import { TenantStore } from './adapters/postgres/tenant.store';
import { WalletStore } from './adapters/postgres/wallet.store';
import { createCanonicalizer, type Canonicalizer } from './adapters/threads/canonicalizer';
import { composeWalletStore } from './compose';
import { composeSchemas } from './compose-schemas';
import { composeVcApi } from './compose-vc-api';
import type { walletStoreConfiguration } from './config';

type Process = ProcessContext<Configuration<typeof walletStoreConfiguration>>;
type Schemas = ReturnType<typeof composeSchemas>;

const PURGE_MILLISECONDS = 60_000;
const PURGE_BATCH = 1_000;
const clock = () => new Date();
const outside = { clock, random: randomBytes };

const IDEMPOTENCY = Symbol('idempotency');
const WALLETS = Symbol('wallets');
const CANONICALIZER = Symbol('canonicalizer');
const PURGE = Symbol('purge');

async function tenants({ configuration }: Process, database: Database): Promise<TenantStore> {
  const store = new TenantStore(database);
  if (configuration.firstApiKey !== undefined) await store.install('default', sha256(configuration.firstApiKey));
  return store;
}

const idempotency = (database: Database, sealer: Sealer): Idempotency =>
  createIdempotency({ database, schema: WALLET_STORE_DATABASE.schema, sealer, clock });

const wallets = (...[database, sealer, calls]: [Database, Sealer, Idempotency]) =>
  new WalletStore(database, sealer, calls);

/** The threads that canonicalize; they end after the bus, so that what was taken is still answered. */
async function canonicalizer({ logger }: Process): Promise<Canonicalizer> {
  const threads = createCanonicalizer({ logger });
  await threads.start();
  return threads;
}

/** What the stores of one service share. */
type Parts = [Database, Sealer, Idempotency, TenantStore, WalletStore, Canonicalizer];
const PARTS = [DATABASE, SEALER, IDEMPOTENCY, TENANTS, WALLETS, CANONICALIZER];

async function schemas({ configuration }: Process, ...parts: Parts): Promise<Schemas> {
  const [database, sealer, calls, tenantStore, walletStore, threads] = parts;
  const allowedContexts = await readContextFile(configuration.contextFile);
  const connection = { database, sealer, idempotency: calls };
  return composeSchemas({
    ...outside,
    baseUrl: configuration.baseUrl,
    tenants: tenantStore,
    wallets: walletStore,
    drafts: new DraftStore(connection, 'credential'),
    schemas: new SchemaStore(database, calls, configuration.baseUrl),
    searchDrafts: draftSearch(database, sealer),
    findContext: (url) => Promise.resolve(allowedContexts.get(url)),
    canonicalizeFor: (tenant) => threads.canonicalizeFor(tenant),
  });
}

function content({ contexts }: Schemas, ...parts: Parts): ReturnType<typeof composeWalletStore> {
  const [database, sealer, calls, tenantStore, walletStore, threads] = parts;
  return composeWalletStore({
    ...outside,
    tenants: tenantStore,
    wallets: walletStore,
    credentials: new ContentStore(database, sealer, 'credential'),
    presentations: new ContentStore(database, sealer, 'presentation'),
    presentationDrafts: new DraftStore({ database, sealer, idempotency: calls }, 'presentation'),
    issued: new IssuedStore(database, sealer, calls),
    contexts,
    canonicalizeFor: (tenant) => threads.canonicalizeFor(tenant),
  });
}

const vcApi = ({ contexts }: Schemas, ...parts: [TenantStore, WalletStore, Canonicalizer]) => {
  const [tenantStore, walletStore, threads] = parts;
  const canonicalizeFor: Canonicalizer['canonicalizeFor'] = (tenant) => threads.canonicalizeFor(tenant);
  return composeVcApi({ clock, tenants: tenantStore, wallets: walletStore, contexts, canonicalizeFor });
};

function purge({ logger }: Process, calls: Idempotency): Timer {
  const run = async () => void (await calls.purge(PURGE_BATCH));
  return createTimer({ name: 'purge', everyMilliseconds: PURGE_MILLISECONDS, logger, run });
}

/** The wallet store: its adapters, its use cases over them, and what it is asked over the bus. The only wiring there is. */
@Module({
  imports: [DatabaseModule.forRoot(WALLET_STORE_DATABASE), BusModule.forRoot()],
  controllers: [KeysController, ContentController, SchemasController, VcApiController],
  providers: [
    { provide: TENANTS, inject: [PROCESS, DATABASE], useFactory: tenants },
    { provide: IDEMPOTENCY, inject: [DATABASE, SEALER], useFactory: idempotency },
    { provide: WALLETS, inject: [DATABASE, SEALER, IDEMPOTENCY], useFactory: wallets },
    { provide: CANONICALIZER, inject: [PROCESS], useFactory: canonicalizer },
    { provide: SCHEMAS, inject: [PROCESS, ...PARTS], useFactory: schemas },
    { provide: CONTENT, inject: [SCHEMAS, ...PARTS], useFactory: content },
    { provide: VC_API, inject: [SCHEMAS, TENANTS, WALLETS, CANONICALIZER], useFactory: vcApi },
    { provide: PURGE, inject: [PROCESS, IDEMPOTENCY], useFactory: purge },
  ],
})
export class WalletStoreModule implements OnApplicationShutdown {
  constructor(
    @Inject(PURGE) private readonly purging: Timer,
    @Inject(CANONICALIZER) private readonly threads: Canonicalizer,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
    await this.purging.stop();
  }
}
