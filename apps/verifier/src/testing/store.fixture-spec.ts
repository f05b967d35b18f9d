import { randomBytes } from 'node:crypto';
import { createCommitEvents } from '@vestibule/callbacks';
import { presentedCredentialsEvent as eventSchema, type PresentedCredentialsEvent } from '@vestibule/contracts';
import { createSealer } from '@vestibule/crypto';
import { createTestDatabase } from '@vestibule/dev-stack';
import { createDatabase, createIdempotency, type Database } from '@vestibule/persistence';
import type { Logger } from '@vestibule/process';
import { MIGRATIONS, SCHEMA } from '../adapters/postgres/migrations';
import { createPresentationRequestStore } from '../adapters/postgres/presentation-request.store';
import type { Ending } from '../domain/presentation-ending';
import type { PendingRequest } from '../domain/presentation-request';
import { expiredEvent } from '../domain/presented-credentials-event';
import { NOW, pendingRequest } from './verifier.fixture-spec';

const nothing = () => undefined;
const NO_LEASE = { count: 0, milliseconds: 15_000, deliveredOf: () => [], settle: nothing };
const QUIET: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
export const RETENTION_SECONDS = 3_600;
export const ANSWER = { state: 's', same_device_request_uri: 'a', cross_device_request_uri: 'b' };

/** An ending that fails, unless told otherwise. */
export function endingOf(request: PendingRequest, more: Partial<Ending> = {}): Ending {
  return {
    state: request.state,
    status: 'VERIFICATION_FAILED',
    event: { status: 'VERIFICATION_FAILED', state: request.state, errorDetails: 'expired: …' },
    checks: [{ check: 'validity', section: 'RFC 7519 §4.1', outcome: 'failed', milliseconds: 1.5, code: 'expired' }],
    finishedAt: NOW,
    ...more,
  };
}

export const expiryOf = ({ state }: PendingRequest) => ({ state, event: expiredEvent(state) });

/** The spellings in which a value could lie in a table: as it is, in hexadecimal, and in base64 at any offset. */
export function spellingsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const encoded = [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64url');
    return shifted.slice(offset === 0 ? 0 : 4, -2);
  });
  return [value, bytes.toString('hex'), ...encoded];
}

async function dump(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${SCHEMA}'`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<Record<string, unknown>>(`SELECT * FROM ${SCHEMA}."${name}"`);
    for (const value of rows.flatMap((row) => Object.values(row))) {
      parts.push(Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value));
    }
  }
  return parts.join('\n');
}

async function readEvents(database: Database, keys: readonly Uint8Array[]) {
  const sealer = createSealer(keys, randomBytes);
  const rows = await database.query<{ id: Buffer; subject: string; payload: Buffer }>(
    `SELECT id, subject, payload FROM ${SCHEMA}.callback ORDER BY sequence`,
  );
  return rows.map(({ id, subject, payload }) => {
    const body = sealer.open(payload, `${SCHEMA}.callback.payload/${id.toString('base64url')}`).toString('utf8');
    return { subject, event: eventSchema.parse(JSON.parse(body)) as PresentedCredentialsEvent };
  });
}

/** What a statement does is judged, not how long a busy machine takes for it. */
const PATIENT_MILLISECONDS = 120_000;

/** A fresh database with the verifier's tables, and the store on it. */
export async function openStoreStage() {
  const testDatabase = await createTestDatabase();
  const url = testDatabase.urls.verifier;
  const open = (applicationName = 'verifier test') =>
    createDatabase({
      url,
      schema: SCHEMA,
      applicationName,
      migrations: MIGRATIONS,
      logger: QUIET,
      statementTimeoutMilliseconds: PATIENT_MILLISECONDS,
    });
  const database = await open();
  const keys = [randomBytes(32)];
  const sealer = createSealer(keys, randomBytes);
  /** Places of the lane that are taken. */
  let taken = 0;
  const reserve = () => {
    taken += 1;
    return { ...NO_LEASE, settle: () => void (taken -= 1) };
  };
  const store = createPresentationRequestStore({
    database,
    sealer,
    idempotency: createIdempotency({ database, schema: SCHEMA, sealer, clock: () => NOW }),
    random: randomBytes,
    retentionSeconds: RETENTION_SECONDS,
    callbackLifetimeSeconds: 86_400,
    commit: createCommitEvents(reserve, nothing),
  });
  const keyOf = ({ state }: Pick<PendingRequest, 'state'>) => Buffer.from(state, 'base64url');

  return {
    database,
    sealer,
    store,
    open,
    takenPlaces: () => taken,
    /** Stores a request and returns it. */
    async insert(more: Partial<PendingRequest> = {}): Promise<PendingRequest> {
      const request = pendingRequest(more);
      await store.insert(request, ANSWER, undefined);
      return request;
    },
    async row(request: PendingRequest): Promise<Record<string, unknown>> {
      const sql = `SELECT * FROM ${SCHEMA}.presentation_request WHERE state = $1`;
      return (await database.query<Record<string, unknown>>(sql, [keyOf(request)]))[0] ?? {};
    },
    async eventsOf({ state }: PendingRequest): Promise<PresentedCredentialsEvent[]> {
      const events = await readEvents(database, keys);
      return events.filter(({ subject }) => subject === state).map(({ event }) => event);
    },
    async count(table: 'presentation_request' | 'callback' | 'idempotency_key'): Promise<number> {
      const rows = await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${SCHEMA}.${table}`);
      return rows[0]?.n ?? -1;
    },
    dump: () => dump(database),
    async clear(): Promise<void> {
      const tables = ['callback', 'idempotency_key', 'presentation_request'].map((table) => `${SCHEMA}.${table}`);
      await database.query(`TRUNCATE ${tables.join(', ')}`);
    },
    async close(): Promise<void> {
      await database.close();
      await testDatabase.drop();
    },
  };
}

export type StoreStage = Awaited<ReturnType<typeof openStoreStage>>;
