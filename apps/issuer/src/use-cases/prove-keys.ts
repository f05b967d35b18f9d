import { constantTimeEqual, ECDSA_ALGORITHMS, ES256_ALONE, jwkThumbprint, sha256, type EcJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import {
  OAuthError,
  verifyNonce,
  type AttestationStatus,
  type AttesterKeys,
  type VerifiedNonce,
} from '@vestibule/oauth';
import { parseCredentialRequest, verifyKeyProofs, type OpenedMessage } from '@vestibule/oid4vci';
import { mostInRequest } from '../domain/batches';
import type { IssuableType } from '../domain/credential-offer';
import type { AuthorizedGrant, Grant } from '../domain/issuance';
import { digestOfKeys, isKept, transactionIdOf } from '../domain/kept-answer';
import type { AttestedStatus, CheckAttestationStatus } from './check-attestation-status';
import { requireConfirmed, type ConfirmAttestations } from './confirm-attestations';
import { credentialDenied } from './credential-refusals';
import { requireType } from './require-type';

export interface ProveKeysDeps {
  readonly issuerUrl: string;
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly batchSize: number | undefined;
  /** Who may attest keys; undefined if nobody may. */
  readonly keyAttesters: AttesterKeys | undefined;
  /** The current key first. */
  readonly nonceKeys: readonly Uint8Array[];
  readonly checkStatus: CheckAttestationStatus;
  readonly confirm: ConfirmAttestations;
}

/** What is to be issued, and the keys that the wallet proved for it. */
interface NewRequest {
  readonly isRepeated: false;
  readonly claims: JsonObject;
  readonly keys: readonly EcJwk[];
  readonly requestDigest: Uint8Array;
  /** Valid, and unused when the grant was read. */
  readonly nonces: readonly VerifiedNonce[];
  /** Of the attestations of the keys, looked up now: a wallet that waits may lose what it has. */
  readonly statuses: readonly AttestationStatus[];
}

/** A request for the same keys as an earlier one, whose answer is kept; its nonces do not matter. */
interface RepeatedRequest {
  readonly isRepeated: true;
  readonly requestDigest: Uint8Array;
}

/** A request with valid key proofs. */
export type ProvenRequest = NewRequest | RepeatedRequest;

const NONCE_SECONDS = 300;

/** A c_nonce of this issuer that is not too old; undefined for any other string. */
export function readNonce(keys: readonly Uint8Array[], nonce: string, now: Date): VerifiedNonce | undefined {
  return verifyNonce(nonce, { keys, purpose: 'c_nonce', now, lifetimeSeconds: NONCE_SECONDS });
}

/** Throws `invalid_nonce` for one that is not from this issuer, too old, or was used before the grant was read. */
function checkNonces(
  { nonceKeys }: ProveKeysDeps,
  nonces: readonly string[],
  { usedNonces }: Grant,
  now: Date,
): VerifiedNonce[] {
  const used = new Set(usedNonces.map((digest) => Buffer.from(digest).toString('hex')));
  return nonces.map((nonce) => {
    const verified = readNonce(nonceKeys, nonce, now);
    if (!verified) throw new OAuthError('invalid_nonce', 'nonce_not_current');
    if (used.has(Buffer.from(verified.digest).toString('hex'))) throw new OAuthError('invalid_nonce', 'nonce_used');
    return verified;
  });
}

/**
 * What a type demands of the keys that it is bound to. If it is not known here, an answer that is kept is given again, and all
 * else is refused by `requireType`, so that the wallet comes back.
 */
const demandsOf = (type: IssuableType | undefined) => ({
  requirement: type?.keyAttestation,
  algorithms: type ? (type.proofAlgorithms ?? ES256_ALONE) : ECDSA_ALGORITHMS,
  signers: type?.issuer.profile === 'eudi' ? ('first_attested' as const) : ('any_attested' as const),
});

/** Each attestation, after everything that costs less. */
async function checkStatuses(
  { checkStatus }: ProveKeysDeps,
  statuses: readonly AttestationStatus[],
  about: Pick<AttestedStatus, 'type' | 'now' | 'isDeferred'>,
): Promise<void> {
  for (const status of statuses) await checkStatus({ kind: 'key', status, ...about });
}

/**
 * Is this request answered, and its answer kept? While an offer is open that answer is a promise. Of two that were made at
 * the same moment only the later one is open, and a promise that is not is no answer.
 */
function isAnswered({ keptRequests, status, deferral, accessToken }: AuthorizedGrant, requestDigest: Uint8Array) {
  if (!isKept(keptRequests, requestDigest)) return false;
  const open = status === 'OFFER_CREATED' ? deferral?.transaction : undefined;
  return !open || constantTimeEqual(sha256(transactionIdOf(accessToken, requestDigest)), open.digest);
}

/**
 * Verifies an authorized credential request (OpenID4VCI 1.0 §8.2) in this order: the request, whether there are still
 * claims or a kept answer, the key proofs, whether they are for the keys of that answer, their nonces, the attestation of
 * the wallet once more, the status of those of the keys. Throws an OAuthError, `attestation_status_unavailable`, and
 * `credential_type_missing` unless an answer is kept.
 */
export function proveKeys(deps: ProveKeysDeps) {
  return async function proveKeys(
    body: OpenedMessage['body'],
    grant: AuthorizedGrant,
    now: Date,
  ): Promise<ProvenRequest> {
    const { types, keyAttesters } = deps;
    const { configurationId, granted, claims, clientId, keptRequests } = grant;
    const type = types.get(configurationId);
    const most = mostInRequest(type, deps.batchSize);
    const request = parseCredentialRequest(body, {
      // A type that was removed after the offer was made is the issuer's failure, not the wallet's.
      knownConfigurations: [...types.keys(), configurationId],
      grantedConfigurations: [configurationId],
      grantedCredentials: granted,
      batchSize: most > 1 ? most : undefined,
      proofTypes: keyAttesters ? ['jwt', 'attestation'] : ['jwt'],
    });
    if (!claims && keptRequests.length === 0) throw credentialDenied('offer_ended');
    const proved = await verifyKeyProofs(request, {
      audience: deps.issuerUrl,
      now,
      client: clientId === undefined ? 'anonymous' : { clientId },
      attesterKeys: keyAttesters,
      maxKeys: most,
      ...demandsOf(type),
    });
    const { keys } = proved;
    const requestDigest = digestOfKeys(keys.map(jwkThumbprint));
    if (isAnswered(grant, requestDigest)) return { isRepeated: true, requestDigest };
    if (!claims) throw credentialDenied('offer_ended');
    requireType(types, configurationId);
    const nonces = checkNonces(deps, proved.nonces, grant, now);
    const { statuses } = proved;
    await requireConfirmed(deps.confirm, { grant, now });
    await checkStatuses(deps, statuses, { type, now, isDeferred: grant.deferral?.state === 'waiting' });
    return { isRepeated: false, claims, keys, requestDigest, nonces, statuses };
  };
}

export type ProveKeys = ReturnType<typeof proveKeys>;
