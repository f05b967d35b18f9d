import { createHash } from 'node:crypto';
import { statementSummary, watchedQuery, type Query } from './watched-query';

describe('the name of a statement', () => {
  it.each([
    ['SELECT session FROM verifier.presentation_request WHERE state = $1', 'select verifier.presentation_request'],
    ['\n  INSERT INTO verifier.callback (id) VALUES ($1)', 'insert verifier.callback'],
    ['WITH gone AS (SELECT 1 FROM a.b), d AS (DELETE FROM issuer.spent WHERE x) SELECT 1', 'delete issuer.spent'],
    ['update "wallet_store"."wallet" SET x = 1', 'update wallet_store.wallet'],
    ['SELECT 1 FROM a.b WHERE c FOR NO KEY UPDATE OF b SKIP LOCKED', 'select a.b'],
    ['WITH x AS (SELECT 1 FROM a.b FOR UPDATE) UPDATE c.d SET e = 1', 'update c.d'],
    ['SELECT 1', 'select'],
    ['COMMIT', 'commit'],
  ])('of %s is %s', (sql, name) => {
    expect(statementSummary(sql)).toBe(name);
  });
});

describe('a watched query', () => {
  it('tells how long each statement took and whether it failed, and changes neither rows nor errors', async () => {
    const seen: string[] = [];
    const query = ((sql: string) =>
      sql === 'BROKEN' ? Promise.reject(new Error('x')) : Promise.resolve([{ a: 1 }])) as Query;
    const watched = watchedQuery(query, (statement, seconds, result) => {
      expect(seconds).toBeGreaterThanOrEqual(0);
      seen.push(`${statement} ${result}`);
    });
    expect(await watched('SELECT a FROM b.c', [])).toEqual([{ a: 1 }]);
    await expect(watched('BROKEN')).rejects.toThrow('x');
    expect(seen).toEqual(['select b.c ok', 'broken error']);
  });

  it('is the query itself where nobody wants to know', () => {
    const query = (() => Promise.resolve([])) as Query;
    expect(watchedQuery(query, undefined)).toBe(query);
  });
});

describe('names of statements', () => {
  it('is one of a bounded number, and never a value', () => {
    const names = new Set<string>();
    for (let index = 0; index < 3_000; index += 1) {
      const value = createHash('sha256').update(String(index)).digest('hex');
      names.add(statementSummary(`SELECT x FROM a.t_${value.slice(0, 8)} WHERE y = '${value}'`));
    }
    expect(names.size).toBeLessThanOrEqual(1_001);
    expect([...names].join()).not.toContain("'");
  });
});
