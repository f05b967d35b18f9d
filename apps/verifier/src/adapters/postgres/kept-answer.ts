import type { Sealer } from '@vestibule/crypto';
import { encodeBase64url, ProcessingFailure } from '@vestibule/foundation';
import type { AcceptedResponse, WalletAnswer } from '../../domain/presentation-ending';

/** The columns of an accepted response. */
export interface AcceptedRow {
  readonly response_digest: Buffer;
  /** Absent: the wallet received an empty answer. */
  readonly answer: Buffer | null;
}

/** What is sealed: the answer, and what it may be repeated to. Earlier versions have sealed the answer alone. */
interface KeptAnswer extends WalletAnswer {
  readonly responseDigest?: string;
}

/** Seals what a wallet received, for a repeated response. Null if it was empty: then `response_digest` says enough. */
export function sealAnswer(sealer: Sealer, context: string, accepted: AcceptedResponse): Buffer | null {
  if (Object.keys(accepted.answer).length === 0) return null;
  const kept: KeptAnswer = { ...accepted.answer, responseDigest: encodeBase64url(accepted.responseDigest) };
  return sealer.seal(Buffer.from(JSON.stringify(kept), 'utf8'), context);
}

/**
 * The response that {@link sealAnswer} has sealed the answer of. Throws `seal_broken`, and `record_altered` if the row has
 * the digest of another response, whose sender would otherwise receive the answer.
 */
export function openAccepted(sealer: Sealer, context: string, row: AcceptedRow): AcceptedResponse {
  const { response_digest: responseDigest, answer: sealed } = row;
  // Earlier versions also sealed an empty answer.
  const text = sealed ? sealer.open(sealed, context).toString('utf8') : '{}';
  const { responseDigest: answered, ...answer } = JSON.parse(text) as KeptAnswer;
  if (answered !== undefined && answered !== encodeBase64url(responseDigest))
    throw new ProcessingFailure('record_altered', 'the row of a request has the digest of another response');
  return { responseDigest, answer };
}
