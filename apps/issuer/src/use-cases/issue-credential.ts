import type { CredentialAnswer, IssuanceEvent } from '@vestibule/contracts';
import { createSecret, sha256, type PublicJwk } from '@vestibule/crypto';
import { DomainError, type Clock, type JsonObject } from '@vestibule/foundation';
import { OAuthError, verifyNonce, type AttesterKeys, type VerifiedNonce } from '@vestibule/oauth';
import { disclosurePlan, issuerEndpoints, parseCredentialRequest, verifyKeyProofs } from '@vestibule/oid4vci';
import { issueSdJwtVc, roundValidity, thumbprintSubject, type SignBytes } from '@vestibule/sd-jwt-vc';
import type { StatusReference } from '@vestibule/status-list';
import type { IssuableType } from '../domain/credential-offer';
import { failedEvent, issuanceEvent } from '../domain/issuance-event';
import { answerCredentials, answerPromise, openMessage, type CredentialAnswerDeps } from './answer-credential';
import { authorizeWallet, type AuthorizeWalletDeps, type Grant } from './authorize-wallet';
import type { ReservationOrder } from './reserve-status-indexes';

/** A credential that a wallet gets later, for the keys that it proved now. */
export interface PromisedCredential {
  readonly transactionDigest: Uint8Array;
  readonly keys: readonly PublicJwk[];
}

/** An offer as it was read: what is signed are these claims and no others. */
export type ReadOffer = Pick<Grant, 'offerId' | 'claimsVersion'>;

/** The key that signs credentials; behind it may be an HSM. */
export interface CredentialSigner {
  readonly sign: SignBytes;
  readonly x5c: readonly string[];
  readonly certificateNotBefore: Date;
}

