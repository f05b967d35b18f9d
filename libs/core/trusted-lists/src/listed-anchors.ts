import { sha256Base64url } from '@vestibule/crypto';
import {
  listedCertificate,
  type Certificate,
  type IssuerBinding,
  type Purpose,
  type TrustAnchor,
} from '@vestibule/x509-trust';
import type { ListProfile } from './list-profile';
import type { ServicePeriod } from './list-service';
import type { VerifiedList } from './verify-trusted-list';

/** How the operator uses a list. */
export interface ListUse {
  /** The operator's name of the list: it sets entities of different lists apart. */
  readonly id: string;
  readonly vcts?: readonly string[] | undefined;
  readonly issuerBinding?: IssuerBinding | undefined;
}

/** Who is trusted on the word of a list at a time, and until when that answer holds. */
export interface ListedAnchors {
  readonly anchors: readonly TrustAnchor[];
  readonly until: Date;
  /** Services of a type or status that means no trust here. */
  readonly untrusted: number;
}

/** Each certificate of an entity with everything that it is trusted for. */
type Purposes = Map<Certificate, Set<Purpose>>;

function purposesOf({ type, status }: ServicePeriod, profile: ListProfile): readonly Purpose[] {
  const isTrusted = status === undefined ? !profile.hasStatuses : profile.trustedStatuses.includes(status);
  return isTrusted && type !== undefined ? (profile.services.get(type) ?? []) : [];
}

/**
 * Identifies an entity by its certificates: its place on the list, and that of others, may be another in the next version,
 * which may be in use when the status list of a credential is judged.
 */
function entityOf(id: string, certificates: Purposes): string {
  const fingerprints = [...certificates.keys()].map(({ fingerprint }) => fingerprint);
  return `${id}/${sha256Base64url(fingerprints.sort().join())}`;
}

const hasBegun = ({ startsAt }: ServicePeriod, now: Date): boolean => startsAt === undefined || startsAt <= now;

/** Access certificates are issued by authorities alone (TS 119 602 annex F): a signer that is listed itself has no part in them. */
const usesOf = ({ isCa }: Certificate, purposes: ReadonlySet<Purpose>): readonly Purpose[] =>
  [...purposes].filter((purpose) => isCa || purpose !== 'access');

/** Adds what a service is trusted for now; true if that is something. */
function addService(
  periods: readonly ServicePeriod[],
  profile: ListProfile,
  now: Date,
  certificates: Purposes,
): boolean {
  const period = periods.find((one) => hasBegun(one, now));
  const purposes = period ? purposesOf(period, profile) : [];
  for (const certificate of purposes.length > 0 ? (period?.certificates ?? []) : []) {
    const known = certificates.get(certificate) ?? new Set();
    purposes.forEach((purpose) => known.add(purpose));
    certificates.set(certificate, known);
  }
  return purposes.length > 0;
}

/** The next time at which a service becomes something else. */
function nextChange(list: VerifiedList, now: Date): number {
  const starts = list.entities.flatMap(({ services }) =>
    services.flatMap((periods) => periods.flatMap(({ startsAt }) => (startsAt && startsAt > now ? [startsAt] : []))),
  );
  return starts.reduce((first, start) => Math.min(first, start.getTime()), list.usableUntil.getTime());
}

/**
 * The trust anchors of a list at `now`: the certificates of services whose type and status mean trust, each for the
 * purposes of its services; one that is no authority's stands for itself alone. An entity vouches for itself alone: its
 * anchors carry its name, so that none of them signs the status lists of another. None after `usableUntil`, and none of
 * a closed list.
 */
export function listedAnchors(list: VerifiedList, { id, vcts, issuerBinding }: ListUse, now: Date): ListedAnchors {
  const isUsable = list.nextUpdateAt !== undefined && now < list.usableUntil;
  let untrusted = 0;
  const anchors = (isUsable ? list.entities : []).flatMap(({ services }) => {
    const certificates: Purposes = new Map();
    for (const periods of services) if (!addService(periods, list.profile, now, certificates)) untrusted += 1;
    const entity = entityOf(id, certificates);
    return [...certificates].map(([certificate, purposes]): TrustAnchor => ({
      ...listedCertificate(certificate),
      purposes: usesOf(certificate, purposes),
      list: id,
      entity,
      ...(vcts ? { vcts } : {}),
      ...(issuerBinding ? { issuerBinding } : {}),
    }));
  });
  return { anchors, until: isUsable ? new Date(nextChange(list, now)) : new Date(8.64e15), untrusted };
}
