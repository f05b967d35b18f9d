import path from 'node:path';
import { DomainError, urlFault, type Fault } from '@vestibule/foundation';
import { EU_LIST_PROFILES, type ListProfile } from '@vestibule/trusted-lists';
import { parseCertificateFile } from '@vestibule/x509-trust';
import { z } from 'zod';
import type { AttesterList } from './attester-lists';

const EU_WALLET_LIST = EU_LIST_PROFILES.find(({ type }) => type.endsWith('/EUWalletProvidersList')) as ListProfile;

const uri = z.string().min(1).max(2_048);
/** An entry of `lists`: a list of wallet providers (ETSI TS 119 602). */
export const attesterList = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens, at most 63'),
  url: z.string().superRefine((text, context) => {
    const message = urlFault(text, { schemes: ['https', 'http'], fragment: 'refused' });
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
  /** PEM files with the certificates of the scheme operator, or of the authority that issues them. */
  signers: z.array(z.string().min(1)).min(1).max(10),
  /** `LoTEType`; the list of the European Commission by default. */
  type: uri.default(EU_WALLET_LIST.type),
  /** For another type: what its services are trusted for. */
  services: z.record(uri, z.array(z.enum(['wallet_attestation', 'key_attestation', 'status'])).min(1)).optional(),
  /** For such a type: the statuses that mean trust; absent where its services have none. */
  statuses: z.array(uri).min(1).optional(),
});
export const LIST_MEMBERS = ['lists', 'id', 'url', 'signers', 'type', 'services', 'statuses'];

type ListItem = z.infer<typeof attesterList>;

/** The profile of an entry, or what is wrong with it. */
function profileOf({ type, services, statuses = [] }: ListItem): ListProfile | string {
  if (type === EU_WALLET_LIST.type)
    return (services ?? statuses.length > 0) ? 'is known: services and statuses must be absent' : EU_WALLET_LIST;
  if (EU_LIST_PROFILES.some((profile) => profile.type === type)) return 'has no effect in this file';
  if (!services) return 'is not known: say in services what its services are trusted for';
  return {
    type,
    services: new Map(Object.entries(services)),
    trustedStatuses: statuses,
    hasStatuses: statuses.length > 0,
  };
}

/** The lists of the file, whose signers are read by `readBytes`; what is wrong is noted. */
export function readLists(
  file: string,
  items: readonly ListItem[],
  readBytes: (file: string) => Buffer,
  faults: Fault[],
): readonly AttesterList[] {
  return items.flatMap((item, index) => {
    const place = `lists[${index}]`;
    const profile = profileOf(item);
    if (typeof profile === 'string') faults.push({ path: `${place}.type`, message: profile });
    if (items.findIndex(({ id }) => id === item.id) < index)
      faults.push({ path: `${place}.id`, message: 'must be unique' });
    try {
      const names = item.signers.map((name) => path.resolve(path.dirname(file), name));
      const signers = names.flatMap((name) => parseCertificateFile(readBytes(name)));
      return typeof profile === 'string' ? [] : [{ id: item.id, url: item.url, profile, signers }];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      faults.push({ path: `${place}.signers`, message: `cannot be used: ${error.detail}` });
      return [];
    }
  });
}
