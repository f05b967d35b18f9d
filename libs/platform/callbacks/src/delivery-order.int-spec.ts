import { type ServerResponse } from 'node:http';
import { callbackBatchParameters, insertCallbacksSql, releaseCallbacksSql } from './enqueue-callback';
import { openStage, type Stage, status, until } from './outbox.stage';

jest.setTimeout(180_000);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

const bodies = (): string[] => stage.posted.map(({ body }) => body);
/** As long as a few claims take: an event that somebody else wrongly has, too, is posted by then. */
async function whileOthersClaim(): Promise<void> {
  for (let look = 0; look < 2; look += 1) await stage.rows();
}

describe('the order of events', () => {
  it('of one subject is kept: the second one waits until the first is delivered', async () => {
    stage.reply = (post, response) =>
      status(post.body === '"first"' && stage.posted.length < 3 ? 500 : 204)(post, response);
    await stage.enqueue('offer', '"first"');
    await stage.enqueue('offer', '"second"');
    stage.deliverer();
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"first"', '"first"', '"first"', '"second"']);
  });

  it('of one subject goes on after a dead letter', async () => {
    stage.reply = (post, response) => status(post.body === '"first"' ? 410 : 204)(post, response);
    await stage.enqueue('offer', '"first"');
    await stage.enqueue('offer', '"second"');
    stage.deliverer({ limits: { pollMilliseconds: 60_000 } });
    await until(async () => (await stage.rows()).length === 1);
    expect(bodies()).toEqual(['"first"', '"second"']);
  });

  it('of one subject goes on at once where the receiver refuses what is informational', async () => {
    const [created, issued] = ['{"status":"OFFER_CREATED"}', '{"status":"ISSUED"}'];
    stage.reply = (post, response) => status(post.body === created ? 422 : 204)(post, response);
    await stage.enqueue('offer', created);
    await stage.enqueue('offer', issued);
    stage.deliverer({ limits: { pollMilliseconds: 60_000 } });
    await until(async () => (await stage.rows()).length === 1);
    expect(bodies()).toEqual([created, issued]);
    expect(await stage.rows()).toMatchObject([{ payload: null, dead: true, last_result: 'http_422', attempts: 1 }]);
    expect(stage.lines.map(({ message }) => message)).toContain('callback refused: it is a dead letter now');
  });

  it('of one subject does not hold up another one', async () => {
    stage.reply = (post, response) => status(post.body === '"stuck"' ? 500 : 204)(post, response);
    await stage.enqueue('stuck', '"stuck"');
    await stage.enqueue('free', '"free"');
    stage.deliverer();
    await until(() => bodies().includes('"free"'));
  });

  it('lets followers wait as long as the event that failed', async () => {
    stage.reply = status(500);
    await stage.enqueue('offer', '"first"');
    await stage.enqueue('offer', '"second"');
    stage.deliverer({ limits: { firstDelayMilliseconds: 60_000, longestDelayMilliseconds: 60_000 } });
    await until(async () => (await stage.rows())[0]?.last_result === 'http_500');
    const due = await stage.database.query(
      `SELECT 1 FROM ${stage.table} WHERE next_attempt_at <= now() + interval '30 seconds'`,
    );
    expect(due).toEqual([]);
  });

  it.each<[string, () => Promise<void>]>([
    ['one that comes later', () => stage.enqueue('offer', '"second"')],
    ['one of a batch', enqueueBatch],
    ['one that is released', () => holdAndRelease({})],
    ['one that is released with others, which are leased', () => holdAndRelease({ leaseParameter: 2 })],
  ])('so does %s, and claims do not pass it by', async (_which, follow) => {
    stage.reply = status(500);
    await stage.enqueue('offer', '"first"');
    const one = stage.deliverer({ limits: { firstDelayMilliseconds: 60_000, longestDelayMilliseconds: 60_000 } });
    await until(async () => (await stage.rows())[0]?.last_result === 'http_500');
    await one.stop();
    await follow();
    const rows = await stage.database.query(
      `SELECT subject, next_attempt_at <= now() AS is_due, leased_until IS NOT NULL AS is_leased FROM ${stage.table}
       WHERE sequence > (SELECT min(sequence) FROM ${stage.table}) AND subject = 'offer'`,
    );
    expect(rows).toEqual([{ subject: 'offer', is_due: false, is_leased: false }]);
  });
});

/** As a sweep does. */
async function enqueueBatch(): Promise<void> {
  const { schema, context, database } = stage;
  const events = ['offer', 'other'].map((subject) => ({ subject, body: '"second"', status: 'EXPIRED' }));
  await database.query(
    `WITH ended AS (SELECT unnest($1::text[]) AS subject, NULL::text AS callback_url)
     ${insertCallbacksSql({ schema, from: 'ended', firstParameter: 2 })}`,
    [events.map(({ subject }) => subject), ...callbackBatchParameters(events, context)],
  );
}

