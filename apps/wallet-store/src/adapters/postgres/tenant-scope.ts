import { ApiError, DomainError } from '@vestibule/foundation';
import { DatabaseFault, type Database, type Idempotency, type Transaction } from '@vestibule/persistence';
import type { EntitySchema, ObjectLiteral, QueryDeepPartialEntity } from 'typeorm';
import type { RepeatableCall } from '../../domain/drafts';
import type { Asker, TenantId } from '../../domain/records';
import { TenantLanes } from './tenant-lanes';

const BIND = `SELECT set_config('vestibule.tenant', $1, true)`;
const BIND_SEARCH = `SELECT set_config('vestibule.tenant', $1, true), set_config('statement_timeout', $2, true)`;

/** The time limit of a search: the caller chooses its conditions, so it gets less time than other statements. */
const SEARCH_MILLISECONDS = 2_000;

const lanes = new WeakMap<Pick<Database, 'transaction'>, TenantLanes>();

/** Limits each tenant, from now on, to its share of the connections of this database. */
export function shareAmongTenants(database: Database, connections: number): void {
  lanes.set(database, new TenantLanes(connections));
}

function inLane<Result>(
  database: Database,
  asker: Asker,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const run = (): Promise<Result> => database.transaction(work);
  return lanes.get(database)?.run(asker, run) ?? run();
}

/**
 * Runs statements in one transaction that sees the rows of one tenant, whatever their WHERE clauses say: row-level
 * security neither shows nor accepts any others. Throws `tenant_busy` if the tenant exhausts its share of the
 * connections for too long. Repositories come from the transaction's manager, so they run on its connection.
 */
export function asTenant<Result>(
  database: Database,
  tenant: TenantId,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return readPublished(database, { owner: tenant, asker: tenant }, work);
}

/** Who has published something, and who asks for it. */
export interface PublishedRead {
  readonly owner: TenantId;
  readonly asker: Asker;
}

/**
 * {@link asTenant} for what a tenant has published, which anybody may ask for by its address: it takes a connection of the
 * asker's share. Otherwise one tenant could exhaust the share of another, or have more than its own by naming many.
 */
export function readPublished<Result>(
  database: Database,
  { owner, asker }: PublishedRead,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return inLane(database, asker, async (transaction) => {
    await transaction.query(BIND, [owner]);
    return work(transaction);
  });
}

/** {@link asTenant} for operators' commands, whose statements may take long. */
export function asTenantAtLength<Result>(
  database: Database,
  tenant: TenantId,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    await transaction.query(BIND, [tenant]);
    return work(transaction);
  }, 'slow');
}

/**
 * {@link asTenant} for searches. Throws `search_timeout` if the search takes longer than {@link SEARCH_MILLISECONDS}.
 */
export async function searchAsTenant<Result>(
  database: Database,
  tenant: TenantId,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    return await inLane(database, tenant, async (transaction) => {
      await transaction.query(BIND_SEARCH, [tenant, String(SEARCH_MILLISECONDS)]);
      return work(transaction);
    });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'database_timeout') throw error;
    const detail = 'the search took longer than 2 s: use fewer or narrower conditions, or a smaller limit';
    throw new ApiError({ kind: 'unavailable', code: 'search_timeout', detail, cause: error });
  }
}

/** The connection of a store that remembers creating calls. */
export interface Connection {
  readonly database: Database;
  readonly idempotency: Idempotency;
}

/** A creating call, identified by its tenant, operation and key. */
export interface TenantCall {
  readonly tenant: TenantId;
  readonly operation: string;
  /** Undefined where the caller sent no `Idempotency-Key`. */
  readonly repeatable: RepeatableCall | undefined;
}

const callOf = ({ tenant, operation }: Pick<TenantCall, 'tenant' | 'operation'>, repeatable: RepeatableCall) => ({
  key: repeatable.idempotencyKey,
  scope: `${operation}/${tenant}`,
  input: repeatable.input,
});

/** What {@link createOnce} remembers of the same call. */
export function recallAnswer<Answer extends object>(
  { idempotency }: Connection,
  { repeatable, ...call }: TenantCall,
): Promise<Answer | undefined> {
  return repeatable ? idempotency.recall<Answer>(callOf(call, repeatable)) : Promise.resolve(undefined);
}

const FOREIGN_KEY_VIOLATION = '23503';

/** Writes into a wallet; throws `wallet_not_found` if it was erased after it had been found. */
export async function intoWallet<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const isGone = error instanceof DatabaseFault && error.sqlState === FOREIGN_KEY_VIOLATION;
    if (!isGone || error.constraint?.endsWith('_wallet_did_fkey') !== true) throw error;
    throw new ApiError({ kind: 'not_found', code: 'wallet_not_found', detail: 'the wallet was erased', cause: error });
  }
}

/** Runs `create` as the tenant, once per repeatable call, and remembers `answer` in the same transaction. */
export function createOnce<Answer extends object>(
  { database, idempotency }: Connection,
  { tenant, operation, repeatable }: TenantCall,
  answer: Answer,
  create: (transaction: Transaction) => Promise<unknown>,
): Promise<Answer> {
  const created = asTenant(database, tenant, async (transaction) => {
    if (repeatable) {
      const call = callOf({ tenant, operation }, repeatable);
      return idempotency.within(transaction, call, answer, () => create(transaction));
    }
    await create(transaction);
    return answer;
  });
  return intoWallet(created);
}

/** Inserts a row and reads nothing back. */
export async function insertRow<Row extends ObjectLiteral>(
  { manager }: Transaction,
  entity: EntitySchema<Row>,
  row: QueryDeepPartialEntity<Row>,
): Promise<void> {
  await manager.createQueryBuilder().insert().into(entity).values(row).updateEntity(false).execute();
}

/**
 * The statements that put a table with a `tenant_id` under row-level security, which also applies to the table's owner.
 */
export function tenantSecuritySql(table: string): readonly string[] {
  return [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY of_tenant ON ${table}
       USING (tenant_id = nullif(current_setting('vestibule.tenant', true), '')::uuid)`,
  ];
}
