const DATE = /^(?!0000)\d{4}-\d\d-\d\d$/;
const DATE_TIME =
  /^((?!0000)\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** A date of the calendar, YYYY-MM-DD, so not 2026-02-30. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}

/** A timestamp (RFC 3339 §5.6) with seconds, on a day of the calendar. */
export function isDateTime(text: string): boolean {
  const [, date] = DATE_TIME.exec(text) ?? [];
  return date !== undefined && isDate(date);
}
