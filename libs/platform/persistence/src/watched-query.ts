import { isTracing, traced } from '@vestibule/process';

/** Runs one SQL statement, prepared once per connection, and returns its rows. `$1` … stand for the parameters. */
export type Query = <Row extends object>(sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;

/** Is told how long a statement took, by its name: verb and table, never a value. */
export type ObserveStatement = (statement: string, seconds: number, result: 'ok' | 'error') => void;

/** Not the UPDATE of `FOR NO KEY UPDATE OF` and `ON CONFLICT DO UPDATE SET`. */
const WRITE =
  /\b(INSERT INTO|(?<!\bFOR\s+|\bKEY\s+|\bDO\s+)UPDATE|DELETE FROM|MERGE INTO)\s+(?:ONLY\s+)?([a-z_"][a-z0-9_."]*)/i;
const READ = /\bFROM\s+(?:ONLY\s+)?([a-z_"][a-z0-9_."]*)/i;
const OTHER = /^\s*([a-z]+)/i;
const MAXIMUM_NAMES = 1_000;

const names = new Map<string, string>();

function nameOf(sql: string): string {
  const [, verb, table = ''] = WRITE.exec(sql) ?? [];
  if (verb !== undefined) return `${verb.split(' ')[0]} ${table}`.replaceAll('"', '').toLowerCase();
  const [, source] = READ.exec(sql) ?? [];
  if (source !== undefined) return `select ${source}`.replaceAll('"', '').toLowerCase();
  return (OTHER.exec(sql)?.[1] ?? 'other').toLowerCase();
}

/**
 * The name of a statement for metrics and traces: its first write and the table of it, else the first table that it
 * reads. `update verifier.presentation_request`. Bounded, even if statements were built from input.
 */
export function statementSummary(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  if (names.size >= MAXIMUM_NAMES) return 'other';
  const name = nameOf(sql);
  names.set(sql, name);
  return name;
}

const secondsSince = (started: number): number => (performance.now() - started) / 1000;

/** The same query function, observed and traced; the function itself if nobody wants to know. */
export function watchedQuery(query: Query, observe: ObserveStatement | undefined): Query {
  if (!observe && !isTracing()) return query;
  return <Row extends object>(sql: string, parameters?: readonly unknown[]) => {
    const name = statementSummary(sql);
    return traced({ name, kind: 'client', attributes: { 'db.query.summary': name } }, async () => {
      const started = performance.now();
      let result: 'ok' | 'error' = 'error';
      try {
        const rows = await query<Row>(sql, parameters);
        result = 'ok';
        return rows;
      } finally {
        observe?.(name, secondsSince(started), result);
      }
    });
  };
}
