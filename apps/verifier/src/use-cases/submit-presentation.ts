import type { PresentedCredentialsEvent } from '@vestibule/contracts';
import { createSecret, sha256 } from '@vestibule/crypto';
import { DomainError, ProcessingFailure, type Clock, type RandomBytes } from '@vestibule/foundation';
import { createCheckLog, invalidRequest, parseResponseForm, withResponseCode, type CheckLog } from '@vestibule/oid4vp';
import type { PresentationRequests } from '../domain/ports';
import type { WalletAnswer } from '../domain/presentation-ending';
import type { PendingRequest } from '../domain/presentation-request';
import { failed, type PresentationOutcome } from '../domain/presentation-outcome';
import type { JudgeResponse } from './judge-response';

export interface SubmitPresentationDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Monotonic milliseconds, for the decision record. */
  readonly stopwatch: () => number;
  /** How long the gateway still waits for the answer to the current response, subject to clock skew. */
  readonly awaitedMilliseconds: () => number;
  readonly requests: Pick<PresentationRequests, 'findPending' | 'findAccepted' | 'finish'>;
  readonly judge: JudgeResponse;
  /** What the backend is told about an outcome. */
  readonly eventOf: (
    request: Pick<PendingRequest, 'state' | 'relyingParty'>,
    outcome: PresentationOutcome,
  ) => PresentedCredentialsEvent;
}

export interface SubmitPresentationInput {
  readonly state: string;
  readonly form: readonly (readonly [string, string])[];
}

/**
 * From the arrival of a response to its judgement. The gateway waits longer, by the time that Postgres may need to end
 * the request: wallet and backend must not be told different outcomes.
 */
const JUDGEMENT_MILLISECONDS = 12_000;

/** The total limit of connecting to Postgres (5 s) and of the statement that ends a request (3.5 s). */
const FINISH_MILLISECONDS = 8_500;
/** The tolerated skew between the clocks of gateway and verifier. */
const CLOCKS_DIFFER_MILLISECONDS = 2_000;
/** A response that took longer than this is no longer decided, whatever the gateway's clock says. */
const DECISION_MILLISECONDS = JUDGEMENT_MILLISECONDS + 1_000;

const ANSWER_PARAMETERS = ['response', 'error', 'error_description', 'state'];

function digestOf(form: SubmitPresentationInput['form']): Uint8Array {
  return sha256(JSON.stringify(form.filter(([name]) => ANSWER_PARAMETERS.includes(name))));
}

function withCode(outcome: PresentationOutcome, random: RandomBytes): PresentationOutcome {
  const sameDevice = outcome.status === 'FULFILLED' && outcome.flowType === 'same-device';
  return sameDevice ? { ...outcome, responseCode: createSecret(random) } : outcome;
}

function answerTo(request: PendingRequest, outcome: PresentationOutcome): WalletAnswer {
  if (outcome.status !== 'FULFILLED' || outcome.responseCode === undefined) return {};
  return request.redirectUri === undefined
    ? {}
    : { redirectUri: withResponseCode(request.redirectUri, outcome.responseCode) };
}

/**
 * The error that the wallet receives: never which check failed (OpenID4VP 1.0 §15.9), which is for the operator's log.
 */
function refusal(outcome: PresentationOutcome): DomainError | undefined {
  if (outcome.status === 'FULFILLED' || outcome.status === 'REJECTED') return undefined;
  const { reason } = outcome;
  if (outcome.status === 'VERIFICATION_FAILED' || outcome.causedByWallet)
    return new DomainError({
      kind: 'invalid',
      code: 'invalid_request',
      detail: 'the response was not accepted',
      reason,
    });
  const detail = 'the response could not be processed';
  return new DomainError({ kind: 'unavailable', code: 'server_error', detail, reason });
}

/**
 * The answer for a request that is not open: the earlier one for a byte-identical repeat of the accepted response,
 * otherwise `invalid_request`. If no response was accepted, this one is not read.
 */
