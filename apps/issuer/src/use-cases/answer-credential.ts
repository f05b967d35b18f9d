import type { CredentialAnswer } from '@vestibule/contracts';
import type { RandomBytes } from '@vestibule/foundation';
import { createNotificationId, encryptCredentialAnswer, type ResponseEncryption } from '@vestibule/oid4vci';

export interface AnswerCredentialsDeps {
  readonly random: RandomBytes;
  /** The current key for notification ids first. */
  readonly notificationKeys: readonly Uint8Array[];
}

export interface AnswerPromiseDeps {
  /** Seconds that a wallet should wait before it asks again for a promised credential. */
  readonly deferredIntervalSeconds: number;
}

/** Credentials of one answer, in the order of their keys. */
export interface SignedCredentials {
  readonly offerId: string;
  readonly credentials: readonly string[];
}

async function answerIn(
  answer: Exclude<CredentialAnswer, { jwe: string }>,
  encryption: ResponseEncryption | undefined,
): Promise<CredentialAnswer> {
  if (!encryption) return answer;
  return { jwe: await encryptCredentialAnswer(answer, encryption), pending: 'transaction_id' in answer };
}

/** The answer with credentials, encrypted where the wallet asked for it, and an id to report on them by. */
export function answerCredentials({ random, notificationKeys: [key] }: AnswerCredentialsDeps) {
  return async function answerCredentials(
    { offerId, credentials }: SignedCredentials,
    encryption: ResponseEncryption | undefined,
  ): Promise<CredentialAnswer> {
    if (!key) throw new RangeError('notification ids need a key');
    const answer = {
      credentials: credentials.map((credential) => ({ credential })),
      notification_id: createNotificationId(key, offerId, random),
    };
    return answerIn(answer, encryption);
  };
}

/** The answer that promises credentials, encrypted as they would be (OpenID4VCI 1.0 §8.3). */
export function answerPromise({ deferredIntervalSeconds: interval }: AnswerPromiseDeps) {
  return async function answerPromise(
    transactionId: string,
    encryption: ResponseEncryption | undefined,
  ): Promise<CredentialAnswer> {
    return answerIn({ transaction_id: transactionId, interval }, encryption);
  };
}

export type AnswerCredentials = ReturnType<typeof answerCredentials>;
export type AnswerPromise = ReturnType<typeof answerPromise>;
