import type { Database, Idempotency, Query } from '@vestibule/persistence';
import type { RepeatableCall } from '../../domain/drafts';
import type { TenantId } from '../../domain/records';

const BIND = `SELECT set_config('vestibule.tenant', $1, true)`;

/** Binds the transaction of `query` to a tenant: row-level security shows and takes the rows of that tenant only. */
async function bindTenant(query: Query, tenant: TenantId): Promise<void> {
  await query(BIND, [tenant]);
}

/** Runs statements in one transaction that sees the rows of one tenant, whatever their WHERE says. */
export function asTenant<Result>(
  database: Database,
  tenant: TenantId,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async ({ query }) => {
    await bindTenant(query, tenant);
    return work(query);
  });
}

/** A creating call of a tenant; keys of other tenants and operations are others. */
export interface TenantCall {
  readonly tenant: TenantId;
  readonly operation: string;
  /** Undefined where the caller sent no `Idempotency-Key`. */
  readonly repeatable: RepeatableCall | undefined;
}

/** Runs `create` once for each repeatable call, as its tenant, and remembers `answer` with it in one transaction. */
export async function createOnce<Answer extends object>(
  { database, idempotency }: { readonly database: Database; readonly idempotency: Idempotency },
  { tenant, operation, repeatable }: TenantCall,
  answer: Answer,
  create: (query: Query) => Promise<unknown>,
): Promise<Answer> {
  if (!repeatable) {
    await asTenant(database, tenant, create);
    return answer;
  }
  const call = { key: repeatable.idempotencyKey, scope: `${operation}/${tenant}`, input: repeatable.input };
  return idempotency.once(call, answer, async (query) => {
    await bindTenant(query, tenant);
    await create(query);
  });
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