async function repeated(deps: SubmitPresentationDeps, { state, form }: SubmitPresentationInput): Promise<WalletAnswer> {
  const accepted = await deps.requests.findAccepted(state);
  if (accepted && Buffer.from(accepted.responseDigest).equals(digestOf(form))) return accepted.answer;
  throw invalidRequest('request_not_open');
}

/**
 * Throws `server_error` if the gateway may give up before the request is ended, because this process, its machine or
 * the network stood still. The request then stays open, and the wallet may send its response again.
 */
function requireStillAwaited({ awaitedMilliseconds, stopwatch }: SubmitPresentationDeps, started: number): void {
  const isAwaited =
    awaitedMilliseconds() >= FINISH_MILLISECONDS + CLOCKS_DIFFER_MILLISECONDS &&
    stopwatch() - started <= DECISION_MILLISECONDS;
  if (isAwaited) return;
  throw new DomainError({
    kind: 'unavailable',
    code: 'server_error',
    detail: 'the response was not processed in time',
  });
}

/** The maximum size of a callback's body, so that receivers can rely on a bound. */
export const MAX_CALLBACK_BYTES = 1_048_576;

/** An outcome, and what the backend is told about it. */
interface ToldOutcome {
  readonly outcome: PresentationOutcome;
  readonly event: PresentedCredentialsEvent;
}

/** The outcome, if its event is small enough to deliver; determined before anything is committed. */
function deliverable(
  { eventOf }: SubmitPresentationDeps,
  request: PendingRequest,
  outcome: PresentationOutcome,
  checks: CheckLog,
): ToldOutcome {
  const event = eventOf(request, outcome);
  if (Buffer.byteLength(JSON.stringify(event), 'utf8') <= MAX_CALLBACK_BYTES) return { outcome, event };
  try {
    return checks.run({ check: 'callback', section: 'the bound on callbacks' }, () => {
      const remedy = 'request fewer claims, or set SURPLUS_CLAIMS=drop';
      throw new ProcessingFailure('callback_too_large', 'the event is larger than 1 MiB', undefined, remedy);
    });
  } catch (error) {
    const tooLarge = failed(error, true);
    return { outcome: tooLarge, event: eventOf(request, tooLarge) };
  }
}

/**
 * A wallet posts its response (OpenID4VP 1.0 §8.2, §8.3). Of several concurrent responses exactly one ends the request
 * and creates one callback; a crash before that leaves the request open, and a crash after it leaves the callback in
 * the outbox. Throws `invalid_request` or `server_error`, without a hint at which check failed. Nothing is decided once
 * the wallet may have been told that its response could not be processed.
 */
export function submitPresentation(deps: SubmitPresentationDeps) {
  return async function submitPresentation(input: SubmitPresentationInput): Promise<WalletAnswer> {
    const started = deps.stopwatch();
    const now = deps.clock();
    requireStillAwaited(deps, started);
    const request = await deps.requests.findPending(input.state, now);
    if (!request) return repeated(deps, input);

    const form = parseResponseForm(input.form, request.state);
    const checks = createCheckLog(deps.stopwatch);
    const millisecondsLeft = JUDGEMENT_MILLISECONDS - (deps.stopwatch() - started);
    const judged = await deps.judge({ request, form, checks, now, millisecondsLeft });
    const { outcome, event } = deliverable(deps, request, withCode(judged, deps.random), checks);
    const answer = answerTo(request, outcome);
    const failure = refusal(outcome);
    requireStillAwaited(deps, started);
    const first = await deps.requests.finish({
      state: request.state,
      status: outcome.status,
      event,
      checks: checks.entries,
      finishedAt: now,
      receiver: request.receiver,
      ...(failure ? {} : { accepted: { responseDigest: digestOf(input.form), answer } }),
    });
    if (!first) return repeated(deps, input);
    if (failure) throw failure;
    return answer;
  };
}
