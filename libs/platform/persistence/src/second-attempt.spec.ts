import { createQuery } from './prepared-query';

const WRITE = 'UPDATE a SET b = 1';
const fromServer = (code: string, severity = 'ERROR'): Error => Object.assign(new Error(code), { code, severity });
const conflict = fromServer('40P01');

/** What becomes of an attempt: how long it waits for a connection and then for an answer, and how it ends. */
interface Attempt {
  readonly connecting?: number;
  readonly answering?: number;
  /** Absent: an answer. */
  readonly error?: Error;
  /** The error is that of connecting. */
  readonly isUnsent?: boolean;
}

/** A query function over a pool whose attempts go like this, by a clock of the test. */
function stage(...attempts: readonly Attempt[]) {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const left = [...attempts];
  let sent = 0;
  const target = {
    async query(_statement: unknown, beforeSending?: () => void) {
      const { connecting = 0, answering = 0, error, isUnsent = false } = left.shift() ?? {};
      now += connecting;
      if (!isUnsent) {
        beforeSending?.();
        sent += 1;
      }
      now += answering;
      if (error) throw error;
      return { rows: [{ done: true }] };
    },
  };
  return { query: createQuery(target, { isTransaction: false }), sent: () => sent, unused: () => left.length };
}
afterEach(() => jest.restoreAllMocks());

describe('a statement that gave way to concurrent ones', () => {
  it.each([WRITE, 'SELECT 1'])('is sent once more: %s', async (sql) => {
    const { query, sent } = stage({ answering: 1_000, error: conflict }, {});
    expect(await query(sql)).toEqual([{ done: true }]);
    expect(sent()).toBe(2);
  });

  it('is not sent again when one statement alone may have taken that long', async () => {
    const { query, sent, unused } = stage({ connecting: 2_000, answering: 1_600, error: conflict }, {});
    await expect(query(WRITE)).rejects.toMatchObject({ code: 'database_unavailable' });
    expect([sent(), unused()]).toEqual([1, 1]);
  });

  it('is not sent again when no connection became free in time', async () => {
    const { query, sent, unused } = stage({ answering: 3_000, error: conflict }, { connecting: 2_100 });
    await expect(query(WRITE)).rejects.toMatchObject({ code: 'database_unavailable' });
    expect([sent(), unused()]).toEqual([1, 0]);
  });

  it('has an open outcome if the answer to the second attempt is lost', async () => {
    const { query } = stage({ error: conflict }, { error: fromServer('08006') });
    await expect(query(WRITE)).rejects.toMatchObject({ code: 'database_outcome_unknown' });
  });

  it('has done nothing if there was no connection for the second attempt', async () => {
    const { query } = stage({ error: conflict }, { isUnsent: true, error: fromServer('08P01', 'FATAL') });
    await expect(query(WRITE)).rejects.toMatchObject({ code: 'database_unavailable' });
  });
});

describe('a write whose pooler has lost its server', () => {
  const lost = fromServer('08P01', 'FATAL');

  it('has an open outcome once it was sent', async () => {
    const { query } = stage({ error: lost });
    await expect(query(WRITE)).rejects.toMatchObject({ code: 'database_outcome_unknown' });
  });

  it('has done nothing while the pooler refuses connections', async () => {
    const { query } = stage({ isUnsent: true, error: lost });
    await expect(query(WRITE)).rejects.toMatchObject({ code: 'database_unavailable' });
  });
});
