import { ApiError, type ErrorCode } from '@vestibule/foundation';
import { PromptPipe } from './prompt-pipes';

const ID = /^[A-Za-z0-9_-]{1,128}$/;
const CONTROL = /[\u0000-\u001F\u007F]/;

/** Could this be one of our ids? If not, no service need be asked. */
export function isId(segment: string): boolean {
  return ID.test(segment);
}

/** Is this a name of a valid length without control characters, which neither names nor the database may contain? */
export function isName(text: string, maxLength: number): boolean {
  return text.length > 0 && text.length <= maxLength && !CONTROL.test(text);
}

/** There can be nothing with this name; `code` says of what kind. */
export function nothingAt(code: ErrorCode): ApiError {
  return new ApiError({ kind: 'not_found', code, detail: 'there is nothing at this URL' });
}

/** Accepts a path segment that may be a name; throws `code` for any other string. */
class SegmentPipe extends PromptPipe<string, string> {
  constructor(
    private readonly mayExist: (segment: string) => boolean,
    private readonly code: ErrorCode,
  ) {
    super();
  }

  transform(segment: string): string {
    if (this.mayExist(segment)) return segment;
    throw nothingAt(this.code);
  }
}

/** A path segment that is one of our ids; throws `code` for any other string. */
export const anId = (code: ErrorCode) => new SegmentPipe(isId, code);

/** A path segment that is a name of at most 256 characters; throws `code` for any other string. */
export const aName = (code: ErrorCode) => new SegmentPipe((segment) => isName(segment, 256), code);

/** A path segment that is a DID of at most 512 characters; throws `code` for any other string. */
export const aDid = (code: ErrorCode) => new SegmentPipe((segment) => isName(segment, 512), code);
