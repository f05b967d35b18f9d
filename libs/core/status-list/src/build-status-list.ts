import { encodeBase64url } from '@vestibule/foundation';
import { deflateList } from './compress-list';
import { countStatuses, STATUS_VALID, type PackedStatuses, type StatusBits } from './status-list';

/** The best compression, as TSL §4.1 recommends. On long lists level 6 is up to 15 times faster for a tenth more bytes. */
export const BEST_COMPRESSION = 9;

/** One entry that differs from valid. */
export interface StatusEntry {
  readonly idx: number;
  readonly status: number;
}

function writeStatus(list: PackedStatuses, { idx, status }: StatusEntry): void {
  if (!Number.isSafeInteger(idx) || idx < 0 || idx >= countStatuses(list)) throw new RangeError('no such status index');
  const mask = (1 << list.bits) - 1;
  if (!Number.isInteger(status) || status < STATUS_VALID || status > mask) {
    throw new RangeError('the status does not fit into the bits of an entry');
  }
  const index = Math.floor((idx * list.bits) / 8);
  const shift = (idx * list.bits) % 8;
  list.bytes[index] = ((list.bytes[index] ?? 0) & ~(mask << shift)) | (status << shift);
}

/**
 * Packs the entries that are not valid into a list of `size` entries; all others are 0x00 (TSL §4.1, §7.1).
 * Make `size` larger than the number of credentials: its length tells how many there are (TSL §13.3, §13.4).
 * Throws a RangeError for a size that does not fill whole bytes, an index outside and a status that needs more bits:
 * a list of one bit cannot say suspended.
 */
export function packStatuses(size: number, bits: StatusBits, entries: Iterable<StatusEntry>): PackedStatuses {
  const byteLength = (size * bits) / 8;
  if (!Number.isSafeInteger(byteLength) || byteLength < 1) throw new RangeError('a status list fills whole bytes');
  const list: PackedStatuses = { bits, bytes: new Uint8Array(byteLength) };
  for (const entry of entries) writeStatus(list, entry);
  return list;
}

/** The `status_list` claim of packed entries (TSL §4.2): base64url of ZLIB. */
export function encodeStatusList(
  list: PackedStatuses,
  compressionLevel: number = BEST_COMPRESSION,
): { readonly bits: StatusBits; readonly lst: string } {
  return { bits: list.bits, lst: encodeBase64url(deflateList(list.bytes, compressionLevel)) };
}
