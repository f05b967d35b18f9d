import { isJsonObject, ownMember, urlFault, type JsonObject, type JsonValue } from '@vestibule/foundation';
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

/** What W3C credentials have for a status: an object with a type, or several (VCDM 2.0 §4.10). */
function isStatusOfW3c(value: JsonValue | undefined): boolean {
  const entries = Array.isArray(value) ? value : [value];
  return entries.some((entry) => isJsonObject(entry) && Object.hasOwn(entry, 'type'));
}

/**
 * The status reference of a credential's processed claims, undefined when it has no status. Other members of
 * `status` are ignored, but without a valid `status_list` it throws `status_reference_malformed` (HAIP 1.0 §6.1). An issuer
 * that revokes in the way of W3C credentials alone, which is not looked up here, says that the credential can be revoked:
 * `status_mechanism_not_supported`.
 */
export function parseStatusReference(claims: JsonObject): StatusReference | undefined {
  const status = ownMember(claims, 'status');
  if (status === undefined) {
    if (isStatusOfW3c(ownMember(claims, 'credentialStatus'))) throw statusFailure('status_mechanism_not_supported');
    return undefined;
  }
  if (!isJsonObject(status)) throw statusFailure('status_reference_malformed');
  return parseStatusListReference(ownMember(status, 'status_list'));
}
