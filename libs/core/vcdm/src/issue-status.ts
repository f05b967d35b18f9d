import { gzipSync } from 'node:zlib';
import { encodeBase64url, type JsonObject } from '@vestibule/foundation';
import type { StatusPurpose } from './bitstring-status';
import { buildCredential } from './documents';

/** A status list of our own: its bits, and who signs them. */
export interface IssuedStatusList {
  /** Where the list is served; also the `id` of its credential. */
  readonly url: string;
  readonly issuerDid: string;
  readonly purpose: StatusPurpose;
  /** One bit per entry, the left-most first. */
  readonly bits: Uint8Array;
  /** For how long verifiers may use it without asking again. */
  readonly ttlMilliseconds: number;
  readonly validFrom: Date;
  readonly validUntil: Date;
}

/** A list of this many entries in which these are set; bit 0 is the left-most one (Bitstring Status List 1.0 §2.2). */
export function statusBits(size: number, set: readonly number[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(size / 8));
  for (const index of set) bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
  return bits;
}

/** The entry of a credential in a list (Bitstring Status List 1.0 §2.1). */
export function buildStatusEntry(url: string, purpose: StatusPurpose, index: number): JsonObject {
  return {
    id: `${url}#${index}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: purpose,
    statusListIndex: String(index),
    statusListCredential: url,
  };
}

/** A status list as a credential without a proof (Bitstring Status List 1.0 §2.2, §3.3). */
export function buildStatusListCredential(list: IssuedStatusList): JsonObject {
  const { url, issuerDid, purpose, bits, ttlMilliseconds, validFrom, validUntil } = list;
  return buildCredential({
    id: url,
    types: ['BitstringStatusListCredential'],
    contexts: [],
    issuerDid,
    validFrom,
    validUntil,
    credentialSchema: [],
    credentialSubject: {
      id: `${url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: purpose,
      encodedList: `u${encodeBase64url(gzipSync(bits))}`,
      ttl: ttlMilliseconds,
    },
  });
}
