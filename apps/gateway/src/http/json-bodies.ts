import {
  ApiError,
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

function parseJson(bytes: Buffer): JsonValue {
  if (bytes.byteLength > BACKEND_BODY_BYTES) {
    const detail = 'the body is larger than this endpoint accepts';
    throw new ApiError({ kind: 'too_large', code: 'body_too_large', detail });
  }
  const body = parseJsonBytes(bytes);
  if (body !== undefined) return body;
  const faults = inexactNumberFaults(bytes);
  if (faults.length > 0)
    throw refusal('invalid_request', 'the body has numbers that cannot be represented exactly', faults);
  throw refusal('invalid_json', 'the body is not JSON, is nested more than 32 levels deep, or repeats a member name');
}

function refuseMediaType(): never {
  throw refusal('unsupported_media_type', 'send the body with content-type application/json');
}

/**
 * Bodies of backends are JSON: bounded, strict UTF-8, without repeated member names, and without numbers that would
 * lose precision.
 */
export const JSON_BODIES: BodyParser = {
  types: { 'application/json': parseJson, 'application/merge-patch+json': parseJson },
  others: refuseMediaType,
};
