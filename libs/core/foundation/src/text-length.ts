/**
 * Has a text at most so many characters? They are counted as JSON Schema counts them (JSON Schema Validation §6.3.1), by
 * which callers are told limits: one may be two UTF-16 units.
 */
export function isWithin(text: string, mostCharacters: number): boolean {
  if (text.length <= mostCharacters) return true;
  return text.length <= 2 * mostCharacters && [...text].length <= mostCharacters;
}
