import { parseDcqlQuery, type DcqlQuery } from '@vestibule/dcql';
import { DomainError, VerificationFailure } from '@vestibule/foundation';
import {
  neededIssuerMetadata,
  openWalletResponse,
  requireFewStatusLists,
  verifyVpTokenInSteps,
  type CheckLog,
  type FlowType,
  type IssuerTrust,
  type NeededMetadata,
  type OpenedResponse,
  type PublishedKeys,
  type ResponseForm,
  type SurplusPolicy,
  type VerifiedAnswer,
  type VerifiedPresentation,
} from '@vestibule/oid4vp';
import type { IssuerKey } from '@vestibule/sd-jwt-vc';
import type { VerifiedChain } from '@vestibule/x509-trust';
import { failed, rejected, type PresentationOutcome } from '../domain/presentation-outcome';
import type { PendingRequest } from '../domain/presentation-request';

/** One look at a status list, for one credential of an answer. */
export interface StatusLookup {
  /** The same for all credentials of one answer, which share a deadline and bounds. */
  readonly answer: object;
  /** Says in the decision record what was not as usual. */
  readonly note: (text: string) => void;
}

export interface JudgeDeps {
  readonly trust: () => IssuerTrust;
  readonly skewSeconds: number;
  /** The keys in the metadata of an issuer that `trust` lists; asked for no other. An unknown `kid` may mean a newer document. */
  readonly loadPublishedKeys: (iss: string, kids: readonly string[]) => Promise<readonly IssuerKey[]>;
  /** Looks the credential up in its issuer's status list; throws where it is not valid there or the list cannot be had. */
  readonly checkStatus: (presentation: VerifiedPresentation, now: Date, lookup: StatusLookup) => Promise<void>;
  /** Throws where a certificate of an issuer's chain is revoked, or its list cannot be had. Absent: not checked. */
  readonly checkRevocation?: ((chain: VerifiedChain, now: Date) => Promise<void>) | undefined;
  /** What happens to claims and credentials that nobody asked for. Default: they are dropped. */
  readonly surplusClaims?: SurplusPolicy;
  /** Lets everybody else have their turn: no answer may keep the process for itself. */
  readonly pause: () => Promise<void>;
  /** Runs a task for at most so many milliseconds; then throws `judgement_timeout` at once, whatever becomes of the task. */
  readonly within: <T>(milliseconds: number, task: () => Promise<T>) => Promise<T>;
  /** Tells operators that a wallet showed more than was asked for; the ids are those of the query. */
  readonly reportSurplus: (credentialIds: readonly string[]) => void;
  /** Tells operators of an error that no check explains. */
  readonly reportUnexpected: (error: unknown) => void;
}

export interface JudgedResponse {
  readonly request: PendingRequest;
  readonly form: ResponseForm;
  readonly checks: CheckLog;
  readonly now: Date;
  /** How long judging may take from here on. */
  readonly millisecondsLeft: number;
}

/** What was stored is not what was accepted when the request was made: our own fault, for operators to hear of. */
const storedFault = (code: string, detail: string) => new DomainError({ kind: 'internal', code, detail });

function queryOf(request: PendingRequest): DcqlQuery {
  const parsed = parseDcqlQuery(request.dcqlQuery);
  if (!parsed.ok) throw storedFault('stored_query_invalid', 'the stored query cannot be read');
  return parsed.query;
}

function nonceOf(request: PendingRequest, flowType: FlowType): string {
  const variant = request.variants.find((candidate) => candidate.flowType === flowType);
  if (!variant) throw storedFault('stored_flow_missing', 'the stored request has no such flow');
  return variant.nonce;
}

function open({ request, form, checks }: JudgedResponse): OpenedResponse {
  if (form.kind === 'error') return form;
  return checks.run({ check: 'response', section: 'OpenID4VP 1.0 §8.3' }, () =>
    openWalletResponse(form.jwe, request.variants, request.state),
  );
}

/** The only request before the signature is verified: to addresses that the operator, and not the wallet, chose. */
async function loadPublishedKeys(
  deps: JudgeDeps,
  needed: readonly NeededMetadata[],
  { checks }: JudgedResponse,
): Promise<PublishedKeys> {
  const name = { check: 'issuer_metadata_document', section: 'SD-JWT VC §5' };
  const keys = needed.map(async ({ issuer, kids }) => {
    return [issuer, await checks.runAsync(name, () => deps.loadPublishedKeys(issuer, kids))] as const;
  });
  return new Map<string, readonly IssuerKey[]>(await Promise.all(keys));
}

