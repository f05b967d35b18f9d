import { idempotencyKey } from '@vestibule/contracts';
import { ApiError, isJsonObject, type JsonObject, type JsonValue } from '@vestibule/foundation';

function invalid(path: string, message: string): ApiError {
  return new ApiError({
    kind: 'invalid',
    code: 'invalid_request',
    detail: `${path} ${message}`,
    faults: [{ path, message }],
  });
}

/** The `Idempotency-Key` of a creating call; throws `invalid_request` when it has another form. */
export function idempotencyFrom(header: string | undefined): { idempotencyKey?: string } {
  if (header === undefined) return {};
  const parsed = idempotencyKey.safeParse(header);
  if (parsed.success) return { idempotencyKey: parsed.data };
  throw invalid('Idempotency-Key', 'has 32 to 256 characters of A-Z, a-z, 0-9 and -');
}

/** The body of a call; throws `invalid_request` when it is no JSON object. */
export function bodyFrom(body: JsonValue | undefined): JsonObject {
  if (isJsonObject(body)) return body;
  throw invalid('body', 'must be a JSON object with content-type application/json');
}

/** The body and key of a creating call; throws `invalid_request` when the body is no JSON object. */
export function creationFrom(
  body: JsonValue | undefined,
  header: string | undefined,
): { body: JsonObject; idempotencyKey?: string } {
  return { body: bodyFrom(body), ...idempotencyFrom(header) };
}
