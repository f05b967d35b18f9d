import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { createSealer } from '@vestibule/crypto';
import { auditTableSql, createDatabase, type Database, type Query } from '@vestibule/persistence';
import { type LogFields, type Logger } from '@vestibule/process';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  callbackDetailsSql,
  callbackExpirySql,
  callbackHoldSql,
  callbackOverviewSql,
  callbackParameters,
  callbackReceiverSql,
  callbackTableSql,
  createDeliverer,
  type Deliverer,
  type DelivererOptions,
} from '.';
import { insertCallbackSql, type EnqueueContext } from './enqueue-callback';

/** One request as the receiver saw it. */
export interface Posted {
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  readonly path: string;
}
export type Reply = (posted: Posted, response: ServerResponse) => void;

export interface Row {
  readonly subject: string;
  readonly payload: Buffer | null;
  readonly dead: boolean;
  readonly last_result: string | null;
  readonly attempts: number;
}

/** Answers every post with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  (_, response) =>
    void response.writeHead(code, headers).end('an answer nobody reads');

/** Waits until a condition holds; throws after a minute. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('the condition did not come true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A receiver on a free port whose answers are made by `receive`. */
export function openReceiver(receive: Reply): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      receive({ body: Buffer.concat(chunks).toString(), headers: request.headers, path: request.url ?? '' }, response),
    );
  });
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?tenant=1`, close });
    });
  });
}

function openOutbox(schema: string, logger: Logger, poolSize: number | undefined): Promise<Database> {
  class CreateOutbox1700000000000 implements MigrationInterface {
    async up(runner: QueryRunner): Promise<void> {
      const additions = [callbackDetailsSql, callbackHoldSql, callbackExpirySql, callbackOverviewSql];
      const outbox = [callbackTableSql, callbackReceiverSql, ...additions];
      for (const sql of [auditTableSql, ...outbox].flatMap((part) => part(schema))) await runner.query(sql);
      await runner.query(
        `CREATE TABLE "${schema}".request (id text PRIMARY KEY, status text NOT NULL, callback_url text)`,
      );
    }
    async down(): Promise<void> {}
  }
  // eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
  const url = process.env['TEST_DATABASE_URL'] ?? '';
  const migrations = [CreateOutbox1700000000000];
  const pool = poolSize === undefined ? {} : { poolSize };
  return createDatabase({ url, schema, applicationName: 'callbacks test', migrations, logger, ...pool });
}

/** A database with counters of the statements that were sent and answered. */
export function countStatements(database: Database) {
  const statements = { asked: 0, answered: 0 };
  const counting =
    (query: Query): Query =>
    async (...question) => {
      statements.asked += 1;
      try {
        return await query(...question);
      } finally {
        statements.answered += 1;
      }
    };
  const [query, queryAnew] = [counting(database.query), counting(database.queryAnew)];
  return { database: { ...database, query, queryAnew }, statements };
}

/**
 * Short polls and retries. If a busy machine gave an attempt up, it would rightly be repeated while the receiver still
 * has it.
 */
const LIMITS = {
  timeoutMilliseconds: 120_000,
  pollMilliseconds: 50,
  firstDelayMilliseconds: 50,
  longestDelayMilliseconds: 100,
};

/** What is stored of a body beside it; a body may be anything here. */
const remainsOf = (body: string) => ({
  status: /"status":"(\w+)"/.exec(body)?.[1] ?? 'ENDED',
  errorDetails: /"errorDetails":"(\w+)"/.exec(body)?.[1],
});

interface Queued {
  readonly expiresInSeconds?: number;
  readonly url?: string | undefined;
  readonly holdSeconds?: number;
}

/** Puts events into the outbox as the services do. */
function queueing(database: Database, context: EnqueueContext) {
  const at = { schema: context.schema, from: 'ended', firstParameter: 1 };
  return async (subject: string, body: string, { expiresInSeconds = 3600, url, holdSeconds }: Queued) => {
    const holding = holdSeconds === undefined ? {} : { holdParameter: 8 };
    const parameters = callbackParameters({ subject, body, ...remainsOf(body) }, { ...context, expiresInSeconds });
    const values = [...parameters, url ?? null, ...(holdSeconds === undefined ? [] : [holdSeconds])];
    const insert = insertCallbackSql({ ...at, ...holding });
    await database.query(`WITH ended AS (SELECT $7::text AS callback_url) ${insert}`, values);
  };
}

interface Line {
  readonly message: string;
  readonly fields: LogFields;
}

function notingIn(lines: Line[]): Logger {
  const log = (message: string, fields: LogFields = {}): void => void lines.push({ message, fields });
  return { debug: log, info: log, warn: log, error: log };
}

/** An outbox in a separate schema, and a receiver for its events. */
export async function openStage({ poolSize }: { readonly poolSize?: number } = {}) {
  const schema = `test_callbacks_${randomBytes(6).toString('hex')}`;
  const table = `"${schema}".callback`;
  const sealer = createSealer([randomBytes(32)], randomBytes);
  const context = { schema, sealer, random: randomBytes, now: new Date() };
  const lines: Line[] = [];
  const logger = notingIn(lines);
  const database = await openOutbox(schema, logger, poolSize);
  const running: Deliverer[] = [];
  const stage = { reply: status(204), posted: [] as Posted[] };
  const receiver = await openReceiver((post, response) => {
    stage.posted.push(post);
    stage.reply(post, response);
  });
  const target = { url: receiver.url };

  const deliverer = (options: Partial<DelivererOptions> = {}): Deliverer => {
    const clock = (): Date => new Date();
    const fixed = { database, schema, sealer, target, clock, random: randomBytes, logger };
    const made = createDeliverer({ ...fixed, ...options, limits: { ...LIMITS, ...options.limits } });
    running.push(made);
    return made;
  };
  const queue = queueing(database, context);
  const enqueue = (subject: string, body: string, expiresInSeconds = 3600, url?: string): Promise<void> =>
    queue(subject, body, { expiresInSeconds, url });
  const hold = (subject: string, body: string, holdSeconds: number): Promise<void> =>
    queue(subject, body, { holdSeconds });
  const rows = (): Promise<Row[]> =>
    database.query<Row>(
      `SELECT subject, payload, dead_at IS NOT NULL AS dead, last_result, attempts FROM ${table} ORDER BY sequence`,
    );
  const reset = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
    await database.query(`DELETE FROM ${table}`);
    stage.posted = [];
    stage.reply = status(204);
  };
  const close = async (): Promise<void> => {
    await database.query(`DROP SCHEMA "${schema}" CASCADE`);
    await Promise.all([database.close(), receiver.close()]);
  };
  const isEmpty = async (): Promise<boolean> => (await rows()).length === 0;
  return Object.assign(stage, {
    schema,
    table,
    context,
    lines,
    logger,
    database,
    target,
    deliverer,
    enqueue,
    hold,
    rows,
    reset,
    close,
    isEmpty,
  });
}

export type Stage = Awaited<ReturnType<typeof openStage>>;
