import { DomainError, VerificationFailure } from '@vestibule/foundation';
import {
  openWalletResponse,
  requireFewStatusLists,
  type CheckLog,
  type OpenedResponse,
  type ResponseForm,
  type VerifiedPresentation,
} from '@vestibule/oid4vp';
import type { CheckRevocation, CheckStatus, Within } from '../domain/ports';
import { failed, rejected, type PresentationOutcome } from '../domain/presentation-outcome';
import type { PendingRequest } from '../domain/presentation-request';
import type { Attention, PresentedTokens, VerifyTokens } from './verify-tokens';

export interface JudgeResponseDeps {
  readonly within: Within;
  readonly verifyTokens: VerifyTokens;
  readonly checkStatus: CheckStatus;
  /** For an issuer's chain. Absent: not checked. */
  readonly checkRevocation?: CheckRevocation | undefined;
  /** Tells operators that a wallet presented more than was requested; the ids are those of the query. */
  readonly reportSurplus: (credentialIds: readonly string[]) => void;
  /** Tells operators of an error that no check explains. */
  readonly reportUnexpected: (error: unknown) => void;
}

export interface JudgedResponse {
  readonly request: PendingRequest;
  readonly form: ResponseForm;
  readonly checks: CheckLog;
  readonly now: Date;
  /** The time left for judging the response. */
  readonly millisecondsLeft: number;
}

function open({ request, form, checks }: JudgedResponse): OpenedResponse {
  if (form.kind === 'error') return form;
  return checks.run({ check: 'response', section: 'OpenID4VP 1.0 §8.3' }, () =>
    openWalletResponse(form.jwe, request.variants, request.state),
  );
}

/**
 * Fails with the first check that refuses the answer; a check that could not be decided counts only after all others
 * are done.
 */
async function allPassed(checks: readonly Promise<void>[]): Promise<void> {
  const decided = checks.map((check) =>
    check.catch((error: unknown) => {
      if (error instanceof VerificationFailure) throw error;
    }),
  );
  await Promise.all(decided);
  await Promise.all(checks);
}

/** Checks all status lists at the same time, and only after everything else has passed (Token Status List §8.3). */
async function checkStatuses(
  { checkStatus }: JudgeResponseDeps,
  presentations: readonly VerifiedPresentation[],
  { checks, now }: JudgedResponse,
) {
  const answer = {};
  const lookups = presentations.filter(({ status }) => status !== undefined);
  checks.require({ check: 'status', section: 'Token Status List §11.4' }, () => requireFewStatusLists(lookups));
  await allPassed(
    lookups.map((presentation) => {
      const name = { check: 'status', section: 'Token Status List §8.3', credential: presentation.credentialId };
      return checks.runAsync(name, (note) => checkStatus(presentation, now, { answer, note }));
    }),
  );
}

/** Last of all, if the operator enables it: only valid credentials cause requests to certification authorities. */
async function checkRevocations(
  { checkRevocation }: JudgeResponseDeps,
  presentations: readonly VerifiedPresentation[],
  { checks }: JudgedResponse,
) {
  if (!checkRevocation) return;
  await allPassed(
    presentations.flatMap(({ signedBy, credentialId }) => {
      if (signedBy.method !== 'certificate') return [];
      const name = { check: 'certificate_revocation', section: 'RFC 5280 §6.3.3', credential: credentialId };
      return [checks.runAsync(name, () => checkRevocation(signedBy.chain))];
    }),
  );
}

function outcomeOf(
  deps: JudgeResponseDeps,
  error: unknown,
  { checks }: JudgedResponse,
  causedByWallet: boolean,
): PresentationOutcome {
  const explained =
    error instanceof VerificationFailure || (error instanceof DomainError && error.kind === 'unavailable');
  if (!explained) deps.reportUnexpected(error);
  return failed(error, causedByWallet, checks.entryOf(error));
}

async function judge(
  deps: JudgeResponseDeps,
  judged: JudgedResponse,
  opened: PresentedTokens,
  attention: Attention,
): Promise<PresentationOutcome> {
  const { request, checks, now } = judged;
  const verified = await deps.verifyTokens({ request, opened, checks, now, attention });
  const { presentations, delivered, surplusCredentialIds } = verified;
  if (surplusCredentialIds.length > 0) deps.reportSurplus(surplusCredentialIds);
  await checkStatuses(deps, presentations, judged);
  await checkRevocations(deps, presentations, judged);
  return { status: 'FULFILLED', flowType: opened.flowType, presentations: delivered };
}

/**
 * Decides how a response ends its request, in the time that is left. Never throws: an internal failure or a timeout is
 * PROCESSING_ERROR.
 */
export function judgeResponse(deps: JudgeResponseDeps) {
  return async function judgeResponse(judged: JudgedResponse): Promise<PresentationOutcome> {
    let opened: OpenedResponse;
    try {
      opened = open(judged);
    } catch (error) {
      return outcomeOf(deps, error, judged, true);
    }
    if (opened.kind === 'error') return rejected(opened.error);
    const tokens = opened;
    const attention: Attention = { isOver: false };
    try {
      return await deps.within(judged.millisecondsLeft, () => judge(deps, judged, tokens, attention));
    } catch (error) {
      return outcomeOf(deps, error, judged, false);
    } finally {
      attention.isOver = true;
    }
  };
}

export type JudgeResponse = ReturnType<typeof judgeResponse>;
