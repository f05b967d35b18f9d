import path from 'node:path';
import { DomainError, type Fault } from '@vestibule/foundation';
import { readConfigurationFile, trustedListEntry, listedUri } from '@vestibule/process';
import {
  exchangeableLists,
  keyOfList,
  profileOfDescription,
  type ConfiguredList,
  type ListDescription,
  type ListProfile,
  type ListUse,
} from '@vestibule/trusted-lists';
import { parseCertificateFile, type Certificate } from '@vestibule/x509-trust';
import type { z } from 'zod';
import type { FileReader } from '@vestibule/keys';

/** An entry of `lists` in the trust file; `rest` are the members that anchors have as well. */
export const listItem = <Rest extends z.core.$ZodLooseShape>(rest: Rest) =>
  trustedListEntry(['credential', 'status'], { type: listedUri, ...rest });

interface ListItem extends ListDescription {
  readonly id: string;
  readonly url: string;
  readonly signers: readonly string[];
  readonly operator?: string | undefined;
  readonly schemeName?: string | undefined;
}

type UsedList = ListItem & Omit<ListUse, 'id'>;

/** A list that is followed, and what it is used for. */
export interface ListSetting extends ConfiguredList {
  /** `keyOfList` */
  readonly key: string;
  readonly use: ListUse;
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

interface ListsFile {
  readonly trustFile: string;
  readonly files: FileReader;
}

/** The list that an entry describes, or everything that is wrong with it. */
function readListSetting(
  item: ListItem,
  use: Omit<ListUse, 'id'>,
  { trustFile, files }: ListsFile,
): { readonly setting?: ListSetting; readonly faults: readonly Fault[] } {
  const { id, url, operator, schemeName } = item;
  const profile = profileOfDescription(item, ['credential', 'access']);
  if (typeof profile === 'string') return { faults: [{ path: 'type', message: profile }] };
  const wrong = vctsFault(profile, use.vcts);
  if (wrong) return { faults: [wrong] };
  try {
    const signers = readSigners(item.signers, trustFile, files);
    const key = keyOfList(item, signers);
    return { setting: { key, url, profile, signers, operator, schemeName, use: { ...use, id } }, faults: [] };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { faults: [{ path: 'signers', message: `cannot be used: ${error.detail}` }] };
  }
}

/** The lists that the entries describe; `faults` receives everything that is wrong with them. */
export function readListSettings(items: readonly UsedList[], from: ListsFile, faults: Fault[]): readonly ListSetting[] {
  return items.flatMap((item, index) => {
    const { vcts, issuerBinding } = item;
    const read = readListSetting(item, { vcts, issuerBinding }, from);
    const isRepeated = items.findIndex(({ id }) => id === item.id) < index;
    const wrong = [...read.faults, ...(isRepeated ? [{ path: 'id', message: 'must be unique' }] : [])];
    faults.push(...wrong.map(({ path: place, message }) => ({ path: `lists[${index}].${place}`, message })));
    return read.setting ?? [];
  });
}

/** The ids of the lists that can be exchanged for a list for other types of credentials. */
export const exchangeableSettings = (settings: readonly ListSetting[]): readonly string[] =>
  exchangeableLists(
    settings.map(({ use, ...list }) => ({
      ...list,
      id: use.id,
      trustedFor: JSON.stringify([...(use.vcts ?? [])].sort()),
    })),
  );
