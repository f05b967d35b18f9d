import { isDateTime, type JsonValue } from '@vestibule/foundation';

/** A UTC date-time (TS 119 602 §6.1.3), or undefined for anything else. */
export function readListTime(value: JsonValue | undefined): Date | undefined {
  return typeof value === 'string' && value.endsWith('Z') && isDateTime(value) ? new Date(value) : undefined;
}
