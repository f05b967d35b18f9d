import type { Database, Idempotency, Transaction } from '@vestibule/persistence';
import type { EntitySchema, ObjectLiteral, QueryDeepPartialEntity } from 'typeorm';
import type { RepeatableCall } from '../../domain/drafts';
import type { TenantId } from '../../domain/records';

const BIND = `SELECT set_config('vestibule.tenant', $1, true)`;

/**
 * Runs statements in one transaction that sees the rows of one tenant, whatever their WHERE says: row-level security shows
 * and takes no others. Repositories come from the transaction's manager, so they run on its connection.
 */
export function asTenant<Result>(
  database: Database,
  tenant: TenantId,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    await transaction.query(BIND, [tenant]);
    return work(transaction);
  });
}

/** What a store works with that remembers creating calls. */
export interface Connection {
  readonly database: Database;
  readonly idempotency: Idempotency;
}

/** A creating call of a tenant; keys of other tenants and operations are others. */
export interface TenantCall {
  readonly tenant: TenantId;
  readonly operation: string;
  /** Undefined where the caller sent no `Idempotency-Key`. */
  readonly repeatable: RepeatableCall | undefined;
}

/** Runs `create` once for each repeatable call, as its tenant, and remembers `answer` with it in one transaction. */
export function createOnce<Answer extends object>(
  { database, idempotency }: Connection,
  { tenant, operation, repeatable }: TenantCall,
  answer: Answer,
  create: (transaction: Transaction) => Promise<unknown>,
): Promise<Answer> {
  return asTenant(database, tenant, async (transaction) => {
    if (repeatable) {
      const call = { key: repeatable.idempotencyKey, scope: `${operation}/${tenant}`, input: repeatable.input };
      return idempotency.within(transaction, call, answer, () => create(transaction));
    }
    await create(transaction);
    return answer;
  });
}

/** Puts a row into a table and reads nothing back. */
export async function insertRow<Row extends ObjectLiteral>(
  { manager }: Transaction,
  entity: EntitySchema<Row>,
  row: QueryDeepPartialEntity<Row>,
): Promise<void> {
  await manager.createQueryBuilder().insert().into(entity).values(row).updateEntity(false).execute();
}

/** The statements that put a table with a `tenant_id` under row-level security, for its owner too. */
export function tenantSecuritySql(table: string): readonly string[] {
  return [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY of_tenant ON ${table}
       USING (tenant_id = nullif(current_setting('vestibule.tenant', true), '')::uuid)`,
  ];
}
