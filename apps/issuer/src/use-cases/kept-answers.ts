import type { CredentialAnswer } from '@vestibule/contracts';
import { sha256 } from '@vestibule/crypto';
import type { RandomBytes } from '@vestibule/foundation';
import type { AuthorizedGrant } from '../domain/issuance';
import { answerKey, openAnswer, sealAnswer, type KeptAnswer } from '../domain/kept-answer';
import type { Issuances } from '../domain/ports';

/** An answer before it is encrypted for the wallet. */
export type PlainAnswer = Exclude<CredentialAnswer, { jwe: string }>;

export interface KeepAnswerDeps {
  readonly random: RandomBytes;
  /** How long an answer is kept; 0: not at all. */
  readonly redeliverySeconds: number;
}

export interface RepeatAnswerDeps {
  readonly findKept: Issuances['findKept'];
}

/** An answer that is kept. */
export interface EarlierAnswer {
  readonly plain: PlainAnswer;
  /** The SHA-256 digest of what is stored of it, by which it can be replaced. */
  readonly sealedDigest: Uint8Array;
}

/** The request that an answer belongs to: its sender and its subject. */
export interface AnsweredRequest {
  readonly grant: AuthorizedGrant;
  readonly requestDigest: Uint8Array;
  readonly now: Date;
}

const sealOf = ({ grant: { accessToken, offerId }, requestDigest }: AnsweredRequest) => ({
  key: answerKey(accessToken),
  offerId,
  requestDigest,
});

/** Seals an answer under the token that it is for; undefined if answers are not kept. */
export function keepAnswer({ random, redeliverySeconds }: KeepAnswerDeps) {
  return function keepAnswer(answer: PlainAnswer, request: AnsweredRequest): KeptAnswer | undefined {
    if (redeliverySeconds === 0) return undefined;
    const { requestDigest, now } = request;
    const sealed = sealAnswer(sealOf(request), JSON.stringify(answer), random);
    return { requestDigest, sealed, expiresAt: new Date(now.getTime() + redeliverySeconds * 1000) };
  };
}

/**
 * The earlier answer to the same request of the same token, if it is still kept. Changes nothing. Throws `seal_broken`
 * if the row belongs to another token, offer or request.
 */
export function repeatAnswer({ findKept }: RepeatAnswerDeps) {
  return async function repeatAnswer(request: AnsweredRequest): Promise<EarlierAnswer | undefined> {
    const { grant, requestDigest, now } = request;
    const sealed = await findKept(sha256(grant.accessToken), requestDigest, now);
    if (!sealed) return undefined;
    const plain = JSON.parse(openAnswer(sealOf(request), sealed)) as PlainAnswer;
    return { plain, sealedDigest: sha256(sealed) };
  };
}

export type KeepAnswer = ReturnType<typeof keepAnswer>;
export type RepeatAnswer = ReturnType<typeof repeatAnswer>;
