import type { CredentialAnswer } from '@vestibule/contracts';
import type { RandomBytes } from '@vestibule/foundation';
import {
  createNotificationId,
  encryptCredentialAnswer,
  openCredentialMessage,
  requestEncryptionKeys,
  type CredentialMessage,
  type OpenedMessage,
  type ResponseEncryption,
} from '@vestibule/oid4vci';

export interface CredentialAnswerDeps {
  readonly random: RandomBytes;
  /** Secrets that the keys for encrypted requests are derived from. */
  readonly requestEncryptionSecrets: readonly Uint8Array[];
  /** True when plain requests and answers are refused. */
  readonly encryptionRequired: boolean;
  /** The current key for notification ids first. */
  readonly notificationKeys: readonly Uint8Array[];
  /** Seconds that a wallet should wait before it asks again for a promised credential. */
  readonly deferredIntervalSeconds: number;
}

/** Credentials of one answer, in the order of their keys. */
export interface SignedCredentials {
  readonly offerId: string;
  readonly credentials: readonly string[];
}

/** Opens a request for credentials, plain or encrypted. Throws what `openCredentialMessage` throws. */
export function openMessage(deps: CredentialAnswerDeps, message: CredentialMessage, now: Date): Promise<OpenedMessage> {
  const keys = message.jwt === undefined ? [] : requestEncryptionKeys(deps.requestEncryptionSecrets, now).accepted;
  return openCredentialMessage(message, { keys, required: deps.encryptionRequired });
}

async function answerIn(
  answer: Exclude<CredentialAnswer, { jwe: string }>,
  encryption: ResponseEncryption | undefined,
): Promise<CredentialAnswer> {
  if (!encryption) return answer;
  return { jwe: await encryptCredentialAnswer(answer, encryption), pending: 'transaction_id' in answer };
}

/** The answer with credentials, encrypted where the wallet asked for it, and an id to report on them by. */
export async function answerCredentials(
  deps: CredentialAnswerDeps,
  { offerId, credentials }: SignedCredentials,
  encryption: ResponseEncryption | undefined,
): Promise<CredentialAnswer> {
  const [key] = deps.notificationKeys;
  if (!key) throw new RangeError('notification ids need a key');
  const answer = {
    credentials: credentials.map((credential) => ({ credential })),
    notification_id: createNotificationId(key, offerId, deps.random),
  };
  return answerIn(answer, encryption);
}

/** The answer that promises credentials, encrypted as they would be (OpenID4VCI 1.0 §8.3). */
export function answerPromise(
  deps: CredentialAnswerDeps,
  transactionId: string,
  encryption: ResponseEncryption | undefined,
): Promise<CredentialAnswer> {
  return answerIn({ transaction_id: transactionId, interval: deps.deferredIntervalSeconds }, encryption);
}
