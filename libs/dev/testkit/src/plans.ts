/**
 * Matches a plan, as the text of EXPLAIN, that reads a table or an index as a whole. Sessions start with `enable_seqscan=off`:
 * then Postgres does that through an index, without a condition for it.
 */
export const READS_ALL =
  /Seq Scan on|(?:Index (?:Only )?Scan (?:Backward )?using|Bitmap Index Scan on) .*$(?!\n *Index Cond)/m;

/**
 * The plan that a connection keeps for all parameters of a prepared statement, as the text of EXPLAIN. All that is asked must be in
 * one transaction. Postgres has EXPLAIN (GENERIC_PLAN) only from version 16 on.
 */
export async function genericPlan(ask: (sql: string) => Promise<unknown>, statement: string): Promise<string> {
  const count = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const parameters = count === 0 ? '' : `(${Array.from({ length: count }, () => 'NULL').join()})`;
  await ask('SET LOCAL plan_cache_mode = force_generic_plan');
  await ask(`PREPARE kept AS ${statement}`);
  const rows = (await ask(`EXPLAIN EXECUTE kept${parameters}`)) as readonly { readonly 'QUERY PLAN': string }[];
  await ask('DEALLOCATE kept');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
