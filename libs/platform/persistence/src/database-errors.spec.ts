import { QueryFailedError } from 'typeorm';
import { isPassing, isUniqueViolation, toDatabaseError, toDriverError } from './database-errors';
import { quoteIdentifier } from './identifier';
import { statementName } from './prepared-query';

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
    [Object.assign(new Error('canary'), { code: 'CERT_HAS_EXPIRED' }), 'database_unavailable'],
    [Object.assign(new Error('canary'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }), 'database_unavailable'],
    [fromServer('25006'), 'database_not_writable'],
    [fromServer('53100'), 'database_not_writable'],
    [fromServer('57014'), 'database_timeout'],
    [fromServer('08P01'), 'database_error'],
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
