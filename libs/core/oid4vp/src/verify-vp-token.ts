import { matchDcql, parseVpToken, type PresentedCredential } from '@vestibule/dcql';
import type { JsonValue } from '@vestibule/foundation';
import { MAX_VALUES_OF_ANSWER } from './answer-bounds';
import { presentationFailure } from './failures';
import { requireTrustedSubtypes } from './require-trusted-subtypes';
import { minimise, type Minimised } from './surplus';
import type { TransactionDatum } from './transaction-data';
import {
  verifyPresentation,
  type ApplicableData,
  type PresentationExpectation,
  type VerifiedPresentation,
} from './verify-presentation';

interface Applicable {
  /** Position in the request's transaction data. */
  readonly index: number;
  readonly requested: ApplicableData;
}

/** An answer that holds, but for the status of its credentials: each of them has to hold, whether it is delivered or not. */
export interface VerifiedAnswer extends Minimised {
  /** Credential queries that were answered although no satisfied set names them: accepted, and worth a log line. */
  readonly surplusCredentialIds: readonly string[];
}

/** The transaction data that names a credential; it may be confirmed by another presentation where several fit. */
function applicableTo(credentialId: string, presentations: number, data: readonly TransactionDatum[]): Applicable[] {
  return data.flatMap(({ credentialIds, ...datum }, index) => {
    if (!credentialIds.includes(credentialId)) return [];
    const mayBeConfirmedElsewhere = credentialIds.length > 1 || presentations > 1;
    return [{ index, requested: { ...datum, mayBeConfirmedElsewhere } }];
  });
}

/** Half of an ES256 signature: the other half has two values that both verify, so that it tells nothing apart. */
const R_BYTES = 32;

/** What is the same in every presentation of a credential: what the issuer signed, and with which signature. */
function issuerPart(presentation: string): string {
  const [header, payload, signature = ''] = (presentation.split('~', 1)[0] ?? '').split('.');
  const r = Buffer.from(signature, 'base64url').subarray(0, R_BYTES);
  return `${header}.${payload}.${r.toString('base64url')}`;
}

/** One credential must not count as two (`multiple`); under two ids it is allowed. */
function requireDifferent(received: ReadonlyMap<string, readonly string[]>): void {
  for (const texts of received.values()) {
    if (texts.length > 1 && new Set(texts.map(issuerPart)).size < texts.length)
      throw presentationFailure('presentation_repeated');
  }
}

/** Each transaction data object is confirmed by exactly one credential (OpenID4VP 1.0 §5.1, §8.4). */
function requireEachConfirmedOnce(data: readonly TransactionDatum[], confirmed: readonly number[]): void {
  const once = data.every((_datum, index) => confirmed.filter((position) => position === index).length === 1);
  if (!once) throw presentationFailure('transaction_data_unanswered');
}

function presentedCredentials(verified: readonly VerifiedPresentation[], ids: Iterable<string>) {
  const presented = new Map<string, PresentedCredential[]>();
  for (const id of ids) presented.set(id, []);
  for (const { credentialId, vct, issued, authorityKeyIdentifiers } of verified) {
    presented.get(credentialId)?.push({ vct, claims: issued, authorityKeyIdentifiers });
  }
  return presented;
}

function requireBounded(verified: readonly VerifiedPresentation[]): void {
  const values = verified.reduce((sum, presentation) => sum + presentation.values, 0);
  if (values > MAX_VALUES_OF_ANSWER) throw presentationFailure('presentations_too_large');
}

/** Chains below no anchor that one answer may have: a sender can make as many as it likes, and each costs milliseconds. */
export const MAX_UNANCHORED_CHAINS = 8;

/** Counts the chains of untrusted issuers; throws `too_many_issuers`. */
function unanchoredChainCounter() {
  const chains = new Set<string>();
  return ({ signedBy }: VerifiedPresentation): void => {
    if (signedBy.method !== 'certificate' || signedBy.chain.anchor) return;
    chains.add(signedBy.chain.chain.map(({ fingerprint }) => fingerprint).join());
    if (chains.size > MAX_UNANCHORED_CHAINS) throw presentationFailure('too_many_issuers');
  };
}

/**
 * Verifies a vp_token (OpenID4VP 1.0 §8.1, §8.6): its structure, every presentation in it, transaction data, and that
 * the query is satisfied. The wallet's own selection has no effect, and one bad presentation fails the whole answer.
 * What was not requested is treated as the policy says. The caller has to look up the status of the credentials after
 * everything else has passed. Stops after each presentation, so that the caller can yield to other work. Throws the
 * VerificationFailure of the first failed check.
 */
export function* verifyVpTokenInSteps(
  vpToken: JsonValue,
  transactionData: readonly TransactionDatum[],
  expected: PresentationExpectation,
): Generator<undefined, VerifiedAnswer, undefined> {
  const { checks, query } = expected;
  const received = checks.run({ check: 'vp_token', section: 'OpenID4VP 1.0 §8.1' }, () => parseVpToken(vpToken, query));
  const verified: VerifiedPresentation[] = [];
  const confirmed: number[] = [];
  const countChain = unanchoredChainCounter();
  for (const [credentialId, texts] of received) {
    const applicable = applicableTo(credentialId, texts.length, transactionData);
    for (const text of texts) {
      if (verified.length > 0) yield;
      const presentation = verifyPresentation(
        credentialId,
        text,
        applicable.map(({ requested }) => requested),
        expected,
      );
      verified.push(presentation);
      checks.require({ check: 'vp_token', section: 'OpenID4VP 1.0 §8.1' }, () => {
        countChain(presentation);
        requireBounded(verified);
      });
      confirmed.push(...presentation.confirmed.flatMap((position) => applicable[position]?.index ?? []));
    }
  }
  if (transactionData.length > 0) {
    const check = { check: 'transaction_data', section: 'OpenID4VP 1.0 §8.4' };
    checks.run(check, () => requireEachConfirmedOnce(transactionData, confirmed));
  }
  if (verified.length > 1) yield;
  requireTrustedSubtypes(verified, expected);
  return checks.run(
    { check: 'dcql', section: 'OpenID4VP 1.0 §8.6' },
    () => {
      requireDifferent(received);
      const { surplusCredentialIds } = matchDcql(
        query,
        presentedCredentials(verified, received.keys()),
        expected.trust.subtypes,
      );
      return { ...minimise(verified, surplusCredentialIds, expected), surplusCredentialIds };
    },
    ({ counts }) => counts,
  );
}

/** As {@link verifyVpTokenInSteps}, in one go: for callers that need not yield to others. */
export function verifyVpToken(
  vpToken: JsonValue,
  transactionData: readonly TransactionDatum[],
  expected: PresentationExpectation,
): VerifiedAnswer {
  const steps = verifyVpTokenInSteps(vpToken, transactionData, expected);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
