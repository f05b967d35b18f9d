import type { CredentialAnswer, IssuanceEvent } from '@vestibule/contracts';
import { createSecret, sha256, type PublicJwk } from '@vestibule/crypto';
import { OAuthError, verifyNonce, type AttesterKeys, type VerifiedNonce } from '@vestibule/oauth';
import {
  issuerEndpoints,
  parseCredentialRequest,
  presentedNonces,
  verifyKeyProofs,
  type OpenedMessage,
} from '@vestibule/oid4vci';
import { issuanceEvent } from '../domain/issuance-event';
import { answerCredentials, answerPromise, openMessage, type CredentialAnswerDeps } from './answer-credential';
import { authorizeWallet, type AuthorizeWalletDeps, type Grant } from './authorize-wallet';
import type { ReservedEntry } from './reserve-status-indexes';
import { credentialDenied, signOrFail, type SignCredentialsDeps } from './sign-credentials';

/** A credential that a wallet gets later, for the keys that it proved now. */
export interface PromisedCredential {
  readonly transactionDigest: Uint8Array;
  readonly keys: readonly PublicJwk[];
}

/** An offer as it was read: what is signed are these claims and no others. */
export type ReadOffer = Pick<Grant, 'offerId' | 'claimsVersion'>;

/** What is committed when credentials were signed. */
export interface Completion {
  readonly offer: ReadOffer;
  readonly nonces: readonly VerifiedNonce[];
  /** The entries of status lists that the credentials name: from now on these exist. */
  readonly entries: readonly ReservedEntry[];
  /** When the credentials end, where that is before the validity of their type. */
  readonly shortenedTo?: Date | undefined;
  readonly event: IssuanceEvent;
  readonly now: Date;
}

export interface IssueCredentialDeps extends AuthorizeWalletDeps, SignCredentialsDeps, CredentialAnswerDeps {
  readonly batchSize: number | undefined;
  /** Who may attest keys; undefined where nobody may. */
  readonly keyAttesters: AttesterKeys | undefined;
  /** One statement: spends the nonces and keeps the promise; a later promise takes its place. */
  readonly defer: (
    offerId: string,
    nonces: readonly VerifiedNonce[],
    promise: PromisedCredential,
    now: Date,
  ) => Promise<'deferred' | 'nonce_used' | 'ended'>;
  /**
   * One statement: spends the nonces and ends the offer as ISSUED with its event; one caller completes an offer, and none
   * with claims that the backend has replaced since they were read.
   */
  readonly complete: (completion: Completion) => Promise<'issued' | 'nonce_used' | 'claims_changed' | 'ended'>;
}

/** A wallet's message at an endpoint that takes an access token. */
export interface WalletMessage {
  readonly authorization: readonly string[];
  readonly dpop: readonly string[];
  readonly body?: unknown;
  /** The compact JWE of an encrypted message. */
  readonly jwt?: string | undefined;
}

const NONCE_SECONDS = 300;

function readNonce(deps: IssueCredentialDeps, nonce: string, now: Date): VerifiedNonce | undefined {
  return verifyNonce(nonce, { keys: deps.nonceKeys, purpose: 'c_nonce', now, lifetimeSeconds: NONCE_SECONDS });
}

/** Throws `invalid_nonce` for one that is not of this issuer, too old, or was used before the grant was read. */
function checkNonces(
  deps: IssueCredentialDeps,
  nonces: readonly string[],
  { usedNonces }: Grant,
  now: Date,
): VerifiedNonce[] {
  const used = new Set(usedNonces.map((digest) => Buffer.from(digest).toString('hex')));
  return nonces.map((nonce) => {
    const verified = readNonce(deps, nonce, now);
    if (!verified) throw new OAuthError('invalid_nonce', 'nonce_not_current');
    if (used.has(Buffer.from(verified.digest).toString('hex'))) throw new OAuthError('invalid_nonce', 'nonce_used');
    return verified;
  });
}

type Refusal = 'nonce_used' | 'claims_changed' | 'ended';

