import { ApiError, encodeBase64url, type Clock, type JsonObject, type RandomBytes } from '@vestibule/foundation';
import { buildPresentation, createDidKey, signPresentation, type PresentationBinding } from '@vestibule/vcdm';
import type { Document } from '../domain/content';
import { presentationView, type PresentationAnswer } from '../domain/content-view';
import type { Draft } from '../domain/drafts';
import type { Drafts, IssuedDocuments } from '../domain/ports';
import { canBeDid, type Owner, type TenantId } from '../domain/records';
import { nextState } from '../domain/transitions';
import type { NamedWallet } from '../domain/wallets';
import { authenticate, type AuthenticateDeps } from './authenticate';
import { getPresentationDraft, type ChangePresentation } from './change-draft';
import { refusingDocuments } from './document-errors';
import type { FindWallet } from './find-wallet';
import type { MetaData } from './import-credential';
import { signerOf, type SigningDeps } from './issue-draft';
import { repeatableCall } from './repeat';

/** Looks up the credentials of a wallet. */
export interface FindCredentialsDeps {
  readonly findCredentials: IssuedDocuments['findCredentials'];
}

export interface CreatePresentationDeps extends AuthenticateDeps, FindCredentialsDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly findWallet: FindWallet;
  readonly insertDraft: Drafts['insertDraft'];
}

export interface CreatePresentationInput extends NamedWallet {
  readonly apiKeyDigest: string;
  readonly credentialDids: readonly string[];
  readonly metaData?: MetaData | undefined;
  readonly idempotencyKey?: string | undefined;
}

function missing(index: number): ApiError {
  const faults = [{ path: `CredentialDids[${index}]`, message: 'this wallet has no such credential' }];
  const detail = 'this wallet does not have all of these credentials';
  return new ApiError({ kind: 'not_found', code: 'credential_not_found', detail, faults });
}

/**
 * The credentials, in the order of `dids`; throws `credential_not_found` and, unless all are issued,
 * `transition_forbidden`.
 */
export async function issuedCredentials(
  deps: FindCredentialsDeps,
  tenant: TenantId,
  owner: Owner,
  dids: readonly string[],
) {
  const found = await deps.findCredentials(tenant, owner, dids.filter(canBeDid));
  const byDid = new Map(found.map((credential) => [credential.did, credential]));
  return dids.map((did, index) => {
    const credential = byDid.get(did);
    if (!credential) throw missing(index);
    nextState(credential.state, 'present');
    return credential;
  });
}

/**
 * Creates a presentation draft from issued credentials of a wallet; its holder is the entity that owns the wallet.
 * Throws `api_key_invalid`, `wallet_not_found`, `credential_not_found`, `transition_forbidden`, `invalid_request`.
 */
export function createPresentation(deps: CreatePresentationDeps) {
  return async function createPresentation(input: CreatePresentationInput): Promise<PresentationAnswer> {
    const { apiKeyDigest, credentialDids, metaData, entityDid, walletDid, idempotencyKey } = input;
    const tenant = await authenticate(deps, apiKeyDigest);
    const owner = await deps.findWallet(tenant, { entityDid, walletDid });
    const credentials = await issuedCredentials(deps, tenant, owner, credentialDids);
    const { did } = createDidKey(deps.random);
    const holderDid = owner.entityDid;
    const createdAt = deps.clock();
    const content = {
      types: ['VerifiablePresentation'],
      holderDid,
      body: buildPresentation({ id: did, holderDid, credentials: credentials.map(({ body }) => body) }),
      source: { CredentialDids: [...credentialDids] },
      labels: metaData?.Labels ?? {},
      annotations: metaData?.Annotations ?? {},
    };
    const answer = presentationView({
      did,
      state: 'draft',
      ...owner,
      revision: 1,
      createdAt,
      updatedAt: createdAt,
      ...content,
    });
    const repeatable = repeatableCall(idempotencyKey, [
      owner.walletDid,
      [...credentialDids],
      { ...metaData } as JsonObject,
    ]);
    return deps.insertDraft({ tenant, owner, did, content, createdAt }, answer, repeatable);
  };
}

/** A presentation in the wallet where it was made; the wallet need not be named, but a wrong name is refused. */
export interface PresentationInput extends NamedWallet {
  readonly apiKeyDigest: string;
  readonly presentationDid: string;
  /** From `If-Match`: only this revision may be changed. */
  readonly ifRevision?: number | undefined;
}

