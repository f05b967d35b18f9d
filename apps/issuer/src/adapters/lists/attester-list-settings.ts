import path from 'node:path';
import { DomainError, type Fault } from '@vestibule/foundation';
import { listedUri, trustedListEntry } from '@vestibule/process';
import { keyOfList, profileOfDescription } from '@vestibule/trusted-lists';
import { parseCertificateFile } from '@vestibule/x509-trust';
import type { z } from 'zod';
import type { AttesterList } from './attester-lists';

const EU_WALLET_LIST = 'http://uri.etsi.org/19602/LoTEType/EUWalletProvidersList';

/** An entry of `lists`: a list of wallet providers (ETSI TS 119 602), that of the European Commission by default. */
export const attesterList = trustedListEntry(['wallet_attestation', 'key_attestation', 'status'], {
  type: listedUri.default(EU_WALLET_LIST),
});

type ListItem = z.infer<typeof attesterList>;

/** The lists of the file, whose signers are read by `readBytes`; what is wrong is noted. */
export function readLists(
  file: string,
  items: readonly ListItem[],
  readBytes: (file: string) => Buffer,
  faults: Fault[],
): readonly AttesterList[] {
  return items.flatMap((item, index) => {
    const place = `lists[${index}]`;
    const profile = profileOfDescription(item, ['wallet_attestation', 'key_attestation']);
    if (typeof profile === 'string') faults.push({ path: `${place}.type`, message: profile });
    if (items.findIndex(({ id }) => id === item.id) < index)
      faults.push({ path: `${place}.id`, message: 'must be unique' });
    try {
      const names = item.signers.map((name) => path.resolve(path.dirname(file), name));
      const signers = names.flatMap((name) => parseCertificateFile(readBytes(name)));
      if (typeof profile === 'string') return [];
      const { id, url, operator, schemeName } = item;
      return [{ key: keyOfList(item, signers), id, url, profile, signers, operator, schemeName }];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      faults.push({ path: `${place}.signers`, message: `cannot be used: ${error.detail}` });
      return [];
    }
  });
}
