/** A parameter as Postgres reads it: text, or bytes for `bytea`; null for NULL. */
export type WireValue = string | Buffer | null;

const LAST_FOUR_DIGIT_YEAR = 9_999;

/** ISO 8601 in UTC; Postgres writes years after 9999 without a sign, and those before 1 with an era. */
function dateText(date: Date): string {
  const year = date.getUTCFullYear();
  const iso = date.toISOString();
  if (year >= 1 && year <= LAST_FOUR_DIGIT_YEAR) return iso;
  const rest = iso.slice(iso.indexOf('-', 1));
  return year > 0 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}

const bytesOf = (view: ArrayBufferView): Buffer =>
  Buffer.isBuffer(view) ? view : Buffer.from(view.buffer, view.byteOffset, view.byteLength);

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

function elementText(element: unknown): string {
  if (Array.isArray(element)) return arrayText(element);
  const value = wireValue(element);
  if (value === null) return 'NULL';
  return typeof value === 'string' ? quoted(value) : `\\\\x${value.toString('hex')}`;
}

function arrayText(elements: readonly unknown[]): string {
  return `{${elements.map(elementText).join(',')}}`;
}

/**
 * The value of a parameter as the driver sends it: arrays as array literals, instants in UTC, other objects as JSON.
 * @throws RangeError for an invalid date
 */
export function wireValue(value: unknown): WireValue {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value as number | bigint | boolean);
  if (ArrayBuffer.isView(value)) return bytesOf(value);
  if (value instanceof Date) return dateText(value);
  return Array.isArray(value) ? arrayText(value) : JSON.stringify(value);
}