export interface AbandonPresentationDeps extends AuthenticateDeps {
  readonly findWallet: FindWallet;
  readonly changePresentation: ChangePresentation;
}

/** The presentation to change, once the tenant and, if one is named, the wallet are checked. */
export async function changeOf(deps: AbandonPresentationDeps, input: PresentationInput) {
  const tenant = await authenticate(deps, input.apiKeyDigest);
  const { entityDid, walletDid, presentationDid: did, ifRevision } = input;
  if (entityDid !== undefined || walletDid !== undefined) await deps.findWallet(tenant, { entityDid, walletDid });
  return { tenant, did, walletDid, ifRevision };
}

const CHALLENGE_BYTES = 32;

export interface IssuePresentationDeps extends AbandonPresentationDeps, SigningDeps {
  readonly random: RandomBytes;
}

/**
 * Signs a presentation draft with its holder's key, for a domain and a challenge (by default a new one). Throws
 * `api_key_invalid`, `wallet_not_found`, `presentation_not_found`, `transition_forbidden`, `concurrent_change`,
 * `revision_mismatch`.
 */
export function issuePresentation(deps: IssuePresentationDeps) {
  return async function issuePresentation(
    input: PresentationInput & Partial<PresentationBinding>,
  ): Promise<PresentationAnswer> {
    const change = await changeOf(deps, input);
    const issued = await deps.changePresentation({ ...change, operation: 'issue' }, async (draft, now) => {
      const signer = await signerOf(deps, change.tenant, draft.entityDid);
      const challenge = input.challenge ?? encodeBase64url(deps.random(CHALLENGE_BYTES));
      const binding = { challenge, domain: input.domain };
      const options = { signer, now, ...deps.understand(change.tenant) };
      const body = await refusingDocuments(signPresentation(draft.body, binding, options));
      return { ...draft, body };
    });
    return presentationView(issued);
  };
}

/** Marks a presentation draft as deleted. Throws as {@link issuePresentation} does. */
export function abandonPresentation(deps: AbandonPresentationDeps) {
  return async function abandonPresentation(input: PresentationInput): Promise<PresentationAnswer> {
    const change = { ...(await changeOf(deps, input)), operation: 'abandon' as const };
    return presentationView(await deps.changePresentation(change, (draft) => draft));
  };
}

export interface PresentPresentationDeps extends AuthenticateDeps, FindCredentialsDeps {
  readonly clock: Clock;
  readonly findWallet: FindWallet;
  readonly findDraft: Drafts['findDraft'];
  readonly insertCopies: IssuedDocuments['insertCopies'];
}

/** The credentials that a presentation was made of. */
export function sourceDids({ source }: Draft): string[] {
  const dids = source['CredentialDids'];
  return Array.isArray(dids) ? dids.filter((did) => typeof did === 'string') : [];
}

/**
 * Copies an issued presentation and its credentials into another wallet of the tenant, where they are `Presented`. A
 * repetition changes nothing. Throws `api_key_invalid`, `wallet_not_found`, `presentation_not_found`,
 * `transition_forbidden`, `credential_exists`, and `invalid_request` if it is the wallet that the presentation comes from.
 */
export function presentPresentation(deps: PresentPresentationDeps) {
  return async function presentPresentation(
    input: Owner & { readonly apiKeyDigest: string; readonly presentationDid: string },
  ): Promise<PresentationAnswer> {
    const tenant = await authenticate(deps, input.apiKeyDigest);
    const target = await deps.findWallet(tenant, { entityDid: input.entityDid, walletDid: input.walletDid });
    const draft = await getPresentationDraft(deps)(tenant, input.presentationDid);
    nextState(draft.state, 'present');
    if (draft.walletDid === target.walletDid) {
      const faults = [{ path: 'walletDid', message: 'must not be the wallet of the presentation' }];
      const detail = 'a presentation is presented to another wallet';
      throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail, faults });
    }
    const credentials = await issuedCredentials(deps, tenant, draft, sourceDids(draft));
    const now = deps.clock();
    const copied = <Kept extends Document>(record: Kept) => ({
      ...record,
      ...target,
      revision: 1,
      createdAt: now,
      updatedAt: now,
    });
    const copies = { presentation: copied(draft), credentials: credentials.map(copied) };
    return presentationView(await deps.insertCopies(tenant, copies));
  };
}
