import type { CredentialAnswer } from '@vestibule/contracts';
import type { RandomBytes } from '@vestibule/foundation';
import { createNotificationId, encryptCredentialAnswer, type ResponseEncryption } from '@vestibule/oid4vci';
import { answerBytes } from '../domain/answer-size';
import { nameHandOver, type HandOver } from '../domain/hand-over';
import { repetitionTooLarge } from './credential-refusals';
import type { PlainAnswer } from './kept-answers';

export interface ComposeAnswerDeps {
  readonly random: RandomBytes;
  /** The current key for notification ids first. */
  readonly notificationKeys: readonly Uint8Array[];
  /** False leaves the id out of deferred answers, for wallets that refuse it there. */
  readonly deferredNotificationId: boolean;
}

export interface ComposePromiseDeps {
  /** Seconds that a wallet should wait before it asks again for a deferred credential. */
  readonly deferredIntervalSeconds: number;
}

/** The credentials of one answer, in the order of their keys. */
export interface SignedCredentials {
  readonly offerId: string;
  readonly credentials: readonly string[];
  /** They answer a deferred credential request. */
  readonly isDeferred: boolean;
}

export interface EncryptAnswerDeps {
  readonly random: RandomBytes;
}

export interface HandOutDeps {
  /** The current key for the names of answers first. */
  readonly handOverKeys: readonly Uint8Array[];
  readonly encryptAnswer: EncryptAnswer;
  /** The current size limit of answers on the bus, in bytes. */
  readonly mostAnswerBytes: () => number;
}

/** A deferral as it is sent: encrypted if the wallet requested it. */
export function encryptAnswer({ random }: EncryptAnswerDeps) {
  return function encryptAnswer(answer: PlainAnswer, encryption: ResponseEncryption | undefined): CredentialAnswer {
    if (!encryption) return answer;
    return { jwe: encryptCredentialAnswer(answer, encryption, random), pending: 'transaction_id' in answer };
  };
}

/**
 * Any answer as it is sent; if it has credentials, with the name under which the gateway reports it. Throws for a repetition that
 * is too large for the bus: `invalid_encryption_parameters` where encryption makes it so, since nothing has changed, and the
 * same request gets the answer compressed, or without encryption (OpenID4VCI 1.0 §8.3.1.2); otherwise `credential_request_denied`.
 */
export function handOut({ handOverKeys: [key], encryptAnswer, mostAnswerBytes }: HandOutDeps) {
  return function handOut(
    answer: PlainAnswer,
    encryption: ResponseEncryption | undefined,
    handOver: HandOver,
  ): CredentialAnswer {
    if (!key) throw new RangeError('the names of answers need a key');
    const outgoing = encryptAnswer(answer, encryption);
    if (handOver.isRepeated && answerBytes(outgoing) > mostAnswerBytes()) throw repetitionTooLarge(encryption);
    return 'credentials' in answer ? { ...outgoing, handOver: nameHandOver(key, handOver) } : outgoing;
  };
}

/** The answer with credentials, and an id for notifications about them unless deferred answers have none. */
export function composeAnswer({ random, notificationKeys: [key], deferredNotificationId }: ComposeAnswerDeps) {
  return function composeAnswer({ offerId, credentials, isDeferred }: SignedCredentials): PlainAnswer {
    if (!key) throw new RangeError('notification ids need a key');
    const isNotifiable = deferredNotificationId || !isDeferred;
    return {
      credentials: credentials.map((credential) => ({ credential })),
      ...(isNotifiable ? { notification_id: createNotificationId(key, offerId, random) } : {}),
    };
  };
}

/** The answer that defers credentials (OpenID4VCI 1.0 §8.3). */
export function composePromise({ deferredIntervalSeconds: interval }: ComposePromiseDeps) {
  return function composePromise(transactionId: string): PlainAnswer {
    return { transaction_id: transactionId, interval };
  };
}

export type ComposeAnswer = ReturnType<typeof composeAnswer>;
export type EncryptAnswer = ReturnType<typeof encryptAnswer>;
export type HandOut = ReturnType<typeof handOut>;
export type ComposePromise = ReturnType<typeof composePromise>;
