import type { JsonValue } from '@vestibule/foundation';
import type { RepeatableCall } from '../domain/drafts';

/** The repeatable call, if the caller sent a key; `input` is everything that the answer depends on. */
export function repeatableCall(idempotencyKey: string | undefined, input: JsonValue): RepeatableCall | undefined {
  return idempotencyKey === undefined ? undefined : { idempotencyKey, input };
}
