import { isUtf8 } from 'node:buffer';
import {
  ApiError,
  DEFAULT_JSON_LIMITS,
  hasUnpairedSurrogate,
  inexactNumberFaults,
  parseJsonBytes,
  type Fault,
  type JsonValue,
  type ErrorCode,
} from '@vestibule/foundation';
import type { BodyParser } from './body-parsing';

/** The maximum size of a backend's body, on either listener. */
export const BACKEND_BODY_BYTES = 262_144;

function refusal(code: ErrorCode, detail: string, faults: readonly Fault[] = []): ApiError {
  return new ApiError({ kind: 'invalid', code, detail, faults });
}

const { maxDepth } = DEFAULT_JSON_LIMITS;
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** Are objects and arrays nested more deeply than a body may be? The brackets of strings do not count. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  for (const [bracket] of json.replace(STRINGS, '').matchAll(/[[\]{}]/g)) {
    depth += bracket === '{' || bracket === '[' ? 1 : -1;
    if (depth > maxDepth) return true;
  }
  return false;
}

function read(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Which of the rules for JSON a body breaks, without quoting it. */
function whyNotJson(bytes: Buffer): string {
  if (!isUtf8(bytes)) return 'the body is not UTF-8';
  const text = bytes.toString('utf8');
  if (text.startsWith('\uFEFF')) return 'the body begins with a byte order mark';
  const value = read(text);
  if (value === undefined) return 'the body is not JSON: check quotes, commas and brackets';
  if (isTooDeep(text)) return `the body is nested more than ${maxDepth} levels deep`;
  return hasUnpairedSurrogate(value)
    ? 'the body has a string with an unpaired surrogate'
    : 'the body repeats the name of a member';
}

function parseJson(bytes: Buffer): JsonValue {
  if (bytes.byteLength > BACKEND_BODY_BYTES) {
    const detail = `the body is larger than ${BACKEND_BODY_BYTES} bytes`;
    throw new ApiError({ kind: 'too_large', code: 'body_too_large', detail });
  }
  const body = parseJsonBytes(bytes);
  if (body !== undefined) return body;
  const faults = inexactNumberFaults(bytes);
  if (faults.length > 0)
    throw refusal('invalid_request', 'the body has numbers that cannot be represented exactly', faults);
  throw refusal('invalid_json', whyNotJson(bytes));
}

function refuseMediaType(): never {
  throw refusal('unsupported_media_type', 'send the body with content-type application/json');
}

/**
 * Bodies of backends are JSON: bounded, strict UTF-8, without repeated member names and unpaired surrogates, and without
 * numbers that would lose precision.
 */
export const JSON_BODIES: BodyParser = {
  types: { 'application/json': parseJson, 'application/merge-patch+json': parseJson },
  others: refuseMediaType,
};
