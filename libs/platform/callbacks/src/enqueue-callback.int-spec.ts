import { callbackBatchParameters, callbackParameters, insertCallbacksSql, insertCallbackSql } from '.';
import { openStage, type Stage } from './outbox.stage';

jest.setTimeout(180_000);

const CANARY = 'canary-claim-value';
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

describe('the outbox', () => {
  const endRequest = (): string =>
    `WITH ended AS (UPDATE "${stage.schema}".request SET status = 'ENDED' WHERE id = $1 AND status = 'OPEN' RETURNING id, callback_url),
       event AS (${insertCallbackSql({ schema: stage.schema, from: 'ended', firstParameter: 2 })})
     SELECT id FROM ended`;

  it('takes the event in the statement that ends a request: of 20 parallel ends one wins, with one event', async () => {
    await stage.database.query(`INSERT INTO "${stage.schema}".request VALUES ('r1', 'OPEN', NULL)`);
    const event = { subject: 'r1', body: `{"claim":"${CANARY}"}`, status: 'ENDED' };
    const ends = Array.from({ length: 20 }, () =>
      stage.database.query(endRequest(), ['r1', ...callbackParameters(event, stage.context)]),
    );
    expect((await Promise.all(ends)).filter(({ length }) => length === 1)).toHaveLength(1);
    expect(await stage.rows()).toHaveLength(1);
  });

  it('takes a batch, without the events of requests that ended otherwise', async () => {
    await stage.database.query(
      `INSERT INTO "${stage.schema}".request VALUES
         ('b1', 'OPEN', NULL), ('b2', 'ENDED', NULL), ('b3', 'OPEN', 'https://b.example:8443/hooks/1')`,
    );
    const events = ['b1', 'b2', 'b3'].map((subject) => ({ subject, body: '{}', status: 'ENDED' }));
    await stage.database.query(
      `WITH ended AS (UPDATE "${stage.schema}".request SET status = 'ENDED' WHERE id = ANY($1::text[]) AND status = 'OPEN' RETURNING id AS subject, callback_url)
       ${insertCallbacksSql({ schema: stage.schema, from: 'ended', firstParameter: 2 })}`,
      [['b1', 'b2', 'b3'], ...callbackBatchParameters(events, stage.context)],
    );
    const rows = await stage.database.query(`SELECT subject, status, url, target FROM ${stage.table} ORDER BY subject`);
    expect(rows).toEqual([
      { subject: 'b1', status: 'ENDED', url: null, target: '' },
      { subject: 'b3', status: 'ENDED', url: 'https://b.example:8443/hooks/1', target: 'https://b.example:8443' },
    ]);
  });

  it('holds the payload sealed', async () => {
    await stage.enqueue('s', `{"claim":"${CANARY}"}`);
    const [row] = await stage.rows();
    expect(row?.payload?.includes(CANARY)).toBe(false);
  });
});
