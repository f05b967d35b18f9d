import { type ServerResponse } from 'node:http';
import { type Query } from '@vestibule/persistence';
import { callbackParameters, commitEvent, createCommitEvents, insertCallbackSql, releaseCallbacksSql } from '.';
import { type CommitEvents, type EventLease } from './commit-events';
import { type ReleasedCallback } from './enqueue-callback';
import { countStatements, openStage, type Stage, status, until } from './outbox.stage';

jest.setTimeout(180_000);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

/** A busy machine must not make a lease too old to be used. */
const PATIENT = { leaseMarginMilliseconds: 120_000 };
/** Nothing is found by looking in these tests, unless they say so. */
const SELDOM = { ...PATIENT, pollMilliseconds: 600_000 };
const bodies = (): string[] => stage.posted.map(({ body }) => body);
const parametersOf = (subject: string, body: string) =>
  callbackParameters({ subject, body, status: 'ENDED' }, stage.context);

interface Wish {
  readonly url?: string;
  readonly query?: Query;
  /** Called after the insertion, before it is committed or after that. */
  readonly after?: () => Promise<void>;
}

/** Commits one event as the services do; returns whether it was leased. */
async function commitOne(commit: CommitEvents, subject: string, { url, query, after }: Wish = {}): Promise<boolean> {
  const parameters = parametersOf(subject, `"${subject}"`);
  const insert = insertCallbackSql({ schema: stage.schema, from: 'ended', firstParameter: 1, leaseParameter: 8 });
  const sql = `WITH ended AS (SELECT $7::text AS callback_url), event AS (${insert}) SELECT leased FROM event`;
  return commitEvent(commit, parameters, async (milliseconds) => {
    const run = query ?? stage.database.query;
    const [row] = await run<{ leased: boolean }>(sql, [...parameters, url ?? null, milliseconds]);
    await after?.();
    return { result: row?.leased === true, leased: row?.leased };
  });
}

/** A process that has leased an event, and dies before it posts it. */
const dying = (milliseconds: number): CommitEvents => {
  const lease = { count: 1, milliseconds, deliveredOf: () => [] };
  return createCommitEvents(
    () => ({ ...lease, settle: () => undefined }),
    () => undefined,
  );
};

/** A deliverer that has looked for events once, and found none. */
async function started(limits: object = {}) {
  const { database, statements } = countStatements(stage.database);
  const one = stage.deliverer({ database, limits: { ...SELDOM, ...limits } });
  await until(() => statements.answered >= 2);
  return { one, query: database.query, statements };
}

describe('an event that the inserting statement leases', () => {
  it('is posted and deleted without a claim: one statement for it, and one for its end', async () => {
    const { one, query, statements } = await started();
    const before = statements.asked;
    expect(await commitOne(one.commit, 'a', { query })).toBe(true);
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"a"']);
    expect(statements.asked - before).toBe(2);
  });

  it('is posted as it was sealed, without being opened again, unlike one that is claimed', async () => {
    const { sealer } = stage.context;
    let opened = 0;
    const open: typeof sealer.open = (sealed, context) => {
      opened += 1;
      return sealer.open(sealed, context);
    };
    const one = stage.deliverer({ sealer: { ...sealer, open }, limits: SELDOM });
    await commitOne(one.commit, 'own');
    await until(stage.isEmpty);
    expect(opened).toBe(0);
    await stage.enqueue('other', '"other"');
    one.wake();
    await until(stage.isEmpty);
    expect([opened, bodies()]).toEqual([1, ['"own"', '"other"']]);
  });

  it('is not posted before its commit', async () => {
    const { one } = await started();
    await stage.database.transaction(async (transaction) => {
      await expect(
        commitOne(one.commit, 'never', {
          query: transaction.query,
          after: () => Promise.reject(new Error('rolled back')),
        }),
      ).rejects.toThrow('rolled back');
      await transaction.query('DELETE FROM ' + stage.table);
    });
    let postedInside: number | undefined;
    await commitOne(one.commit, 'later', {
      after: async () => {
        await stage.rows();
        postedInside = stage.posted.length;
      },
    });
    await until(stage.isEmpty);
    expect(postedInside).toBe(0);
    expect(bodies()).toEqual(['"later"']);
  });

  it('is delivered by others after the lease, and not before it, if its process dies', async () => {
    expect(await commitOne(dying(700), 'a')).toBe(true);
    const [lease] = await stage.database.query<{ until: Date }>(`SELECT leased_until AS until FROM ${stage.table}`);
    let postedAt = Number.NaN;
    stage.reply = (post, response) => {
      postedAt = Date.now();
      status(204)(post, response);
    };
    stage.deliverer();
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"a"']);
    expect(postedAt).toBeGreaterThanOrEqual(lease?.until.getTime() as number);
  });

  it('is left to its lease if the answer to the statement is lost', async () => {
    const { one } = await started({ timeoutMilliseconds: 400, leaseMarginMilliseconds: 300 });
    const lost = commitOne(one.commit, 'a', { after: () => Promise.reject(new Error('no answer')) });
    await expect(lost).rejects.toThrow('no answer');
    expect(await stage.rows()).toMatchObject([{ attempts: 1 }]);
    expect(bodies()).toEqual([]);
    stage.deliverer();
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"a"']);
  });

  it('is tried again like any other, in the same order', async () => {
    stage.reply = (post, response) => status(stage.posted.length < 3 ? 500 : 204)(post, response);
    const one = stage.deliverer({ limits: PATIENT });
    await commitOne(one.commit, 'a');
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"a"', '"a"', '"a"']);
  });

  it('is posted once, whatever many replicas do', async () => {
    const replicas = Array.from({ length: 3 }, () => stage.deliverer({ limits: PATIENT }));
    const all = Array.from({ length: 120 }, (_, at) =>
      commitOne((replicas[at % 3] as (typeof replicas)[0]).commit, `s${at}`),
    );
    await Promise.all(all);
    await until(stage.isEmpty);
    expect(bodies().sort()).toEqual(Array.from({ length: 120 }, (_, at) => `"s${at}"`).sort());
  });
});

