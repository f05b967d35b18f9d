import { isJsonObject, ownMember, urlFault, type JsonObject } from '@vestibule/foundation';
import { statusFailure } from './failures';

/** Where the status of one credential is found: entry `idx` of the list published at `uri`. */
export interface StatusReference {
  readonly uri: string;
  readonly idx: number;
}

function isAbsoluteUri(value: unknown): value is string {
  return typeof value === 'string' && urlFault(value) === undefined;
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/**
 * Reads the value of `status.status_list` (TSL §6.2): `idx` is a non-negative integer, `uri` an absolute URI (RFC 3986)
 * of at most 2048 characters, returned unchanged. Whether its scheme and host may be fetched is not decided here.
 * Throws `status_reference_malformed`.
 */
export function parseStatusListReference(statusList: unknown): StatusReference {
  if (!isJsonObject(statusList)) throw statusFailure('status_reference_malformed');
  const [uri, idx] = [ownMember(statusList, 'uri'), ownMember(statusList, 'idx')];
  if (!isAbsoluteUri(uri) || !isIndex(idx)) throw statusFailure('status_reference_malformed');
  return { uri, idx };
}

/**
 * The status reference of a credential's processed claims, undefined when it has no `status`. Other members of
 * `status` are ignored, but without a valid `status_list` it throws `status_reference_malformed` (HAIP 1.0 §6.1).
 */
export function parseStatusReference(claims: JsonObject): StatusReference | undefined {
  const status = ownMember(claims, 'status');
  if (status === undefined) return undefined;
  if (!isJsonObject(status)) throw statusFailure('status_reference_malformed');
  return parseStatusListReference(ownMember(status, 'status_list'));
}
