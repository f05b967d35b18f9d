import { parseDcqlQuery, type DcqlQuery } from '@vestibule/dcql';
import { DomainError, VerificationFailure } from '@vestibule/foundation';
import {
  neededIssuerMetadata,
  openWalletResponse,
  verifyVpToken,
  type CheckLog,
  type FlowType,
  type IssuerTrust,
  type NeededMetadata,
  type OpenedResponse,
  type PublishedKeys,
  type ResponseForm,
  type SurplusPolicy,
  type VerifiedPresentation,
} from '@vestibule/oid4vp';
import type { IssuerKey } from '@vestibule/sd-jwt-vc';
import type { VerifiedChain } from '@vestibule/x509-trust';
import { failed, rejected, type PresentationOutcome } from '../domain/presentation-outcome';
import type { PendingRequest } from '../domain/presentation-request';

export interface JudgeDeps {
  readonly trust: () => IssuerTrust;
  readonly skewSeconds: number;
  /** The keys in the metadata of an issuer that `trust` lists; asked for no other. An unknown `kid` may mean a newer document. */
  readonly loadPublishedKeys: (iss: string, kids: readonly string[]) => Promise<readonly IssuerKey[]>;
  /** Looks the credential up in its issuer's status list; throws where it is not valid there or the list cannot be had. */
  readonly checkStatus: (presentation: VerifiedPresentation, now: Date) => Promise<void>;
  /** Throws where a certificate of an issuer's chain is revoked, or its list cannot be had. Absent: not checked. */
  readonly checkRevocation?: ((chain: VerifiedChain, now: Date) => Promise<void>) | undefined;
  /** What happens to claims and credentials that nobody asked for. Default: they are dropped. */
  readonly surplusClaims?: SurplusPolicy;
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
  const keys = new Map<string, readonly IssuerKey[]>();
  for (const { issuer, kids } of needed) {
    const name = { check: 'issuer_metadata_document', section: 'SD-JWT VC §5' };
    keys.set(issuer, await checks.runAsync(name, () => deps.loadPublishedKeys(issuer, kids)));
  }
  return keys;
}

async function verify(deps: JudgeDeps, judged: JudgedResponse, opened: Extract<OpenedResponse, { kind: 'vp_token' }>) {
  const { request, checks, now } = judged;
  const trust = deps.trust();
  const query = queryOf(request);
  const needed = neededIssuerMetadata(opened.vpToken, query, trust);
  return verifyVpToken(opened.vpToken, request.transactionData, {
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
}

/** After everything else held, and only then, the status lists are asked (Token Status List §8.3). */
async function checkStatuses(
  deps: JudgeDeps,
  presentations: readonly VerifiedPresentation[],
  { checks, now }: JudgedResponse,
) {
  for (const presentation of presentations) {
    if (!presentation.status) continue;
    const name = { check: 'status', section: 'Token Status List §8.3', credential: presentation.credentialId };
    await checks.runAsync(name, () => deps.checkStatus(presentation, now));
  }
}

/** Last of all, where the operator wants it: an authority is asked about certificates only for a valid credential. */
async function checkRevocations(
  { checkRevocation }: JudgeDeps,
  presentations: readonly VerifiedPresentation[],
  { checks, now }: JudgedResponse,
) {
  if (!checkRevocation) return;
  for (const { signedBy, credentialId } of presentations) {
    if (signedBy.method !== 'certificate') continue;
    const name = { check: 'certificate_revocation', section: 'RFC 5280 §6.3.3', credential: credentialId };
    await checks.runAsync(name, () => checkRevocation(signedBy.chain, now));
  }
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
  return failed(error, causedByWallet, checks.entries.findLast((entry) => entry.outcome === 'failed')?.credential);
}

/** Decides how a response ends its request. Never throws: what fails inside is PROCESSING_ERROR. */
export async function judgeResponse(deps: JudgeDeps, judged: JudgedResponse): Promise<PresentationOutcome> {
  let opened: OpenedResponse;
  try {
    opened = open(judged);
  } catch (error) {
    return outcomeOf(deps, error, judged, true);
  }
  if (opened.kind === 'error') return rejected(opened.error);
  try {
    const { presentations, delivered, surplusCredentialIds } = await verify(deps, judged, opened);
    if (surplusCredentialIds.length > 0) deps.reportSurplus(surplusCredentialIds);
    await checkStatuses(deps, presentations, judged);
    await checkRevocations(deps, presentations, judged);
    return { status: 'FULFILLED', flowType: opened.flowType, presentations: delivered };
  } catch (error) {
    return outcomeOf(deps, error, judged, false);
  }
}
