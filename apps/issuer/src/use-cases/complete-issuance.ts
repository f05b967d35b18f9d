import type { CredentialAnswer } from '@vestibule/contracts';
import type { EcJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { VerifiedNonce } from '@vestibule/oauth';
import type { ResponseEncryption } from '@vestibule/oid4vci';
import { answerBytes } from '../domain/answer-size';
import type { AuthorizedGrant, CompletionOutcome } from '../domain/issuance';
import { failedEvent, issuanceEvent } from '../domain/issuance-event';
import type { KeptAnswer } from '../domain/kept-answer';
import type { Issuances, OfferChanges } from '../domain/ports';
import type { ComposeAnswer, HandOut } from './answer-credential';
import { credentialDenied } from './credential-refusals';
import type { KeepAnswer, RepeatAnswer } from './kept-answers';
import type { SignCredentials } from './sign-credentials';

export interface CompleteIssuanceDeps {
  readonly sign: SignCredentials;
  readonly complete: Issuances['complete'];
  readonly fail: OfferChanges['fail'];
  readonly compose: ComposeAnswer;
  readonly handOut: HandOut;
  readonly keep: KeepAnswer;
  readonly repeat: RepeatAnswer;
  /** The current size limit of answers on the bus, in bytes. */
  readonly mostAnswerBytes: () => number;
}

/** A verified request for credentials. */
export interface IssuanceOrder {
  readonly grant: AuthorizedGrant;
  readonly claims: JsonObject;
  readonly keys: readonly EcJwk[];
  readonly nonces: readonly VerifiedNonce[];
  readonly requestDigest: Uint8Array;
  readonly encryption: ResponseEncryption | undefined;
  /** They answer a deferred credential request. */
  readonly isDeferred: boolean;
  /** As in a {@link Completion}. */
  readonly replaced?: Uint8Array | undefined;
  /** The gateway will report when the answer was handed over. */
  readonly isReported: boolean;
  readonly now: Date;
}

/** The answer, or the reason why there is none. */
export type CompletedIssuance =
  | { readonly outcome: 'issued'; readonly answer: CredentialAnswer }
  | { readonly outcome: Exclude<CompletionOutcome, 'issued'> };

/** How long the event waits for the report: as long as the answer could be repeated. */
function holdSeconds({ isReported, now }: IssuanceOrder, kept: KeptAnswer | undefined): number {
  return isReported && kept ? Math.ceil((kept.expiresAt.getTime() - now.getTime()) / 1000) : 0;
}

/** Ends an offer whose answer is too large for the bus: better a reported failure than a lost credential. */
async function requireCarried(
  { fail, mostAnswerBytes }: CompleteIssuanceDeps,
  answer: CredentialAnswer,
  { grant: { offerId }, keys, now }: IssuanceOrder,
): Promise<void> {
  const [bytes, most] = [answerBytes(answer), mostAnswerBytes()];
  if (bytes <= most) return;
  const size = `${bytes} bytes, and the bus carries ${most}`;
  const detail = `the answer with ${keys.length} credentials has ${size}`;
  await fail(offerId, failedEvent(offerId, 'credential_answer_too_large', detail), now);
  throw credentialDenied('answer_too_large');
}

/**
 * From the signature on, both ways to a credential are the same: sign, seal the answer for a repetition, commit it with
 * ISSUED, answer. A request that lost against an equal one gets the answer of that one. An answer too large for the bus
 * ends the offer as FAILED. Throws `credential_request_denied`, and what signing throws.
 */
export function completeIssuance(deps: CompleteIssuanceDeps) {
  return async function completeIssuance(order: IssuanceOrder): Promise<CompletedIssuance> {
    const { grant, claims, keys, nonces, encryption, isDeferred, replaced, now } = order;
    const { offerId } = grant;
    const { credentials, entries, shortenedTo } = await deps.sign({ ...grant, claims }, keys, now);
    const plain = deps.compose({ offerId, credentials, isDeferred });
    const answer = deps.handOut(plain, encryption, { offerId, isRepeated: false });
    await requireCarried(deps, answer, order);
    const kept = deps.keep(plain, order);
    const event = issuanceEvent(offerId, 'ISSUED');
    const commit = { offer: grant, nonces, entries, shortenedTo, event, now, kept, isDeferred, replaced };
    const outcome = await deps.complete({ ...commit, holdSeconds: holdSeconds(order, kept) });
    if (outcome === 'issued') return { outcome, answer };
    const earlier = await deps.repeat(order);
    // An equal request that won has put its credentials in the place of a promise.
    if (!earlier || 'transaction_id' in earlier.plain) return { outcome };
    return { outcome: 'issued', answer: deps.handOut(earlier.plain, encryption, { offerId, isRepeated: true }) };
  };
}

export type CompleteIssuance = ReturnType<typeof completeIssuance>;
