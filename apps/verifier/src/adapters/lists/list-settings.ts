import path from 'node:path';
import { DomainError, urlFault, type Fault } from '@vestibule/foundation';
import { readConfigurationFile } from '@vestibule/process';
import { EU_LIST_PROFILES, type ListProfile, type ListUse } from '@vestibule/trusted-lists';
import { parseCertificateFile, type Certificate } from '@vestibule/x509-trust';
import { z } from 'zod';
import type { FileReader } from '../keys/tracked-files';

/** What lists are for in the trust file of a verifier. */
const LISTED_PURPOSES = ['credential', 'status'] as const;

/** Where a document may be fetched from. */
export const address = z.string().superRefine((text, context) => {
  const message = urlFault(text, { schemes: ['https', 'http'], fragment: 'refused' });
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});
const uri = z.string().min(1).max(2_048);

/** An entry of `lists` in the trust file; `rest` are the members that anchors have as well. */
export const listItem = <Rest extends z.core.$ZodLooseShape>(rest: Rest) =>
  z.strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens, at most 63'),
    url: address,
    /** Files with the certificates of the scheme operator, or of the authority that issues them. */
    signers: z.array(z.string().min(1)).min(1).max(10),
    /** `LoTEType`. */
    type: uri,
    /** For a type of list that this program does not know: what its services are trusted for. */
    services: z.record(uri, z.array(z.enum(LISTED_PURPOSES)).min(1)).optional(),
    /** For such a type: the statuses that mean trust; absent where its services have none. */
    statuses: z.array(uri).min(1).optional(),
    ...rest,
  });

export interface ListItem {
  readonly id: string;
  readonly url: string;
  readonly signers: readonly string[];
  readonly type: string;
  readonly services?: Readonly<Record<string, readonly (typeof LISTED_PURPOSES)[number][]>> | undefined;
  readonly statuses?: readonly string[] | undefined;
}

export const LIST_MEMBERS = ['lists', 'id', 'url', 'signers', 'type', 'services', 'statuses'];

/** A list that is followed: where it is, who signs it, and what it is used for. */
export interface ListSetting {
  /** The same for the same address, signers and type. */
  readonly key: string;
  readonly url: string;
  readonly profile: ListProfile;
  readonly signers: readonly Certificate[];
  readonly use: ListUse;
}

/** The profile of an entry, or what is wrong with it. */
function profileOf({ type, services, statuses }: ListItem): ListProfile | Omit<Fault, 'path'> {
  const known = EU_LIST_PROFILES.find((profile) => profile.type === type);
  if (!known && !services) return { message: 'is not known: say in services what its services are trusted for' };
  if (!known) {
    const trustedStatuses = statuses ?? [];
    const named = new Map(Object.entries(services ?? {}));
    return { type, services: named, trustedStatuses, hasStatuses: trustedStatuses.length > 0 };
  }
  if (services ?? statuses) return { message: 'is known: services and statuses must be absent' };
  const purposes = [...known.services.values()].flat();
  const isUsed = purposes.some((purpose) => purpose === 'credential' || purpose === 'access');
  return isUsed ? known : { message: 'has no effect in this file' };
}

function readSigners(names: readonly string[], trustFile: string, files: FileReader): readonly Certificate[] {
  return names.flatMap((name) => {
    const fail = (message: string) =>
      new DomainError({ kind: 'internal', code: 'trust_file_invalid', detail: `${name} ${message}` });
    const place = path.resolve(path.dirname(trustFile), name);
    return parseCertificateFile(readConfigurationFile(place, fail, (one) => files.read(one)));
  });
}

/** Types of credentials belong to lists of those who issue them; a list does not say them itself. */
function vctsFault(profile: ListProfile, vcts: readonly string[] | undefined): Fault | undefined {
  const issues = [...profile.services.values()].some((purposes) => purposes.includes('credential'));
  if (issues === (vcts !== undefined)) return undefined;
  return { path: 'vcts', message: issues ? 'is required' : 'must be absent: nobody on this list issues credentials' };
}

/** The list that an entry describes, or everything that is wrong with it. */
export function readListSetting(
  item: ListItem,
  use: Omit<ListUse, 'id'>,
  { trustFile, files }: { readonly trustFile: string; readonly files: FileReader },
): { readonly setting?: ListSetting; readonly faults: readonly Fault[] } {
  const { id, url, type } = item;
  const profile = profileOf(item);
  if ('message' in profile) return { faults: [{ path: 'type', message: profile.message }] };
  const wrong = vctsFault(profile, use.vcts);
  if (wrong) return { faults: [wrong] };
  try {
    const signers = readSigners(item.signers, trustFile, files);
    const key = JSON.stringify([
      url,
      type,
      item.services,
      item.statuses,
      signers.map(({ fingerprint }) => fingerprint),
    ]);
    return { setting: { key, url, profile, signers, use: { ...use, id } }, faults: [] };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { faults: [{ path: 'signers', message: `cannot be used: ${error.detail}` }] };
  }
}