/** Set when the time is over: what is still under way then must not go on working for nobody. */
interface Attention {
  isOver: boolean;
}

async function inTurns(
  steps: Generator<undefined, VerifiedAnswer, undefined>,
  { pause }: JudgeDeps,
  attention: Attention,
): Promise<VerifiedAnswer> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
    if (attention.isOver) throw storedFault('judgement_abandoned', 'the time to judge the response is over');
  }
}

/** Ends with the first check that decides against the answer; what could not be decided is waited for, and counts last. */
async function allPassed(checks: readonly Promise<void>[]): Promise<void> {
  const decided = checks.map((check) =>
    check.catch((error: unknown) => {
      if (error instanceof VerificationFailure) throw error;
    }),
  );
  await Promise.all(decided);
  await Promise.all(checks);
}

async function verify(deps: JudgeDeps, judged: JudgedResponse, opened: PresentedTokens, attention: Attention) {
  const { request, checks, now } = judged;
  const trust = deps.trust();
  const query = queryOf(request);
  let needed: readonly NeededMetadata[] = [];
  checks.require({ check: 'vp_token', section: 'OpenID4VP 1.0 §8.1' }, () => {
    needed = neededIssuerMetadata(opened.vpToken, query, trust);
  });
  const steps = verifyVpTokenInSteps(opened.vpToken, request.transactionData, {
    query,
    audience: request.clientId,
    nonce: nonceOf(request, opened.flowType),
    requestedAt: request.createdAt,
    now,
    skewSeconds: deps.skewSeconds,
    trust,
    publishedKeys: await loadPublishedKeys(deps, needed, judged),
    ...(deps.surplusClaims ? { surplusClaims: deps.surplusClaims } : {}),
    checks,
  });
  return inTurns(steps, deps, attention);
}

/** After everything else held, and only then, the status lists are asked, all at the same time (Token Status List §8.3). */
async function checkStatuses(
  deps: JudgeDeps,
  presentations: readonly VerifiedPresentation[],
  { checks, now }: JudgedResponse,
) {
  const answer = {};
  const lookups = presentations.filter(({ status }) => status !== undefined);
  checks.require({ check: 'status', section: 'Token Status List §11.4' }, () => requireFewStatusLists(lookups));
  await allPassed(
    lookups.map((presentation) => {
      const name = { check: 'status', section: 'Token Status List §8.3', credential: presentation.credentialId };
      return checks.runAsync(name, (note) => deps.checkStatus(presentation, now, { answer, note }));
    }),
  );
}

/** Last of all, where the operator wants it: an authority is asked about certificates only for a valid credential. */
async function checkRevocations(
  { checkRevocation }: JudgeDeps,
  presentations: readonly VerifiedPresentation[],
  { checks, now }: JudgedResponse,
) {
  if (!checkRevocation) return;
  await allPassed(
    presentations.flatMap(({ signedBy, credentialId }) => {
      if (signedBy.method !== 'certificate') return [];
      const name = { check: 'certificate_revocation', section: 'RFC 5280 §6.3.3', credential: credentialId };
      return [checks.runAsync(name, () => checkRevocation(signedBy.chain, now))];
    }),
  );
}

function outcomeOf(
  deps: JudgeDeps,
  error: unknown,
  { checks }: JudgedResponse,
  causedByWallet: boolean,
): PresentationOutcome {
  const explained =
    error instanceof VerificationFailure || (error instanceof DomainError && error.kind === 'unavailable');
  if (!explained) deps.reportUnexpected(error);
  return failed(error, causedByWallet, checks.entryOf(error)?.credential);
}

type PresentedTokens = Extract<OpenedResponse, { kind: 'vp_token' }>;

async function judge(
  deps: JudgeDeps,
  judged: JudgedResponse,
  opened: PresentedTokens,
  attention: Attention,
): Promise<PresentationOutcome> {
  const { presentations, delivered, surplusCredentialIds } = await verify(deps, judged, opened, attention);
  if (surplusCredentialIds.length > 0) deps.reportSurplus(surplusCredentialIds);
  await checkStatuses(deps, presentations, judged);
  await checkRevocations(deps, presentations, judged);
  return { status: 'FULFILLED', flowType: opened.flowType, presentations: delivered };
}

/**
 * Decides how a response ends its request, in the time that is left. Never throws: what fails inside, or is not done in
 * time, is PROCESSING_ERROR.
 */
export async function judgeResponse(deps: JudgeDeps, judged: JudgedResponse): Promise<PresentationOutcome> {
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
}
