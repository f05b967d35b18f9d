import { SEALED_HEAD_BYTES, type Sealer } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import type { Database } from './database';
import { quoteIdentifier } from './identifier';
import type { Query } from './prepared-query';
import { findUnclassifiedColumns, type RowScope, type SealedColumn, type SealedRegistry } from './sealed-columns';

export interface ResealOptions {
  readonly database: Database;
  readonly registry: SealedRegistry;
  readonly sealer: Sealer;
  readonly logger: Logger;
  /** How many pages of a table one statement visits. */
  readonly windowPages?: number;
  /**
   * How many passes over a table to make before giving up on rows that others keep locked or keep sealing with an old
   * key.
   */
  readonly passes?: number;
  readonly pauseMilliseconds?: number;
  readonly progressMilliseconds?: number;
}

/** The result of resealing a schema. */
export interface ResealResult {
  /** Records that are now under the first key and were not before. */
  readonly moved: number;
  /** Records that cannot be opened: their key is not configured, or they were changed. */
  readonly broken: number;
  /** Records that are still under another key. */
  readonly left: number;
}

interface Found {
  readonly place: string;
  readonly head: Buffer;
}

interface Tally {
  readonly moved: number;
  readonly broken: number;
}

/** How a scope's value is set for the statements of one transaction. */
interface Visit {
  readonly setting: string;
  readonly value: string;
}

const WINDOW_PAGES = 32;
const PASSES = 10;
const PAUSE_MILLISECONDS = 1_000;
const PROGRESS_MILLISECONDS = 5_000;
const NOTHING: Tally = { moved: 0, broken: 0 };
/** Makes hidden rows an error, so that row-level security does not silently omit them. */
const SHOW_ALL: Visit = { setting: 'row_security', value: 'off' };

const PAGES = `SELECT pg_relation_size($1::regclass) / current_setting('block_size')::int AS pages`;
const VISIT = 'SELECT set_config($1, $2, true)';

function statementsFor({ column, key }: SealedColumn, table: string) {
  const sealed = quoteIdentifier(column);
  const keys = key.map((name) => `row.${quoteIdentifier(name)}`).join(', ');
  return {
    find: `
      SELECT row.ctid::text AS place, substring(row.${sealed} FOR ${SEALED_HEAD_BYTES}) AS head, ${keys}
      FROM ${table} AS row
      WHERE row.ctid >= $1::text::tid AND row.ctid < $2::text::tid AND row.${sealed} IS NOT NULL
        AND substring(row.${sealed} FOR octet_length($3::bytea)) <> $3::bytea`,
    count: `
      SELECT count(*)::int AS left FROM ${table} AS row
      WHERE substring(row.${sealed} FOR octet_length($1::bytea)) <> $1::bytea`,
    // A row that was changed meanwhile has another position or head, and a row that is being changed is skipped: the
    // next pass finds both again. No statement here waits for a lock, so there can be no deadlock.
    move: `
      WITH target AS (
        SELECT row.ctid AS place, head.new
        FROM ${table} AS row
        JOIN unnest($1::text[], $2::bytea[], $3::bytea[]) AS head (place, old, new) ON row.ctid = head.place::tid
        WHERE row.ctid = ANY ($1::text[]::tid[])
          AND substring(row.${sealed} FOR ${SEALED_HEAD_BYTES}) = head.old
        FOR NO KEY UPDATE OF row SKIP LOCKED
      )
      UPDATE ${table} AS row SET ${sealed} = target.new || substring(row.${sealed} FROM ${SEALED_HEAD_BYTES + 1})
      FROM target WHERE row.ctid = target.place AND row.ctid = ANY ($1::text[]::tid[])
      RETURNING 1 AS moved`,
  };
}

const plus = (a: Tally, b: Tally): Tally => ({
  moved: a.moved + b.moved,
  broken: a.broken + b.broken,
});

/** Reseals the records of one column under the sealer's first key. */
class ColumnResealer {
  readonly #table: string;
  readonly #sql: ReturnType<typeof statementsFor>;
  #reportedAt = performance.now();

  constructor(
    private readonly options: ResealOptions,
    private readonly column: SealedColumn,
  ) {
    this.#table = `${quoteIdentifier(options.registry.schema)}.${quoteIdentifier(column.table)}`;
    this.#sql = statementsFor(column, this.#table);
  }

