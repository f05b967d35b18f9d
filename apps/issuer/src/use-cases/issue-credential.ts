import type { IssuanceEvent } from '@vestibule/contracts';
import { sha256, type PublicJwk } from '@vestibule/crypto';
import { DomainError, type Clock, type JsonObject, type RandomBytes } from '@vestibule/foundation';
import {
  OAuthError,
  parseDpopAuthorization,
  requireDpopHeader,
  verifyDpopProof,
  verifyNonce,
  type VerifiedNonce,
} from '@vestibule/oauth';
import {
  disclosurePlan,
  issuerEndpoints,
  parseCredentialRequest,
  verifyKeyProofs,
  type GrantedCredential,
} from '@vestibule/oid4vci';
import { issueSdJwtVc, roundValidity, thumbprintSubject, type SignBytes } from '@vestibule/sd-jwt-vc';
import type { StatusReference } from '@vestibule/status-list';
import type { IssuableType } from '../domain/credential-offer';
import { failedEvent, issuanceEvent } from '../domain/issuance-event';
import type { ReservationOrder } from './reserve-status-indexes';

/** What an access token allows. */
export interface Grant {
  readonly offerId: string;
  readonly configurationId: string;
  /** Undefined when the offer has ended as ISSUED: its claims are gone. */
  readonly claims: JsonObject | undefined;
  readonly thumbprint: string;
  readonly granted: readonly GrantedCredential[];
}

/** The key that signs credentials; behind it may be an HSM. */
export interface CredentialSigner {
  readonly sign: SignBytes;
  readonly x5c: readonly string[];
  readonly certificateNotBefore: Date;
}

export interface IssueCredentialDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly issuerUrl: string;
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly batchSize: number | undefined;
  readonly nonceKeys: readonly Uint8Array[];
  /** Throws when key and certificate may not sign at `now`. */
  readonly signerAt: (now: Date) => CredentialSigner;
  /** One entry of a status list for each credential, reserved for good before anything is signed. */
  readonly reserveStatusIndexes: (order: ReservationOrder) => Promise<readonly StatusReference[]>;
  readonly findGrant: (tokenDigest: Uint8Array, now: Date) => Promise<Grant | undefined>;
  readonly spendProof: (replayDigest: Uint8Array, expiresAt: Date) => Promise<boolean>;
  /** One statement: spends the nonces and ends the offer as ISSUED with its event; one caller completes an offer. */
  readonly complete: (
    offerId: string,
    nonces: readonly VerifiedNonce[],
    event: IssuanceEvent,
    now: Date,
  ) => Promise<'issued' | 'nonce_used' | 'ended'>;
  /** Ends the offer as FAILED with its event, if it is still open. */
  readonly fail: (offerId: string, event: IssuanceEvent, now: Date) => Promise<void>;
  readonly reportFailure: (error: unknown) => void;
}

export interface CredentialInput {
  readonly authorization: readonly string[];
  readonly dpop: readonly string[];
  readonly body?: unknown;
}

export interface CredentialAnswer {
  readonly credentials: { readonly credential: string }[];
}

const NONCE_SECONDS = 300;

async function authorize(deps: IssueCredentialDeps, input: CredentialInput, now: Date): Promise<Grant> {
  const accessToken = parseDpopAuthorization(input.authorization);
  const grant = await deps.findGrant(sha256(accessToken), now);
  if (!grant) throw new OAuthError('invalid_token', 'the access token is unknown or expired');
  const proof = verifyDpopProof(requireDpopHeader(input.dpop), {
    method: 'POST',
    url: issuerEndpoints(deps.issuerUrl).credential,
    now,
    token: { accessToken, thumbprint: grant.thumbprint },
    nonce: 'not_required',
  });
  if (await deps.spendProof(proof.replayDigest, proof.expiresAt)) return grant;
  throw new OAuthError('invalid_dpop_proof', 'the proof was used before');
}

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

/** No end of the offer: the wallet may come again, and without the database no end could be written either. */
const DATABASE_AWAY: ReadonlySet<string> = new Set(['database_unavailable', 'database_timeout']);

const denied = (cause?: unknown) => new OAuthError('credential_request_denied', undefined, cause);

/** What cannot be signed ends the offer: the wallet is told to stop, the backend gets the code. */
async function signOrFail(
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
    throw denied(error);
  }
}

/**
 * A wallet asks for the credential (OpenID4VCI 1.0 §8). Authorization first, then the request, the key proofs and their
 * nonces; then it is signed, and only with the commit of ISSUED the nonces are used up and the claims are gone. A
 * wallet's mistake leaves the offer open; what cannot be signed ends it as FAILED. Throws an OAuthError.
 */
export const issueCredential =
  (deps: IssueCredentialDeps) =>
  async (input: CredentialInput): Promise<CredentialAnswer> => {
    const now = deps.clock();
    const grant = await authorize(deps, input, now);
    const request = parseCredentialRequest(input.body, {
      // A type that went away after the offer was made is the issuer's failure, not the wallet's.
      knownConfigurations: [...deps.types.keys(), grant.configurationId],
      grantedConfigurations: [grant.configurationId],
      grantedCredentials: grant.granted,
      batchSize: deps.batchSize,
    });
    const { claims } = grant;
    if (!claims) throw denied();
    const { keys, nonces } = verifyKeyProofs(request.proofs, { audience: deps.issuerUrl, now, client: 'anonymous' });
    const verifiedNonces = checkNonces(deps, nonces, now);
    const credentials = await signOrFail(deps, { ...grant, claims }, keys, now);
    const event = issuanceEvent(grant.offerId, 'ISSUED');
    const outcome = await deps.complete(grant.offerId, verifiedNonces, event, now);
    if (outcome === 'nonce_used') throw new OAuthError('invalid_nonce');
    if (outcome === 'ended') throw denied();
    return { credentials: credentials.map((credential) => ({ credential })) };
  };
