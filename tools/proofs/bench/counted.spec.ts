import { backgroundOf, countMessages, countStatements, perFlow, withoutBatches } from './counted';
import type { Statement } from './postgres-tap';

const statement = (text: string, rows?: number, connection = 1): Statement => ({
  connection,
  text,
  ...(rows === undefined ? {} : { rows }),
});
const background = backgroundOf([
  statement('SELECT due', 0),
  statement('DELETE old', 0),
  statement('SELECT version()', 1),
  statement('SELECT 1', 1),
  statement('BEGIN'),
  statement('COMMIT'),
]);
const counted = (...statements: readonly Statement[]) => Object.fromEntries(countStatements(statements, background));

describe('the count of statements', () => {
  it('has each statement that a stack at rest does not run, however many rows it has', () => {
    expect(counted(statement('INSERT', 1), statement('INSERT', 1), statement('SELECT nothing', 0))).toEqual({
      INSERT: 2,
      'SELECT nothing': 1,
    });
  });

  it('has a look for work only when it found some', () => {
    expect(counted(statement('SELECT due', 0), statement('SELECT due', 2), statement('SELECT due', 0))).toEqual({
      'SELECT due': 1,
    });
  });

  it('has a purge that came for the first time only when it deleted something', () => {
    expect(counted(statement('DELETE older', 0), statement('DELETE older', 1))).toEqual({ 'DELETE older': 1 });
  });

  it('leaves out what always gives a row', () => {
    expect(counted(statement('SELECT version()', 1), statement('SELECT 1', 1))).toEqual({});
  });

  it('has the frame of a transaction with its work, and not without', () => {
    const sweep = [statement('BEGIN'), statement('DELETE old', 0), statement('COMMIT')];
    const work = [statement('BEGIN'), statement('INSERT', 1), statement('COMMIT')];
    expect(counted(...sweep, ...work, ...sweep)).toEqual({ BEGIN: 1, INSERT: 1, COMMIT: 1 });
  });

  it('keeps connections apart', () => {
    const mixed = [
      statement('BEGIN', undefined, 1),
      statement('BEGIN', undefined, 2),
      statement('DELETE old', 0, 1),
      statement('INSERT', 1, 2),
      statement('COMMIT', undefined, 1),
      statement('SELECT due', 1, 3),
      statement('ROLLBACK', undefined, 2),
    ];
    expect(counted(...mixed)).toEqual({ BEGIN: 1, INSERT: 1, ROLLBACK: 1, 'SELECT due': 1 });
  });

  it('has a transaction that is still open', () => {
    expect(counted(statement('BEGIN'), statement('INSERT', 1))).toEqual({ BEGIN: 1, INSERT: 1 });
  });
});

describe('the count of messages', () => {
  it('leaves out what is sent without flows, and divides by the flows', () => {
    const counts = countMessages(['a', 'a (answer)', 'beat', 'a', 'a (answer)'], ['beat']);
    expect(Object.fromEntries(counts)).toEqual({ a: 2, 'a (answer)': 2 });
    expect(perFlow(counts, 2)).toBe(2);
  });

  it('has no batches in its sum, whose number follows the clock', () => {
    const report = 'issuer.hand-over.report';
    const counts = countMessages(['a', 'a (answer)', report, `${report} (answer)`], []);
    expect(counts.get(report)).toBe(1);
    expect(Object.fromEntries(withoutBatches(counts))).toEqual({ a: 1, 'a (answer)': 1 });
  });

  it('leaves out the deletion of delivered callbacks, and no other statement about them', () => {
    const removal = 'DELETE FROM "issuer".callback AS done WHERE done.id = ANY($1::bytea[]) RETURNING 1';
    const others = [
      'DELETE FROM "issuer".callback WHERE dead_at < now()',
      'DELETE FROM issuer.spent',
      'INSERT INTO "issuer".callback AS done',
    ];
    const counts = countStatements(
      [`\n    ${removal}`, ...others].map((text) => statement(text, 1)),
      new Map(),
    );
    expect([...withoutBatches(counts).keys()]).toEqual(others);
  });
});
