const DATE = /^(?!0000)\d{4}-\d\d-\d\d$/;
const DATE_TIME =
  /^((?!0000)\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * The last second before the first that a time in milliseconds since 2001 has, by mistake: an `exp` of such an issuer would
 * come in 55,000 years.
 */
const MAX_NUMERIC_DATE = 999_999_999_999;

/** A NumericDate (RFC 7519 §2): a number of seconds since 1970 that a date has, and not one of milliseconds. */
export function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_NUMERIC_DATE;
}

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
