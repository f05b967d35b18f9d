import type { EcJwk } from '@vestibule/crypto';
import { DomainError, type JsonObject, type RandomBytes, type ErrorCode } from '@vestibule/foundation';
import { disclosurePlan } from '@vestibule/oid4vci';
import { batchSubject, issueSdJwtVc, roundValidity, thumbprintSubject } from '@vestibule/sd-jwt-vc';
import type { IssuableType } from '../domain/credential-offer';
import type { Grant } from '../domain/issuance';
import { failedEvent } from '../domain/issuance-event';
import type { LetOthersRun, OfferChanges, Reports, SigningKeys } from '../domain/ports';
import type { ReservedEntry } from '../domain/status-list';
import { credentialDenied } from './credential-refusals';
import { requireFitting, requireType } from './require-type';
import type { ReservationOrder } from './reserve-status-indexes';

export interface SignBatchDeps {
  readonly random: RandomBytes;
  readonly signerAt: SigningKeys['signerAt'];
  /** Permanently reserves one status list entry per credential, before anything is signed. */
  readonly reserveStatusIndexes: (order: ReservationOrder) => Promise<readonly ReservedEntry[]>;
  readonly letOthersRun: LetOthersRun;
  readonly reportShortened: Reports['reportShortened'];
}

export interface SignCredentialsDeps {
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly signBatch: SignBatch;
  readonly fail: OfferChanges['fail'];
  readonly markUnsigned: OfferChanges['markUnsigned'];
  readonly reportFailure: Reports['reportFailure'];
}

/** Signed credentials of an offer that is not ISSUED yet: they must not be handed out before that is committed. */
export interface SignedBatch {
  /** In the order of their keys. */
  readonly credentials: readonly string[];
  /** Their status list entries. */
  readonly entries: readonly ReservedEntry[];
  /** When they expire, if the issuer's chain ends before the validity of their type. */
  readonly shortenedTo: Date | undefined;
}

interface SigningOrder {
  readonly offerId: string;
  readonly type: IssuableType;
  readonly claims: JsonObject;
  readonly keys: readonly EcJwk[];
  readonly now: Date;
}

async function reserve(
  deps: SignBatchDeps,
  { offerId, type, keys }: SigningOrder,
  { exp, x5c }: { readonly exp: number; readonly x5c: readonly string[] },
) {
  if (!type.hasStatus) return [];
  const { issuer } = type;
  return deps.reserveStatusIndexes({ offerId, count: keys.length, expiresAt: new Date(exp * 1000), x5c, issuer });
}

/**
 * The subjects of credentials that are issued together, and whether their holder may withhold them. Several are one dataset
 * and have one random subject, which can be withheld, so that they stay unlinkable. One alone has its own key as subject, and
 * so has each of several whose type says `never` (SD-JWT VC §9.4): if it were the same and plain, it would link them. Wallets
 * of the EU take `allowed` for `always`: they refuse a plain claim.
 */
function subjectsOf({ claimTree, issuer }: IssuableType, count: number, random: RandomBytes) {
  const listed = claimTree.members.get('sub')?.claim?.sd;
  const shared = count > 1 && listed !== 'never' ? batchSubject(random) : undefined;
  const isDisclosable = listed === 'always' || (listed === 'allowed' && issuer.profile === 'eudi');
  return { shared, isSubjectDisclosable: shared !== undefined || isDisclosable };
}

/** Signs one credential for each key. Throws what the signer and the reservation throw. */
export function signBatch(deps: SignBatchDeps) {
  return async function signBatch(order: SigningOrder): Promise<SignedBatch> {
    const { type, claims, keys, now } = order;
    const { sign: signBytes, requireReady, x5c, certificateNotBefore, chainEndsAt } = deps.signerAt(now);
    // Before the reservation: a wallet that tries again while a device is away must not use up a status list.
    requireReady();
    const { validitySeconds } = type;
    const { iat, exp, isShortened } = roundValidity({ now, validitySeconds, certificateNotBefore, chainEndsAt });
    const entries = await reserve(deps, order, { exp, x5c });
    const plan = disclosurePlan(type);
    const { shared, isSubjectDisclosable } = subjectsOf(type, keys.length, deps.random);
    const signing: Promise<string>[] = [];
    for (const [index, confirmationKey] of keys.entries()) {
      if (index > 0) await deps.letOthersRun();
      const entry = entries[index];
      const registered = {
        iss: type.issuer.url,
        sub: shared ?? thumbprintSubject(confirmationKey),
        isSubjectDisclosable,
        iat,
        exp,
        vct: type.vct,
        vctIntegrity: type.integrity,
        confirmationKey,
        ...(entry ? { status: entry } : {}),
      };
      const { random } = deps;
      const credential = issueSdJwtVc({ sign: signBytes, x5c, registered, claims, disclosurePlan: plan, random });
      // It may reject before the others have started; all of them are awaited below.
      credential.catch(() => undefined);
      signing.push(credential);
    }
    // Concurrently: the time that a remote key takes must not add up over a batch.
    const credentials = await Promise.all(signing);
    const shortenedTo = isShortened ? new Date(exp * 1000) : undefined;
    if (shortenedTo) deps.reportShortened(type.configurationId, shortenedTo);
    return { credentials, entries, shortenedTo };
  };
}

export type SignBatch = ReturnType<typeof signBatch>;

const DEVICE_AWAY: ErrorCode = 'signer_unavailable';

/**
 * These failures do not end the offer: the wallet may try again until its time is over. Without the database, or when it is too
 * late to write, no end could be written either.
 */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  DEVICE_AWAY,
  'database_unavailable',
  'database_timeout',
  'database_not_writable',
  'database_outcome_unknown',
  'service_timeout',
]);

/**
 * A failed signature ends the offer: the wallet is told to stop, and the backend receives the code. A device that is away
 * does not: the wallet is told to come back, and may do so until the offer expires, which then ends with that code. Nor does a
 * type that is not configured here, or not as it was: throws as {@link requireType} and {@link requireFitting} do.
 */
export function signCredentials(deps: SignCredentialsDeps) {
  return async function signCredentials(
    { offerId, configurationId, claims }: Grant & { claims: JsonObject },
    keys: readonly EcJwk[],
    now: Date,
  ): Promise<SignedBatch> {
    const type = requireType(deps.types, configurationId);
    requireFitting(type, claims);
    try {
      return await deps.signBatch({ offerId, type, claims, keys, now });
    } catch (error) {
      if (error instanceof DomainError && PASSING.has(error.code)) {
        if (error.code === DEVICE_AWAY) await deps.markUnsigned(offerId, now);
        throw error;
      }
      deps.reportFailure(error);
      const event =
        error instanceof DomainError
          ? failedEvent(offerId, error.code, error.detail)
          : failedEvent(offerId, 'signing_failed', 'the credential could not be signed');
      await deps.fail(offerId, event, now);
      throw credentialDenied('signing_failed', error);
    }
  };
}

export type SignCredentials = ReturnType<typeof signCredentials>;