export interface IssueCredentialDeps extends AuthorizeWalletDeps, CredentialAnswerDeps {
  readonly clock: Clock;
  readonly issuerUrl: string;
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly batchSize: number | undefined;
  /** Who may attest keys; undefined where nobody may. */
  readonly keyAttesters: AttesterKeys | undefined;
  /** Throws when key and certificate may not sign at `now`. */
  readonly signerAt: (now: Date) => CredentialSigner;
  /** One entry of a status list for each credential, reserved for good before anything is signed. */
  readonly reserveStatusIndexes: (order: ReservationOrder) => Promise<readonly StatusReference[]>;
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
  readonly complete: (
    offer: ReadOffer,
    nonces: readonly VerifiedNonce[],
    event: IssuanceEvent,
    now: Date,
  ) => Promise<'issued' | 'nonce_used' | 'claims_changed' | 'ended'>;
  /** Ends the offer as FAILED with its event, if it is still open. */
  readonly fail: (offerId: string, event: IssuanceEvent, now: Date) => Promise<void>;
  readonly reportFailure: (error: unknown) => void;
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

function checkNonces(deps: IssueCredentialDeps, nonces: readonly string[], now: Date): VerifiedNonce[] {
  return nonces.map((nonce) => {
    const verified = verifyNonce(nonce, {
      keys: deps.nonceKeys,
      purpose: 'c_nonce',
      now,
      lifetimeSeconds: NONCE_SECONDS,
    });
    if (!verified) throw new OAuthError('invalid_nonce');
    return verified;
  });
}

interface SigningOrder {
  readonly offerId: string;
  readonly type: IssuableType;
  readonly claims: JsonObject;
  readonly keys: readonly PublicJwk[];
  readonly now: Date;
}

async function reserve(deps: IssueCredentialDeps, { offerId, type, keys }: SigningOrder, exp: number) {
  if (!type.hasStatus) return [];
  return deps.reserveStatusIndexes({ offerId, count: keys.length, expiresAt: new Date(exp * 1000) });
}

async function sign(deps: IssueCredentialDeps, order: SigningOrder): Promise<string[]> {
  const { type, claims, keys, now } = order;
  const { sign: signBytes, x5c, certificateNotBefore } = deps.signerAt(now);
  const { iat, exp } = roundValidity({ now, validitySeconds: type.validitySeconds, certificateNotBefore });
  const statuses = await reserve(deps, order, exp);
  const plan = disclosurePlan(type);
  // At once: how long a remote key takes must not add up over a batch.
  return Promise.all(
    keys.map((confirmationKey, index) => {
      const status = statuses[index];
      const registered = {
        iss: deps.issuerUrl,
        sub: thumbprintSubject(confirmationKey),
        iat,
        exp,
        vct: type.vct,
        vctIntegrity: type.integrity,
        confirmationKey,
        ...(status ? { status } : {}),
      };
      return issueSdJwtVc({ sign: signBytes, x5c, registered, claims, disclosurePlan: plan, random: deps.random });
    }),
  );
}

/** The wallet has to stop: there will be no credential. */
export const credentialDenied = (cause?: unknown) => new OAuthError('credential_request_denied', undefined, cause);

/** No end of the offer: the wallet may come again, and without the database no end could be written either. */
const DATABASE_AWAY: ReadonlySet<string> = new Set(['database_unavailable', 'database_timeout']);

/** What cannot be signed ends the offer: the wallet is told to stop, the backend gets the code. */
export async function signOrFail(
  deps: IssueCredentialDeps,
  grant: Grant & { claims: JsonObject },
  keys: readonly PublicJwk[],
  now: Date,
): Promise<string[]> {
  try {
    const type = deps.types.get(grant.configurationId);
    if (!type)
      throw new DomainError({
        kind: 'internal',
        code: 'credential_type_missing',
        detail: 'the credential type is not configured any more',
      });
    return await sign(deps, { offerId: grant.offerId, type, claims: grant.claims, keys, now });
  } catch (error) {
    if (error instanceof DomainError && DATABASE_AWAY.has(error.code)) throw error;
    deps.reportFailure(error);
    const reason =
      error instanceof DomainError
        ? `${error.code}: ${error.detail}`
        : 'signing_failed: the credential could not be signed';
    await deps.fail(grant.offerId, failedEvent(grant.offerId, reason), now);
    throw credentialDenied(error);
  }
}

type Refusal = 'nonce_used' | 'claims_changed' | 'ended';

/** Where the claims changed meanwhile, the nonces are used up all the same: the wallet begins with a new one. */
function refuseUnless<Outcome extends string>(wanted: Outcome, outcome: Outcome | Refusal): void {
  if (outcome === wanted) return;
  throw outcome === 'ended' ? credentialDenied() : new OAuthError('invalid_nonce');
}

/**
 * A wallet asks for the credential (OpenID4VCI 1.0 §8). Authorization first, then the request, the key proofs and their
 * nonces; then it is signed, and only with the commit of ISSUED the nonces are used up and the claims are gone. Where the
 * backend has yet to give the claims, the credential is promised for the proved keys and the nonces are used up. A
 * wallet's mistake leaves the offer open; what cannot be signed ends it as FAILED. Throws an OAuthError.
 */
export const issueCredential =
  (deps: IssueCredentialDeps) =>
  async (input: WalletMessage): Promise<CredentialAnswer> => {
    const now = deps.clock();
    const grant = await authorizeWallet(deps, { ...input, url: issuerEndpoints(deps.issuerUrl).credential }, now);
    const { body, encryption } = openMessage(deps, input, now);
    const request = parseCredentialRequest(body, {
      // A type that went away after the offer was made is the issuer's failure, not the wallet's.
      knownConfigurations: [...deps.types.keys(), grant.configurationId],
      grantedConfigurations: [grant.configurationId],
      grantedCredentials: grant.granted,
      batchSize: deps.batchSize,
      proofTypes: deps.keyAttesters ? ['jwt', 'attestation'] : ['jwt'],
    });
    const { claims, offerId, deferral } = grant;
    if (!claims) throw credentialDenied();
    const proved = verifyKeyProofs(request, {
      audience: deps.issuerUrl,
      now,
      client: grant.clientId === undefined ? 'anonymous' : { clientId: grant.clientId },
      attesterKeys: deps.keyAttesters,
      maxKeys: deps.batchSize ?? 1,
      requirement: deps.types.get(grant.configurationId)?.keyAttestation,
    });
    const { keys } = proved;
    const nonces = checkNonces(deps, proved.nonces, now);
    if (deferral?.state === 'waiting') {
      const transactionId = createSecret(deps.random);
      const promise = { transactionDigest: sha256(transactionId), keys };
      refuseUnless('deferred', await deps.defer(offerId, nonces, promise, now));
      return answerPromise(deps, transactionId, encryption);
    }
    const credentials = await signOrFail(deps, { ...grant, claims }, keys, now);
    refuseUnless('issued', await deps.complete(grant, nonces, issuanceEvent(offerId, 'ISSUED'), now));
    return answerCredentials(deps, { offerId, credentials }, encryption);
  };
