/** Is it an instant as cursors spell it? The store may reject other spellings (2026-02-30, the year 0). */
export function isCursorInstant(text: unknown): text is string {
  if (typeof text !== 'string' || !/^(?!0000)\d{4}-/.test(text)) return false;
  const instant = new Date(text);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === text;
}
