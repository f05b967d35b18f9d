import type { Clock } from '@vestibule/foundation';
import { currentActor, currentRequestId } from '@vestibule/process';
import { auditTable } from './audit-table';
import type { Database } from './database';
import type { Query } from './prepared-query';

/** What a caller did, without claims and personal data. */
export interface AuditEntry {
  /** `<thing>.<verb>`, such as `offer.cancel`. */
  readonly action: string;
  /** What it was done to, never a secret: the hash of a flow's id as in log lines, or the id of an event or key. */
  readonly target?: string;
  /** What else a reader needs: a new status, a count. */
  readonly details?: Readonly<Record<string, string | number>>;
}

/** The result of an action; nothing is recorded without an entry, because nothing was changed. */
export interface Audited<Result> {
  readonly result: Result;
  readonly entry: AuditEntry | undefined;
}

/** Runs an action in a transaction, and appends its record in the same one. */
export type Run = <Result>(action: (query: Query) => Promise<Audited<Result>>) => Promise<Result>;

/** The audit trail of one service: a chain of records, each with a hash over itself and the hash before it. */
export interface Audit {
  /** Waits for a turn, then runs the action. */
  readonly run: Run;
  /**
   * Waits for a turn, then calls `work`, which may use `run` for one action: for work that reserves something before its
   * transaction, which it should not keep from others while it waits.
   */
  inTurn<Result>(work: (run: Run) => Promise<Result>): Promise<Result>;
  /**
   * Appends a record to an open transaction. It has to be its last statement: from here on, other transactions wait to
   * append theirs until this one has ended.
   */
  append(query: Query, entry: AuditEntry): Promise<void>;
}

export interface AuditOptions {
  readonly database: Database;
  readonly schema: string;
  readonly clock?: Clock;
}

/** The actor of a message from a gateway that does not name its callers: one of the version before. */
const UNKNOWN = 'unknown';

/**
 * How many actions of a process are under way: one appends, the others are on their way to it. More would only wait for
 * each other, and keep connections from wallets.
 */
const PLACES = 2;

const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('vestibule audit of ' || $1::text, 0))`;

/** A statement of its own, after the lock: it has to see what the transaction before has committed. */
const appendSql = (table: string): string => `
  WITH head AS (
    SELECT seq, hash FROM ${table} ORDER BY seq DESC LIMIT 1
  ), next AS (
    SELECT coalesce(max(seq), 0) + 1 AS seq, coalesce((SELECT hash FROM head), '\\x${'00'.repeat(32)}'::bytea) AS previous
    FROM head
  )
  INSERT INTO ${table} (seq, record, hash)
  SELECT seq, $1::text, sha256(previous || int8send(seq) || convert_to($1::text, 'UTF8')) FROM next`;

/** At most {@link PLACES} of the given actions at a time, in the order in which they came. */
class Turns {
  #free = PLACES;
  readonly #waiting: (() => void)[] = [];

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

const turnsOf = new WeakMap<Database, Turns>();

function turns(database: Database): Turns {
  const known = turnsOf.get(database) ?? new Turns();
  turnsOf.set(database, known);
  return known;
}

/** The audit trail in a service's schema. */
export function createAudit({ database, schema, clock = () => new Date() }: AuditOptions): Audit {
  const sql = appendSql(auditTable(schema));
  const append: Audit['append'] = async (query, { action, target, details }) => {
    const record = {
      at: clock().toISOString(),
      service: schema,
      actor: currentActor() ?? UNKNOWN,
      action,
      ...(target === undefined ? {} : { target }),
      ...(details === undefined ? {} : { details }),
      request: currentRequestId(),
    };
    await query(LOCK, [schema]);
    await query(sql, [JSON.stringify(record)]);
  };
  const run: Run = (action) =>
    database.transaction(async ({ query }) => {
      const { result, entry } = await action(query);
      if (entry) await append(query, entry);
      return result;
    });
  return {
    append,
    run: (action) => turns(database).run(() => run(action)),
    inTurn: (work) => turns(database).run(() => work(run)),
  };
}
