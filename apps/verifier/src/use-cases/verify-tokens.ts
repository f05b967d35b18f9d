import { parseDcqlQuery, type DcqlQuery } from '@vestibule/dcql';
import { DomainError, type ErrorCode } from '@vestibule/foundation';
import {
  neededIssuerMetadata,
  responseFailure,
  verifyVpTokenInSteps,
  type CheckLog,
  type FlowType,
  type NeededMetadata,
  type OpenedResponse,
  type PublishedKeys,
  type ScaEvidencePolicy,
  type SurplusPolicy,
  type VerifiedAnswer,
} from '@vestibule/oid4vp';
import type { IssuerKey } from '@vestibule/sd-jwt-vc';
import type { CurrentTrust, LoadPublishedKeys, Pause } from '../domain/ports';
import type { PendingRequest } from '../domain/presentation-request';

export interface VerifyTokensDeps {
  readonly trust: CurrentTrust;
  readonly skewSeconds: number;
  readonly loadPublishedKeys: LoadPublishedKeys;
  /** What happens to claims and credentials that were not requested. Default: they are dropped. */
  readonly surplusClaims?: SurplusPolicy;
  /** Whether wallets must say how their users confirmed a payment. Default: they must. */
  readonly scaEvidence?: ScaEvidencePolicy;
  readonly pause: Pause;
}

export type PresentedTokens = Extract<OpenedResponse, { kind: 'vp_token' }>;

/** Set at the deadline: work still in progress must then stop. */
export interface Attention {
  isOver: boolean;
}

/** The tokens of one response, and the request that they answer. */
export interface TokensToVerify {
  readonly request: PendingRequest;
  readonly opened: PresentedTokens;
  readonly checks: CheckLog;
  readonly now: Date;
  readonly attention: Attention;
}

/** The stored request is not what was accepted when it was created: an internal fault, for operators. */
const storedFault = (code: ErrorCode, detail: string) => new DomainError({ kind: 'internal', code, detail });

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

/**
 * The only outgoing request before the signature is verified: to addresses that the operator, not the wallet, chose.
 */
async function publishedKeysOf(
  { loadPublishedKeys }: VerifyTokensDeps,
  needed: readonly NeededMetadata[],
  { checks }: TokensToVerify,
): Promise<PublishedKeys> {
  const name = { check: 'issuer_metadata_document', section: 'SD-JWT VC §5' };
  const keys = needed.map(async ({ issuer, kids }) => {
    return [issuer, await checks.runAsync(name, () => loadPublishedKeys(issuer, kids))] as const;
  });
  return new Map<string, readonly IssuerKey[]>(await Promise.all(keys));
}

async function inTurns(
  steps: Generator<undefined, VerifiedAnswer, undefined>,
  { pause }: VerifyTokensDeps,
  attention: Attention,
): Promise<VerifiedAnswer> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
    if (attention.isOver) throw responseFailure('judgement_timeout');
  }
}

/**
 * Verifies the presentations of a response and matches them with the query (OpenID4VP 1.0 §8.1, §8.6), yielding to
 * other work in between. Throws the failure of the first check that fails, and `judgement_timeout` once `attention` is
 * over.
 */
export function verifyTokens(deps: VerifyTokensDeps) {
  return async function verifyTokens(tokens: TokensToVerify): Promise<VerifiedAnswer> {
    const { request, opened, checks, now, attention } = tokens;
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
      publishedKeys: await publishedKeysOf(deps, needed, tokens),
      ...(deps.surplusClaims ? { surplusClaims: deps.surplusClaims } : {}),
      ...(deps.scaEvidence ? { scaEvidence: deps.scaEvidence } : {}),
      checks,
    });
    return inTurns(steps, deps, attention);
  };
}

export type VerifyTokens = ReturnType<typeof verifyTokens>;
