import { inflateList } from './compress-list';
import { parseStatusListToken, type StatusListToken } from './parse-status-list-token';
import { countStatuses, type PackedStatuses } from './status-list';

/** A list as its publisher has it: nobody has verified who signed it. */
export interface PublishedStatuses extends PackedStatuses, Pick<StatusListToken, 'uri' | 'expiresAt' | 'ttlSeconds'> {}

/**
 * The list of a token, for its publisher: neither signature nor times are verified. Throws what `parseStatusListToken` throws,
 * `status_list_compression_invalid` and `status_list_too_large`.
 */
export function readPublishedStatuses(text: string, maxListBytes: number): PublishedStatuses {
  const { uri, expiresAt, ttlSeconds, bits, compressed } = parseStatusListToken(text);
  return { uri, expiresAt, ttlSeconds, bits, bytes: inflateList(compressed, maxListBytes) };
}

/** The indexes of all entries with this status, which is not 0x00, in ascending order. */
export function indexesWith(list: PackedStatuses, status: number): number[] {
  const perByte = 8 / list.bits;
  const mask = (1 << list.bits) - 1;
  const found: number[] = [];
  // Most bytes are zero, and every one has a whole number of entries.
  for (let at = 0; at < countStatuses(list) / perByte; at += 1) {
    const byte = list.bytes[at] ?? 0;
    if (byte === 0) continue;
    for (let entry = 0; entry < perByte; entry += 1)
      if (((byte >> (entry * list.bits)) & mask) === status) found.push(at * perByte + entry);
  }
  return found;
}
