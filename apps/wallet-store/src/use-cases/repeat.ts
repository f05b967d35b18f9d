import type { JsonValue } from '@vestibule/foundation';
import type { RepeatableCall } from '../domain/drafts';

/** The repeatable call, if the caller sent a key; `input` is everything that the answer depends on. */
export function repeatableCall(idempotencyKey: string | undefined, input: JsonValue): RepeatableCall | undefined {
  return idempotencyKey === undefined ? undefined : { idempotencyKey, input };
}

/**
 * What `create` answers, or if it fails, what the same call was answered before: a credential may have ended since, or a
 * list may be out of reach, and the caller still has to learn that the first call succeeded.
 */
export async function answerAgain<Answer extends object>(
  create: () => Promise<Answer>,
  recall: () => Promise<Answer | undefined>,
): Promise<Answer> {
  try {
    return await create();
  } catch (error) {
    const earlier = await recall();
    if (earlier === undefined) throw error;
    return earlier;
  }
}
