import type { Certificate } from '@vestibule/x509-trust';
import { trustedListFailure } from './failures';
import { requireListHeader } from './list-header';
import type { ListProfile } from './list-profile';
import { verifyListSignature } from './list-signature';
import type { Steps } from './list-service';
import { listSignerOf, type SignerRules } from './list-signer';
import { parseListPayload, parseSignedList } from './parse-signed-list';
import { readTrustedList, type ListVersion, type TrustedList } from './trusted-list';

/** What a list must be, and when it is judged. */
export interface TrustedListRules extends SignerRules {
  readonly profile: ListProfile;
  /** One of its names: it tells the lists of one operator apart that have one type. Absent: any list of the type. */
  readonly schemeName?: string | undefined;
  /** How long a list is used after its next update was due. */
  readonly graceSeconds: number;
  /** The version in use; absent if there is none yet. */
  readonly previous?: ListVersion | undefined;
}

/** A list that its scheme operator signed. */
export interface VerifiedList extends TrustedList {
  readonly profile: ListProfile;
  /** The time after which nothing is trusted on its word: grace time and the signer's certificate are counted. */
  readonly usableUntil: Date;
}

const DAY_MILLISECONDS = 86_400_000;

function requireNewest({ sequence, issuedAt }: ListVersion, previous: ListVersion | undefined): void {
  if (!previous) return;
  if (sequence < previous.sequence || issuedAt < previous.issuedAt)
    throw trustedListFailure('trusted_list_rolled_back');
}

function requireCurrent(list: TrustedList, usableUntil: Date, rules: TrustedListRules): void {
  const { now, skewSeconds, mayHaveEnded = false } = rules;
  const { issuedAt, nextUpdateAt } = list;
  if (issuedAt.getTime() > now.getTime() + skewSeconds * 1000) throw trustedListFailure('trusted_list_not_yet_issued');
  if (!nextUpdateAt) return;
  const hasEnded = usableUntil <= now && !mayHaveEnded;
  if (nextUpdateAt <= issuedAt || hasEnded) throw trustedListFailure('trusted_list_out_of_date');
}

/**
 * A closed list is never out of date: it says once and for all that nobody is trusted. A next update that is further away
 * than the type of the list allows counts as the latest one that it does.
 */
function endOf(
  { nextUpdateAt, issuedAt }: TrustedList,
  signer: Certificate,
  { graceSeconds, skewSeconds, profile }: TrustedListRules,
): Date {
  if (!nextUpdateAt) return new Date(8.64e15);
  const certified = signer.notAfter.getTime() + skewSeconds * 1000;
  const latest = issuedAt.getTime() + (profile.maxUpdateDays ?? Infinity) * DAY_MILLISECONDS;
  const due = Math.min(nextUpdateAt.getTime(), latest) + graceSeconds * 1000;
  return new Date(Math.min(certified, due));
}

/**
 * Verifies a list of trusted entities (ETSI TS 119 602): its signature under a configured certificate of the scheme
 * operator (JAdES, level B-B), its type and scheme, its dates, and that it is not older than the version in use.
 * Nothing of the payload is read before its signature holds. Yields after each certificate, so that the caller can let
 * other work pass. Throws a failure of the table.
 */
export function* verifyTrustedList(bytes: Uint8Array, rules: TrustedListRules): Steps<VerifiedList> {
  const { profile, schemeName, now, skewSeconds } = rules;
  const signed = parseSignedList(bytes);
  const signer = listSignerOf(signed.header, rules);
  requireListHeader(signed.header, signer, new Date(now.getTime() + skewSeconds * 1000));
  verifyListSignature(signed, signer.publicKey);
  const list = yield* readTrustedList(parseListPayload(signed.payload));
  if (list.type !== profile.type) throw trustedListFailure('trusted_list_type_mismatch');
  if (schemeName !== undefined && !list.schemeNames.includes(schemeName))
    throw trustedListFailure('trusted_list_scheme_mismatch');
  const usableUntil = endOf(list, signer, rules);
  requireCurrent(list, usableUntil, rules);
  requireNewest(list, rules.previous);
  return { ...list, profile, usableUntil };
}
