import { hmacSha256, sha256, sha256Base64url, type Sealer } from '@vestibule/crypto';
import { ApiError, DomainError, type Clock, type JsonObject, type JsonValue } from '@vestibule/foundation';
import type { Database, Transaction } from './database';
import { quoteIdentifier } from './identifier';
import type { Query } from './prepared-query';
import { sealedColumn, type SealedColumn } from './sealed-columns';

/** The caller's `Idempotency-Key` and what it was sent with. */
export interface IdempotentCall {
  readonly key: string;
  /** Distinguishes calls that may have the same key: the operation, and the tenant if there are tenants. */
  readonly scope: string;
  readonly input: JsonValue;
}

export interface IdempotencyOptions {
  readonly database: Database;
  readonly schema: string;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** Numbers of answers. */
export interface Forgotten {
  readonly forgotten: number;
  /** No configured key opens them, so nobody knows what they are about. */
  readonly unreadable: number;
}

/**
 * Makes creating calls repeatable: same key and input, same answer; same key and other input, `idempotency_conflict`.
 */
export interface Idempotency {
  /**
   * Runs `create` and remembers `answer` in one transaction; without a call, only runs `create`. Of several concurrent
   * calls with the same key, one creates and the others wait for its answer.
   */
  once<Answer extends object>(
    call: IdempotentCall | undefined,
    answer: Answer,
    create: (query: Query) => Promise<unknown>,
  ): Promise<Answer>;
  /** {@link Idempotency.once} within an open transaction, in which `create` runs too. */
  within<Answer extends object>(
    transaction: Pick<Transaction, 'query'>,
    call: IdempotentCall,
    answer: Answer,
    create: () => Promise<unknown>,
  ): Promise<Answer>;
  /**
   * The answer to the same call before, for one that fails now: what it depends on beside its input (the time, the status
   * of a credential, the configuration) may have changed. Undefined if there was none, or one with another input.
   */
  recall<Answer extends object>(call: IdempotentCall): Promise<Answer | undefined>;
  /**
   * Deletes the keys whose answers are meant, in the transaction of an operator who erases what they are about. Answers that
   * no configured key opens stay until they expire.
   */
  forget(transaction: Pick<Transaction, 'query'>, isMeant: (answer: JsonObject) => boolean): Promise<Forgotten>;
  /**
   * Deletes up to `limit` keys that have expired by the clocks of this process and of Postgres; returns their number. To be
   * called by a timer.
   */
  purge(limit: number): Promise<number>;
}

const REMEMBERED_MILLISECONDS = 24 * 3600 * 1000;
/** How many answers are read together where all of them are looked through. */
const WINDOW = 200;

/** The table of remembered calls, for a migration of its app: digests and a sealed answer, never the input. */
export function idempotencyTableSql(schema: string): readonly string[] {
  const table = `${quoteIdentifier(schema)}.idempotency_key`;
  return [
    `CREATE TABLE ${table} (
       key_digest bytea PRIMARY KEY,
       input_digest bytea NOT NULL,
       answer bytea NOT NULL,
       expires_at timestamptz NOT NULL
     )`,
    `CREATE INDEX idempotency_key_expiry ON ${table} (expires_at)`,
  ];
}

const answerContext = (schema: string, keyDigest: Uint8Array) =>
  `${schema}.idempotency_key.answer/${sha256Base64url(keyDigest)}`;

/** The sealed column of that table, and its byte columns that are digests. */
export const idempotencySealedColumn = (schema: string): SealedColumn =>
  sealedColumn<{ key_digest: Buffer }>({
    table: 'idempotency_key',
    column: 'answer',
    key: ['key_digest'],
    contextOf: ({ key_digest: digest }) => answerContext(schema, digest),
  });
export const IDEMPOTENCY_PLAIN_COLUMNS = ['idempotency_key.key_digest', 'idempotency_key.input_digest'];

/** Equal for equal JSON, whatever the order of members. It is keyed, so that nobody can test a guess at the input. */
function inputDigest({ key, input }: IdempotentCall): Buffer {
  return hmacSha256(Buffer.from(key, 'utf8'), canonical(input));
}

function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name] as JsonValue)}`).join(',')}}`;
}