describe('an event is not leased, but claimed', () => {
  it('while an earlier one of its subject is not delivered', async () => {
    const { one } = await started({ firstDelayMilliseconds: 300, longestDelayMilliseconds: 300 });
    stage.reply = (post, response) => status(stage.posted.length < 2 ? 500 : 204)(post, response);
    await commitOne(one.commit, 'a');
    await until(async () => (await stage.rows())[0]?.last_result === 'http_500');
    expect(await commitOne(one.commit, 'a')).toBe(false);
    expect(bodies()).toEqual(['"a"']);
    stage.deliverer();
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"a"', '"a"', '"a"']);
  });

  it('if it is for another receiver', async () => {
    const { one } = await started();
    expect(await commitOne(one.commit, 'a', { url: 'https://elsewhere.example/hook' })).toBe(false);
    expect(await stage.rows()).toMatchObject([{ attempts: 0 }]);
  });

  it('if there is no room: as many are posted at a time as without leases', async () => {
    const open: ServerResponse[] = [];
    stage.reply = (_, response) => void open.push(response);
    const { one } = await started({ concurrency: 2 });
    const leased = [];
    for (const subject of ['a', 'b', 'c', 'd']) leased.push(await commitOne(one.commit, subject));
    expect(leased).toEqual([true, true, false, false]);
    await until(() => open.length === 2);
    stage.reply = status(204);
    for (const response of open) response.writeHead(204).end();
    await until(stage.isEmpty);
    expect(bodies().sort()).toEqual(['"a"', '"b"', '"c"', '"d"']);
  });

  it('by a deliverer that stops: what it has leased before is posted first', async () => {
    const { one } = await started();
    let stopped: Promise<void> | undefined;
    await commitOne(one.commit, 'before', {
      after: async () => {
        stopped = one.stop();
        await stage.rows();
      },
    });
    await stopped;
    expect(bodies()).toEqual(['"before"']);
    expect(await stage.rows()).toEqual([]);
    expect(await commitOne(one.commit, 'after')).toBe(false);
  });
});

describe('held events that a statement releases', () => {
  async function release(lease: Partial<EventLease>, ...subjects: readonly string[]) {
    const { count = 9, milliseconds = 60_000, deliveredOf = () => [] } = lease;
    const released = releaseCallbacksSql({ schema: stage.schema, from: 'named', leaseParameter: 2 });
    const sql = `WITH named AS (SELECT unnest($1::text[]) AS subject), released AS (${released}) SELECT * FROM released`;
    const values = [subjects, milliseconds, count, deliveredOf(subjects)];
    return stage.database.query<ReleasedCallback>(sql, values);
  }
  const leasedOf = (released: readonly ReleasedCallback[]) =>
    released.filter(({ payload }) => payload).map(({ subject }) => subject);

  it('are leased up to the number that there is room for; the others are due', async () => {
    for (const subject of ['a', 'b', 'c']) await stage.hold(subject, `"${subject}"`, 600);
    const released = await release({ count: 2 }, 'a', 'b', 'c', 'nobody');
    expect(released).toHaveLength(3);
    expect(leasedOf(released)).toHaveLength(2);
    expect((await stage.rows()).map(({ attempts }) => attempts).sort()).toEqual([0, 1, 1]);
    expect(await release({}, 'a', 'b', 'c')).toEqual([]);
  });

  it('are leased once by many who release them at the same time', async () => {
    await stage.hold('a', '"a"', 600);
    const all = await Promise.all(Array.from({ length: 8 }, () => release({}, 'a')));
    expect(all.flatMap(leasedOf)).toEqual(['a']);
  });

  it('are not leased after an earlier event of the subject, unless that one was delivered', async () => {
    for (const subject of ['a', 'b']) {
      await stage.enqueue(subject, '"first"');
      await stage.hold(subject, '"second"', 600);
    }
    expect(leasedOf(await release({}, 'a'))).toEqual([]);
    const first = `SELECT id FROM ${stage.table} WHERE subject = 'b' ORDER BY sequence LIMIT 1`;
    const [{ id } = { id: Buffer.alloc(0) }] = await stage.database.query<{ id: Buffer }>(first);
    expect(leasedOf(await release({ deliveredOf: () => [id] }, 'b'))).toEqual(['b']);
  });

  it('keep their own receiver', async () => {
    await stage.hold('a', '"a"', 600);
    await stage.database.query(`UPDATE ${stage.table} SET url = 'https://elsewhere.example/hook'`);
    expect(leasedOf(await release({}, 'a'))).toEqual([]);
    expect(await stage.rows()).toMatchObject([{ attempts: 0 }]);
  });
});
