import { statusFailure } from './failures';

/** Bits per entry of a status list (TSL §4.2). */
const STATUS_BITS = [1, 2, 4, 8] as const;
export type StatusBits = (typeof STATUS_BITS)[number];

/** The registered status values (TSL §7.1). */
export const STATUS_VALID = 0x00;
export const STATUS_INVALID = 0x01;
export const STATUS_SUSPENDED = 0x02;

/** The packed entries of a status list: entry i is in byte ⌊i·bits/8⌋, least significant bits first (TSL §4.1). */
export interface PackedStatuses {
  readonly bits: StatusBits;
  readonly bytes: Uint8Array;
}

/** True for a number of bits that an entry may have. */
export function isStatusBits(value: unknown): value is StatusBits {
  return STATUS_BITS.includes(value as StatusBits);
}

/** How many entries a list has room for. */
export function countStatuses(list: PackedStatuses): number {
  return (list.bytes.byteLength * 8) / list.bits;
}

/** The status value of entry `idx` (TSL §4.1); throws `status_index_out_of_range` when the list has no such entry. */
export function readStatus(list: PackedStatuses, idx: number): number {
  const exists = Number.isSafeInteger(idx) && idx >= 0 && idx < countStatuses(list);
  const byte = exists ? list.bytes[Math.floor((idx * list.bits) / 8)] : undefined;
  if (byte === undefined) throw statusFailure('status_index_out_of_range');
  return (byte >> ((idx * list.bits) % 8)) & ((1 << list.bits) - 1);
}

/**
 * Passes only for status 0x00 (TSL §7.1). Throws `credential_revoked` for 0x01, `credential_suspended` for 0x02,
 * `credential_status_unknown` for every other value and `status_index_out_of_range`.
 */
export function verifyStatus(list: PackedStatuses, idx: number): void {
  switch (readStatus(list, idx)) {
    case STATUS_VALID:
      return;
    case STATUS_INVALID:
      throw statusFailure('credential_revoked');
    case STATUS_SUSPENDED:
      throw statusFailure('credential_suspended');
    default:
      throw statusFailure('credential_status_unknown');
  }
}
