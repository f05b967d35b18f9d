import { QueryFailedError } from 'typeorm';
import { isPassing, isUnanswered, isUniqueViolation, toDatabaseError, toDriverError } from './database-errors';
import { UnansweredError } from './limited-client';
import { quoteIdentifier } from './identifier';
import { statementName } from './prepared-query';

/** As Postgres says it of a statement, and not a pooler. */
const fromBind = Object.assign(new Error('canary'), { code: '08P01', severity: 'ERROR', routine: 'exec_bind_message' });
const fromServer = (code: string, severity = 'ERROR'): Error => Object.assign(new Error('canary'), { code, severity });

describe('errors of the database', () => {
  it.each([
    [fromServer('57P01'), 'database_unavailable'],
    [fromServer('53300'), 'database_unavailable'],
    [fromServer('08006'), 'database_unavailable'],
    [Object.assign(new Error('canary'), { code: 'ECONNREFUSED' }), 'database_unavailable'],
    [new Error('Connection terminated unexpectedly'), 'database_unavailable'],
    [fromServer('28P01'), 'database_unavailable'],
    [fromServer('25P03'), 'database_unavailable'],
    [fromServer('25P04'), 'database_unavailable'],
    [Object.assign(new Error('canary'), { code: 'CERT_HAS_EXPIRED' }), 'database_unavailable'],
    [Object.assign(new Error('canary'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }), 'database_unavailable'],
    [fromServer('25006'), 'database_not_writable'],
    [fromServer('53100'), 'database_not_writable'],
    [fromServer('57014'), 'database_timeout'],
    [fromBind, 'database_error'],
    [fromServer('08P01'), 'database_unavailable'],
    [fromServer('08P01', 'FATAL'), 'database_unavailable'],
    [fromServer('XX000', 'FATAL'), 'database_unavailable'],
    [fromServer('XX000'), 'database_error'],
    [fromServer('40001'), 'database_unavailable'],
    [fromServer('40P01'), 'database_unavailable'],
    [fromServer('40003'), 'database_unavailable'],
    [fromServer('55P03'), 'database_unavailable'],
    [fromServer('40002'), 'database_error'],
    [fromServer('23505'), 'database_error'],
  ])('become a code of ours without their text (%#)', (error, code) => {
    const result = toDriverError(error);
    expect(result).toMatchObject({ code });
    expect(String(result)).not.toContain('canary');
  });

  it('stay what they are when they are mistakes of the program', () => {
    const mistake = new TypeError('x is not a function');
    expect(toDriverError(mistake)).toBe(mistake);
  });

  it('of a caller’s own work within a transaction stay what they are', () => {
    const own = new Error('the work fails');
    expect(toDatabaseError(own)).toBe(own);
    expect(toDatabaseError(new QueryFailedError('SELECT', [], fromServer('23505')))).toMatchObject({
      sqlState: '23505',
    });
  });

  it.each([
    ['of Odyssey, whose server is lost', fromServer('08006')],
    ['of pgBouncer, whose server is lost', fromServer('08P01', 'FATAL')],
    ['of an older pgBouncer, whose server is lost', fromServer('08P01')],
    ['of pgpool, whose server is lost', fromServer('XX000', 'FATAL')],
    ['of another pooler, whose server is lost', fromServer('58000', 'FATAL')],
    ['that says so', fromServer('08007')],
    ['that says so of a statement', fromServer('40003')],
    ['of Postgres while it stops, perhaps in a commit', fromServer('53100', 'PANIC')],
    ['of the network', new UnansweredError('no answer')],
  ])('leave the outcome of a statement open: one %s', (_what, error) => {
    expect(isUnanswered(error)).toBe(true);
  });

  it.each([
    ['a statement with too few parameters', fromBind],
    ['a session that an administrator ends', fromServer('57P01', 'FATAL')],
    ['a transaction that lasts too long', fromServer('25P04', 'FATAL')],
    ['no room for a session', fromServer('53300', 'FATAL')],
    ['a full disk', fromServer('53100')],
    ['a conflict on a standby', fromServer('40001', 'FATAL')],
    ['a fault within Postgres', fromServer('XX000')],
    ['a refused connection', Object.assign(new Error('canary'), { code: 'ECONNREFUSED' })],
  ])('do not leave it open otherwise: %s', (_what, error) => {
    expect(isUnanswered(error)).toBe(false);
  });

  it('are unique violations only with that SQLSTATE', () => {
    expect(isUniqueViolation(toDriverError(fromServer('23505')))).toBe(true);
    expect(isUniqueViolation(toDriverError(fromServer('23503')))).toBe(false);
  });

  it('may pass while Postgres starts, but not when a migration is wrong', () => {
    expect(isPassing(toDriverError(fromServer('57P03')))).toBe(true);
    expect(isPassing(toDriverError(fromServer('3D000')))).toBe(true);
    expect(isPassing(toDriverError(fromServer('42601')))).toBe(false);
  });
});

describe('names in SQL', () => {
  it('of statements are equal for equal texts only', () => {
    expect(statementName('SELECT 1')).toBe(statementName('SELECT 1'));
    expect(statementName('SELECT 1')).not.toBe(statementName('SELECT 2'));
    expect(statementName('SELECT 1')).toMatch(/^[\w-]{22}$/);
  });

  it('of schemas are quoted, and anything but snake_case is refused', () => {
    expect(quoteIdentifier('wallet_store')).toBe('"wallet_store"');
    for (const name of ['', 'Wallet', 'a"b', 'a.b', '1a']) expect(() => quoteIdentifier(name)).toThrow(RangeError);
  });
});