function keyDigest({ key, scope }: IdempotentCall): Buffer {
  return sha256(JSON.stringify([scope, key]));
}

function conflict(): ApiError {
  const detail = 'this Idempotency-Key was used for a different request within the last 24 hours';
  return new ApiError({ kind: 'conflict', code: 'idempotency_conflict', detail });
}

interface Remembered {
  readonly key_digest: Buffer;
  readonly answer: Buffer;
}

/** Looks through all answers, some at a time, in the order of their keys. */
function forgetting(table: string, open: (row: Remembered) => JsonObject): Idempotency['forget'] {
  const next = `SELECT key_digest, answer FROM ${table} WHERE key_digest > $1 ORDER BY key_digest LIMIT ${WINDOW}`;
  const forget = `DELETE FROM ${table} WHERE key_digest = ANY ($1) RETURNING 1 AS forgotten`;
  const read = (row: Remembered): JsonObject | undefined => {
    try {
      return open(row);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'seal_broken') return undefined;
      throw error;
    }
  };
  return async function forgetMeant({ query }, isMeant) {
    let [forgotten, unreadable] = [0, 0];
    let rows = await query<Remembered>(next, [Buffer.alloc(0)]);
    for (; rows.length > 0; rows = await query<Remembered>(next, [rows.at(-1)?.key_digest])) {
      const answers = rows.map((row) => ({ digest: row.key_digest, answer: read(row) }));
      const meant = answers.filter(({ answer }) => answer && isMeant(answer)).map(({ digest }) => digest);
      if (meant.length > 0) forgotten += (await query(forget, [meant])).length;
      unreadable += answers.filter(({ answer }) => !answer).length;
    }
    return { forgotten, unreadable };
  };
}

export function createIdempotency({ database, schema, sealer, clock }: IdempotencyOptions): Idempotency {
  const table = `${quoteIdentifier(schema)}.idempotency_key`;
  const remember = `
    INSERT INTO ${table} (key_digest, input_digest, answer, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (key_digest) DO NOTHING RETURNING 1 AS first`;
  const recall = `SELECT input_digest, answer FROM ${table} WHERE key_digest = $1`;
  const forget = `
    DELETE FROM ${table} WHERE key_digest = ANY (ARRAY(
      SELECT key_digest FROM ${table} WHERE expires_at <= least($1, now()) ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1 AS purged`;

  const open = ({ key_digest: digest, answer }: Remembered): JsonObject =>
    JSON.parse(sealer.open(answer, answerContext(schema, digest)).toString('utf8')) as JsonObject;

  async function recalled<Answer>(query: Query, digest: Buffer, input: Buffer): Promise<Answer | undefined> {
    const [row] = await query<{ input_digest: Buffer; answer: Buffer }>(recall, [digest]);
    if (!row?.input_digest.equals(input)) return undefined;
    return open({ key_digest: digest, answer: row.answer }) as Answer;
  }

  const within: Idempotency['within'] = async ({ query }, call, answer, create) => {
    const [digest, input] = [keyDigest(call), inputDigest(call)];
    const sealed = sealer.seal(Buffer.from(JSON.stringify(answer), 'utf8'), answerContext(schema, digest));
    const expiresAt = new Date(clock().getTime() + REMEMBERED_MILLISECONDS);
    const first = await query(remember, [digest, input, sealed, expiresAt]);
    if (first.length > 0) {
      await create();
      return answer;
    }
    const earlier = await recalled<typeof answer>(query, digest, input);
    if (earlier === undefined) throw conflict();
    return earlier;
  };

  return {
    within,
    async once(call, answer, create) {
      if (call) {
        return database.transaction((transaction) =>
          within(transaction, call, answer, () => create(transaction.query)),
        );
      }
      await create(database.query);
      return answer;
    },
    forget: forgetting(table, open),
    recall: (call) => recalled(database.query, keyDigest(call), inputDigest(call)),
    purge: async (limit) => (await database.query(forget, [clock(), limit])).length,
  };
}
