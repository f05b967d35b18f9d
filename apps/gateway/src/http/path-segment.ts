import { ApiError } from '@vestibule/foundation';

const ID = /^[A-Za-z0-9_-]{1,128}$/;
const CONTROL = /[\u0000-\u001F\u007F]/;

/** May this be one of our ids? Nothing else is, so no service need be asked. */
export function isId(segment: string): boolean {
  return ID.test(segment);
}

/** Is this a text of a sensible length without control characters, which no name has and no database takes? */
export function isName(text: string, maxLength: number): boolean {
  return text.length > 0 && text.length <= maxLength && !CONTROL.test(text);
}

function existing(segment: string, exists: boolean, code: string): string {
  if (exists) return segment;
  throw new ApiError({ kind: 'not_found', code, detail: 'there is nothing at this address' });
}

/** A path segment that is one of our ids; throws `code` for any other text. */
export const idFrom = (segment: string, code: string): string => existing(segment, isId(segment), code);

/** A path segment that is a name of at most 256 characters; throws `code` for any other text. */
export const nameFrom = (segment: string, code: string): string => existing(segment, isName(segment, 256), code);

/** A path segment that is a DID of at most 512 characters; throws `code` for any other text. */
export const didFrom = (segment: string, code: string): string => existing(segment, isName(segment, 512), code);
