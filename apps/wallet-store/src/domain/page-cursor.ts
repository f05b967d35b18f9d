import { ApiError, decodeBase64url, encodeBase64url, isJsonObject, parseJsonBytes } from '@vestibule/foundation';
import type { Position } from './content';
import { isCursorInstant } from './cursor-instant';
import { isStorable } from './records';

/** An `invalid_request` for one parameter of a query string. */
export function invalidQuery(path: string, message: string): ApiError {
  const detail = 'the query string is not valid';
  return new ApiError({ kind: 'invalid', code: 'invalid_request', detail, faults: [{ path, message }] });
}

/** The cursor of the page after a record. */
export function encodeCursor({ createdAt, did }: { readonly createdAt: Date; readonly did: string }): string {
  return encodeBase64url(Buffer.from(JSON.stringify({ createdAt: createdAt.toISOString(), did }), 'utf8'));
}

/** Where the page after a cursor begins; throws `invalid_request` for what {@link encodeCursor} cannot have made. */
export function parseCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const bytes = decodeBase64url(cursor);
  const value = bytes && parseJsonBytes(bytes);
  const { createdAt, did } = isJsonObject(value) ? value : {};
  if (isCursorInstant(createdAt) && typeof did === 'string' && isStorable(did)) return { createdAt, did };
  throw invalidQuery('cursor', 'must come from the Link header of an earlier page');
}