/** Holds an event of the subject, and releases it as a service does. */
async function holdAndRelease(lease: { readonly leaseParameter?: number }): Promise<void> {
  await stage.hold('offer', '"second"', 600);
  const release = releaseCallbacksSql({ schema: stage.schema, from: 'named', ...lease });
  const parameters = 'leaseParameter' in lease ? [60_000, 16, []] : [];
  await stage.database.query(
    `WITH named AS (SELECT $1::text AS subject), released AS (${release}) SELECT count(*) FROM released`,
    ['offer', ...parameters],
  );
}

describe('several deliverers', () => {
  it('never deliver one event at the same time, nor one event twice while all goes well', async () => {
    let open = 0;
    const inside = new Map<string, number>();
    let overlaps = 0;
    stage.reply = ({ body }, response) => {
      open += 1;
      const others = inside.get(body) ?? 0;
      if (others > 0) overlaps += 1;
      inside.set(body, others + 1);
      void whileOthersClaim().then(() => {
        inside.set(body, (inside.get(body) ?? 1) - 1);
        open -= 1;
        // Every fifth answer is an error, so that retries take part too.
        status((stage.posted.length + open) % 5 === 0 ? 503 : 204)({ body, headers: {}, path: '' }, response);
      });
    };
    await Promise.all(
      Array.from({ length: 40 }, async (_, subject) => {
        for (let event = 0; event < 5; event += 1) await stage.enqueue(`s${subject}`, `"${subject}/${event}"`);
      }),
    );
    for (let replica = 0; replica < 4; replica += 1) stage.deliverer();
    await until(stage.isEmpty);
    expect(overlaps).toBe(0);
    expect(new Set(bodies()).size).toBe(200);
    for (let subject = 0; subject < 40; subject += 1) {
      const own = bodies().filter((body) => body.startsWith(`"${subject}/`));
      expect(own).toEqual([...own].sort());
    }
  });

  it('take over the event of a process that died, when its lease is over', async () => {
    await stage.enqueue('s', '"event"');
    const [lease] = await stage.database.query<{ until: Date }>(
      `UPDATE ${stage.table} SET attempts = 1, leased_until = now() + interval '500 milliseconds' RETURNING leased_until AS until`,
    );
    let postedAt = Number.NaN;
    stage.reply = (post, response) => {
      postedAt = Date.now();
      status(204)(post, response);
    };
    stage.deliverer();
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"event"']);
    expect(postedAt).toBeGreaterThanOrEqual(lease?.until.getTime() as number);
  });

  it('leave an event alone that another process has taken over meanwhile', async () => {
    stage.reply = (post, response) => {
      void stage.database
        .query(`UPDATE ${stage.table} SET attempts = attempts + 1, leased_until = now() + interval '1 hour'`)
        .then(() => status(500)(post, response));
    };
    await stage.enqueue('s', '"event"');
    const one = stage.deliverer();
    await until(() => stage.posted.length === 1);
    await one.stop();
    expect(await stage.rows()).toMatchObject([{ attempts: 2, last_result: null, dead: false }]);
    expect(stage.lines.at(-1)?.message).toBe('callback not delivered, another process has it meanwhile');
  });
});

describe('stopping', () => {
  it('finishes the attempt that is under way and claims nothing more', async () => {
    const waiting: ServerResponse[] = [];
    stage.reply = (_, response) => void waiting.push(response);
    await stage.enqueue('a', '"under way"');
    const attempts: string[] = [];
    const one = stage.deliverer({ onAttempt: () => void attempts.push('the one that stops') });
    await until(() => waiting.length === 1);
    const stopped = one.stop();
    await stage.enqueue('b', '"later"');
    one.wake();
    await whileOthersClaim();
    expect(bodies()).toEqual(['"under way"']);
    stage.deliverer({ onAttempt: () => void attempts.push('another') });
    await until(() => waiting.length === 2);
    for (const response of waiting) response.writeHead(204).end();
    await stopped;
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"under way"', '"later"']);
    expect(attempts.sort()).toEqual(['another', 'the one that stops']);
  });
});

describe('a backlog', () => {
  it('is worked off with bounded concurrency', async () => {
    const open: ServerResponse[] = [];
    let most = 0;
    stage.reply = (_, response) => {
      open.push(response);
      most = Math.max(most, open.length);
      if (open.length < 8 && stage.posted.length < 200) return;
      void whileOthersClaim().then(() => open.splice(0).forEach((one) => one.writeHead(204).end()));
    };
    await Promise.all(Array.from({ length: 200 }, (_, index) => stage.enqueue(`s${index}`, `"${index}"`)));
    stage.deliverer({ limits: { concurrency: 8, pollMilliseconds: 60_000 } });
    await until(stage.isEmpty);
    expect(most).toBe(8);
    expect(stage.posted).toHaveLength(200);
  });
});
