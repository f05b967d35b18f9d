import type { Certificate } from '@vestibule/x509-trust';
import type { ConfiguredList } from './list-in-use';
import type { ListDescription } from './list-profile';

type Described = ListDescription & Pick<ConfiguredList, 'url' | 'operator' | 'schemeName'>;

/** The same for the same address, signers, type and scheme: it is one list, however often it is used. */
export function keyOfList(item: Described, signers: readonly Certificate[]): string {
  const { url, type, services, statuses, operator, schemeName } = item;
  const who = [operator, signers.map(({ fingerprint }) => fingerprint)];
  return JSON.stringify([url, type, services, statuses, ...who, ...(schemeName === undefined ? [] : [schemeName])]);
}

/** A list among others. */
export interface ListAmongOthers extends ConfiguredList {
  readonly id: string;
  /** {@link keyOfList} */
  readonly key: string;
  /** What those on it are trusted for: the same text for the same. */
  readonly trustedFor: string;
}

/** An authority issues certificates to several operators. */
const haveCommonSigner = (one: ConfiguredList, other: ConfiguredList) =>
  one.signers.some(
    ({ fingerprint, isCa }) =>
      other.signers.some((signer) => signer.fingerprint === fingerprint) && (!isCa || one.operator === other.operator),
  );

/** One list cannot pass for the other: it is the same, another signs it, or it is of another type or another scheme. */
const areApart = (one: ListAmongOthers, other: ListAmongOthers) =>
  one.key === other.key ||
  !haveCommonSigner(one, other) ||
  one.profile.type !== other.profile.type ||
  (one.schemeName !== undefined && other.schemeName !== undefined && one.schemeName !== other.schemeName);

/**
 * The ids of lists that a host could exchange for a list whose entities are trusted for something else: both are signed by
 * the same operator, and nothing in them says which is which.
 */
export function exchangeableLists(lists: readonly ListAmongOthers[]): readonly string[] {
  return lists
    .filter((one) => lists.some((other) => one.trustedFor !== other.trustedFor && !areApart(one, other)))
    .map(({ id }) => id);
}
