const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * A quoted SQL identifier. Throws a RangeError for anything but lower-case snake_case: identifiers come only from this
 * program's code.
 */
export function quoteIdentifier(name: string): string {
  if (!IDENTIFIER.test(name)) throw new RangeError('an SQL identifier is lower-case snake_case');
  return `"${name}"`;
}
