import { StackFailure } from './stack-failure';

/**
 * A name as an SQL identifier in double quotes.
 * @throws StackFailure `bad_identifier` for names that Postgres would cut off (63 bytes) or cannot hold
 */
export function quoteIdentifier(name: string): string {
  if (name === '' || name.includes('\0') || Buffer.byteLength(name) > 63) {
    throw new StackFailure('bad_identifier', 'the name of a database or role must have 1 to 63 bytes');
  }
  return `"${name.replaceAll('"', '""')}"`;
}

/** A string as an SQL literal, for statements that accept no parameters. */
export function quoteLiteral(text: string): string {
  if (text.includes('\0')) throw new StackFailure('bad_literal', 'a string in SQL cannot contain a NUL character');
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? ` E${quoted}` : quoted;
}
