import type { CredentialAnswer } from '@vestibule/contracts';
import { sha256 } from '@vestibule/crypto';
import type { AttestationStatus } from '@vestibule/oauth';
import { transactionIdOf } from '../domain/kept-answer';
import type { Issuances } from '../domain/ports';
import type { ComposePromise, EncryptAnswer } from './answer-credential';
import type { IssuanceOrder } from './complete-issuance';
import { refuse } from './credential-refusals';
import type { KeepAnswer, RepeatAnswer } from './kept-answers';

export interface PromiseCredentialDeps {
  readonly defer: Issuances['defer'];
  readonly compose: ComposePromise;
  readonly keep: KeepAnswer;
  readonly repeat: RepeatAnswer;
  readonly encryptAnswer: EncryptAnswer;
}

/** A verified request for credentials whose claims are to come. */
export interface PromiseOrder extends Omit<IssuanceOrder, 'claims'> {
  readonly statuses: readonly AttestationStatus[];
}

/**
 * Defers a credential for the proved keys and uses up their nonces; a request that lost against an equal one gets the
 * deferral of that one. While it is pending, a request for the same keys always gets the same `transaction_id`. Throws
 * `invalid_nonce`, `credential_request_denied`.
 */
export function promiseCredential({ defer, compose, keep, repeat, encryptAnswer }: PromiseCredentialDeps) {
  return async function promiseCredential(order: PromiseOrder): Promise<CredentialAnswer> {
    const { grant, keys, nonces, encryption, requestDigest, now } = order;
    const transactionId = transactionIdOf(grant.accessToken, requestDigest);
    const plain = compose(transactionId);
    const statuses = order.statuses.map((status) => ({ ...status, acceptedAt: now }));
    const promise = { transactionDigest: sha256(transactionId), keys, statuses, kept: keep(plain, order) };
    const outcome = await defer(grant, nonces, promise, now);
    if (outcome === 'deferred') return encryptAnswer(plain, encryption);
    const earlier = await repeat(order);
    return earlier ? encryptAnswer(earlier.plain, encryption) : refuse(outcome);
  };
}

export type PromiseCredential = ReturnType<typeof promiseCredential>;
