import type { CredentialAnswer } from '@vestibule/contracts';
import { createSecret, sha256, type PublicJwk } from '@vestibule/crypto';
import type { RandomBytes } from '@vestibule/foundation';
import type { VerifiedNonce } from '@vestibule/oauth';
import type { ResponseEncryption } from '@vestibule/oid4vci';
import type { Issuances } from '../domain/ports';
import type { AnswerPromise } from './answer-credential';
import { refuseUnless } from './credential-refusals';

export interface PromiseCredentialDeps {
  readonly random: RandomBytes;
  readonly defer: Issuances['defer'];
  readonly answer: AnswerPromise;
}

export interface CredentialToPromise {
  readonly offerId: string;
  readonly keys: readonly PublicJwk[];
  readonly nonces: readonly VerifiedNonce[];
  readonly encryption: ResponseEncryption | undefined;
  readonly now: Date;
}

/** Promises a credential for the proved keys and uses up their nonces. Throws `invalid_nonce`, `credential_request_denied`. */
export function promiseCredential({ random, defer, answer }: PromiseCredentialDeps) {
  return async function promiseCredential(promised: CredentialToPromise): Promise<CredentialAnswer> {
    const { offerId, keys, nonces, encryption, now } = promised;
    const transactionId = createSecret(random);
    const promise = { transactionDigest: sha256(transactionId), keys };
    refuseUnless('deferred', await defer(offerId, nonces, promise, now));
    return answer(transactionId, encryption);
  };
}

export type PromiseCredential = ReturnType<typeof promiseCredential>;
