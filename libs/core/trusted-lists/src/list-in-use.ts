import { crowdedNames, type Certificate } from '@vestibule/x509-trust';
import { listedAnchors } from './listed-anchors';
import type { ListProfile } from './list-profile';
import { MAX_LIST_BYTES } from './parse-signed-list';
import { verifyTrustedList, type TrustedListRules, type VerifiedList } from './verify-trusted-list';

/** A list that is configured: where it is, and who signs it. */
export interface ConfiguredList {
  readonly url: string;
  readonly profile: ListProfile;
  readonly signers: readonly Certificate[];
  readonly operator?: string | undefined;
  readonly schemeName?: string | undefined;
}

/** How a list is asked for. */
export const LIST_REQUEST = {
  purpose: 'trust-lists',
  accept: 'application/jose, application/jwt, application/jose+json, application/json;q=0.9, */*;q=0.1',
  maxBytes: MAX_LIST_BYTES,
  timeoutMilliseconds: 20_000,
  maxRedirects: 3,
} as const;

/** As `verifyTrustedList`, with a pause after each step. */
async function verifyInTurns(
  bytes: Uint8Array,
  rules: TrustedListRules,
  pause: () => Promise<unknown>,
): Promise<VerifiedList> {
  const steps = verifyTrustedList(bytes, rules);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

/**
 * How the versions of a list are read, and the copy of the last good one: that trusts nobody if it has ended, but no older
 * version is taken after it. Both throw as `verifyTrustedList`.
 */
export function listReaders(
  rules: () => Omit<TrustedListRules, 'previous' | 'mayHaveEnded'>,
  pause: () => Promise<unknown>,
) {
  return {
    read: (bytes: Uint8Array, previous: VerifiedList | undefined) =>
      verifyInTurns(bytes, { ...rules(), previous }, pause),
    readKept: (bytes: Uint8Array) => verifyInTurns(bytes, { ...rules(), mayHaveEnded: true }, pause),
  };
}

/** What the operator is told about a list: which version it is, for how long, and what of it is of use. */
export function describeList(list: VerifiedList, id: string, now: Date) {
  const { anchors, untrusted } = listedAnchors(list, { id }, now);
  return {
    list: id,
    sequence: list.sequence,
    issuedAt: list.issuedAt.toISOString(),
    nextUpdateAt: list.nextUpdateAt?.toISOString() ?? 'closed',
    anchors: anchors.length,
    untrustedServices: untrusted,
    ignored: list.ignored,
    crowdedNames: crowdedNames(anchors),
  };
}

/** What is measured about each list that is configured: a version that is in use, or none yet. */
export const LIST_GAUGES: readonly {
  readonly name: string;
  readonly help: string;
  readonly read: (list: VerifiedList | undefined, id: string, now: Date) => number;
}[] = [
  {
    name: 'trusted_list_usable_until_timestamp_seconds',
    help: 'Until when a list of trusted entities is used, its grace time included, in seconds since 1970; 0 if no version is known',
    read: (list) => (list?.usableUntil.getTime() ?? 0) / 1000,
  },
  {
    name: 'trusted_list_anchors',
    help: 'Trust anchors from a list of trusted entities',
    read: (list, id, now) => (list ? listedAnchors(list, { id }, now).anchors.length : 0),
  },
  {
    name: 'trusted_list_crowded_names',
    help: 'Names of authorities that a list of trusted entities has more keys for than are tried for one certificate',
    read: (list, id, now) => (list ? crowdedNames(listedAnchors(list, { id }, now).anchors) : 0),
  },
];

/** The end of the list that ends first; undefined where there is none, or where one is not known. */
export function firstEndOf(lists: readonly (VerifiedList | undefined)[]): Date | undefined {
  const ends = lists.map((list) => list?.usableUntil.getTime() ?? 0);
  return ends.length === 0 || ends.includes(0) ? undefined : new Date(Math.min(...ends));
}