  async run(): Promise<ResealResult> {
    const { logger, passes = PASSES, pauseMilliseconds = PAUSE_MILLISECONDS } = this.options;
    const { table, column } = this.column;
    let moved = 0;
    for (let pass = 1; ; pass += 1) {
      const visits = await this.#visits(this.column.scope);
      const tally = await this.#pass(visits, moved);
      moved += tally.moved;
      // A row that moved during the pass may have been missed; a single snapshot shows them all.
      const unmoved = await this.#count(visits);
      const left = Math.max(0, unmoved - tally.broken);
      if (left === 0 || pass === passes) {
        logger.info('column re-sealed', { table, column, moved, broken: tally.broken, left });
        return { moved, broken: tally.broken, left };
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }

  async #pass(visits: readonly Visit[], movedBefore: number): Promise<Tally> {
    const { database, windowPages = WINDOW_PAGES } = this.options;
    const [size] = await database.query<{ pages: string }>(PAGES, [this.#table]);
    const pages = Number(size?.pages ?? 0);
    let tally = NOTHING;
    for (let page = 0; page < pages; page += windowPages) {
      for (const visit of visits) tally = plus(tally, await this.#window(page, page + windowPages, visit));
      this.#report(Math.min(100, Math.floor((100 * (page + windowPages)) / pages)), movedBefore + tally.moved);
    }
    return tally;
  }

  async #count(visits: readonly Visit[]): Promise<number> {
    let total = 0;
    for (const visit of visits) {
      // Slow: it reads a whole table in one snapshot.
      total += await this.options.database.transaction(async ({ query }) => {
        await query(VISIT, [visit.setting, visit.value]);
        const [row] = await query<{ left: number }>(this.#sql.count, [this.options.sealer.currentMark]);
        return row?.left ?? 0;
      }, 'slow');
    }
    return total;
  }

  async #visits(scope: RowScope | undefined): Promise<readonly Visit[]> {
    if (!scope) return [SHOW_ALL];
    const rows = await this.options.database.query<{ value: string }>(scope.valuesSql);
    return rows.map(({ value }) => ({ setting: scope.setting, value }));
  }

  #window(from: number, to: number, { setting, value }: Visit): Promise<Tally> {
    return this.options.database.transaction(async ({ query }) => {
      await query(VISIT, [setting, value]);
      const range = [`(${from},0)`, `(${to},0)`, this.options.sealer.currentMark];
      const rows = await query<Found & Record<string, unknown>>(this.#sql.find, range);
      return rows.length === 0 ? NOTHING : this.#move(query, rows);
    });
  }

  async #move(query: Query, rows: readonly (Found & Record<string, unknown>)[]): Promise<Tally> {
    const moves = rows.flatMap((row) => {
      const head = this.#rewrap(row);
      return head ? [{ place: row.place, old: row.head, head }] : [];
    });
    const broken = rows.length - moves.length;
    if (moves.length === 0) return { moved: 0, broken };
    const moved = await query(this.#sql.move, [
      moves.map(({ place }) => place),
      moves.map(({ old }) => old),
      moves.map(({ head }) => head),
    ]);
    return { moved: moved.length, broken };
  }

  /** Undefined for a record that cannot be opened; it is counted and reported. */
  #rewrap(row: Found & Record<string, unknown>): Buffer | undefined {
    try {
      return this.options.sealer.rewrap(row.head, this.column.contextOf(row));
    } catch (error) {
      if (error instanceof ProcessingFailure && error.code === 'seal_broken') return undefined;
      throw error;
    }
  }

  #report(percent: number, moved: number): void {
    const { logger, progressMilliseconds = PROGRESS_MILLISECONDS } = this.options;
    if (performance.now() - this.#reportedAt < progressMilliseconds) return;
    this.#reportedAt = performance.now();
    logger.info('re-sealing', { table: this.column.table, column: this.column.column, percent, moved });
  }
}

/**
 * Reseals every sealed record of a schema under the sealer's first key: only heads are wrapped again, contents stay
 * unchanged. It works in small batches while services run, never waits for locks, and may be stopped and run again at
 * any time: records already done are skipped. Throws `sealed_column_unknown` if the schema has a byte column that the
 * registry does not list.
 */
export async function resealRecords(options: ResealOptions): Promise<ResealResult> {
  const unknown = await findUnclassifiedColumns(options.database, options.registry);
  if (unknown.length > 0)
    throw new ProcessingFailure('sealed_column_unknown', `not registered or missing: ${unknown.join(', ')}`);
  const total = { moved: 0, broken: 0, left: 0 };
  for (const column of options.registry.sealed) {
    const { moved, broken, left } = await new ColumnResealer(options, column).run();
    total.moved += moved;
    total.broken += broken;
    total.left += left;
  }
  return total;
}
