import { withRequestContext } from '@vestibule/process';
import { createQuery } from './prepared-query';

function stage() {
  const sent: string[] = [];
  const target = {
    query: ({ text }: { text: string }) => {
      sent.push(text);
      return Promise.resolve({ rows: [] });
    },
  };
  return { sent, query: createQuery(target, { isTransaction: false }) };
}

const WRITES = [
  'INSERT INTO a VALUES (1)',
  '  update a SET b = 1',
  'WITH x AS (DELETE FROM a RETURNING *) SELECT * FROM x',
  'DELETE FROM a',
];
const READS = ['SELECT 1', 'WITH x AS (SELECT 1) SELECT * FROM x', 'SHOW transaction_read_only'];

/** Runs a statement for somebody who waits for so long from now. */
function runFor(milliseconds: number | undefined, sql: string) {
  const { sent, query } = stage();
  const answerBy = milliseconds === undefined ? undefined : new Date(Date.now() + milliseconds);
  const done = withRequestContext({ requestId: 'request-1', answerBy }, () => query(sql));
  return { sent, done };
}

describe('a write for a question whose time is almost over', () => {
  it.each(WRITES)('is not begun: %s', async (sql) => {
    for (const milliseconds of [-60_000, 0, 5_400]) {
      const { sent, done } = runFor(milliseconds, sql);
      await expect(done).rejects.toMatchObject({ code: 'service_timeout', reason: 'deadline_passed' });
      expect(sent).toEqual([]);
    }
  });

  it.each(WRITES)('is begun while there is time, and outside of a question: %s', async (sql) => {
    for (const milliseconds of [60_000, undefined]) {
      const { sent, done } = runFor(milliseconds, sql);
      await done;
      expect(sent).toEqual([sql]);
    }
  });

  it.each(READS)('is no read, which harms nobody: %s', async (sql) => {
    const { sent, done } = runFor(-60_000, sql);
    await done;
    expect(sent).toEqual([sql]);
  });
});