/** Where the claims changed meanwhile, the nonces are used up all the same: the wallet begins with a new one. */
function refuseUnless<Outcome extends string>(wanted: Outcome, outcome: Outcome | Refusal): void {
  if (outcome === wanted) return;
  if (outcome === 'ended') throw credentialDenied('offer_ended');
  throw new OAuthError('invalid_nonce', outcome === 'nonce_used' ? 'nonce_used_meanwhile' : 'claims_changed_meanwhile');
}

/** A message of somebody who may turn out to be nobody. */
interface Glimpse {
  /** The message; throws what is wrong with it, which only an authorized wallet hears. */
  readonly open: () => OpenedMessage;
  /** The nonces of this issuer in it. */
  readonly nonces: readonly VerifiedNonce[];
}

/** Looks into a message before its sender is authorized, so that the statement that reads the grant can judge its nonces. */
async function glimpse(deps: IssueCredentialDeps, input: WalletMessage, now: Date): Promise<Glimpse> {
  try {
    const message = await openMessage(deps, input, now);
    const nonces = presentedNonces(message.body, deps.batchSize ?? 1).map((nonce) => readNonce(deps, nonce, now));
    return { open: () => message, nonces: nonces.filter((nonce) => nonce !== undefined) };
  } catch (error) {
    const open = () => {
      throw error;
    };
    return { open, nonces: [] };
  }
}

/**
 * A wallet asks for the credential (OpenID4VCI 1.0 §8). Authorization first, then the request, the key proofs and their
 * nonces, of which a used one is known since the grant was read; then it is signed, and only with the commit of ISSUED the nonces are used up and the claims are gone. Where the
 * backend has yet to give the claims, the credential is promised for the proved keys and the nonces are used up. A
 * wallet's mistake leaves the offer open; what cannot be signed ends it as FAILED. Throws an OAuthError.
 */
export const issueCredential =
  (deps: IssueCredentialDeps) =>
  async (input: WalletMessage): Promise<CredentialAnswer> => {
    const now = deps.clock();
    const { open, nonces: presented } = await glimpse(deps, input, now);
    const url = issuerEndpoints(deps.issuerUrl).credential;
    const grant = await authorizeWallet(deps, { ...input, url, nonces: presented }, now);
    const { body, encryption } = open();
    const request = parseCredentialRequest(body, {
      // A type that went away after the offer was made is the issuer's failure, not the wallet's.
      knownConfigurations: [...deps.types.keys(), grant.configurationId],
      grantedConfigurations: [grant.configurationId],
      grantedCredentials: grant.granted,
      batchSize: deps.batchSize,
      proofTypes: deps.keyAttesters ? ['jwt', 'attestation'] : ['jwt'],
    });
    const { claims, offerId, deferral } = grant;
    if (!claims) throw credentialDenied('offer_ended');
    const proved = await verifyKeyProofs(request, {
      audience: deps.issuerUrl,
      now,
      client: grant.clientId === undefined ? 'anonymous' : { clientId: grant.clientId },
      attesterKeys: deps.keyAttesters,
      maxKeys: deps.batchSize ?? 1,
      requirement: deps.types.get(grant.configurationId)?.keyAttestation,
    });
    const { keys } = proved;
    const nonces = checkNonces(deps, proved.nonces, grant, now);
    if (deferral?.state === 'waiting') {
      const transactionId = createSecret(deps.random);
      const promise = { transactionDigest: sha256(transactionId), keys };
      refuseUnless('deferred', await deps.defer(offerId, nonces, promise, now));
      return answerPromise(deps, transactionId, encryption);
    }
    const { credentials, entries, shortenedTo } = await signOrFail(deps, { ...grant, claims }, keys, now);
    const event = issuanceEvent(offerId, 'ISSUED');
    refuseUnless('issued', await deps.complete({ offer: grant, nonces, entries, shortenedTo, event, now }));
    return answerCredentials(deps, { offerId, credentials }, encryption);
  };
