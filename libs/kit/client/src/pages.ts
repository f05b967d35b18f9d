import { VestibuleError } from './errors';
import type { Answer } from './response';

/** The server named a page twice, so that a list would never end. */
export class RepeatedCursorError extends VestibuleError {
  override readonly name = 'RepeatedCursorError';
  readonly code = 'cursor_repeated';
}

/** Parameters of a link relation (RFC 8288 §3): `<target>; rel="next"`. */
const NEXT = /<([^<>]*)>[^,<]*;\s*rel\s*=\s*"?next"?(?=\s*(?:[,;]|$))/i;

/**
 * The cursor of the next page: from `Link`, else from the body. Only the cursor is taken from a link, never its host,
 * so that no key is sent elsewhere.
 */
function nextCursor({ link, body }: Answer): string | undefined {
  const [, target] = NEXT.exec(link ?? '') ?? [];
  const fromLink = target === undefined ? undefined : new URLSearchParams(target.split('?')[1] ?? '').get('cursor');
  const { next_cursor: fromBody } = (body ?? {}) as { readonly next_cursor?: unknown };
  const cursor = fromLink ?? fromBody;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}

function itemsOf({ body }: Answer): readonly unknown[] {
  const items = Array.isArray(body) ? body : ((body ?? {}) as { readonly items?: unknown }).items;
  return Array.isArray(items) ? items : [];
}

/**
 * Every item of a list, page by page; the next page is requested only when it is needed. `read` requests one page.
 *
 * @throws RepeatedCursorError, and what `read` throws
 */
export async function* followPages<Item>(
  read: (cursor: string | undefined) => Promise<Answer>,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const page = await read(cursor);
    yield* itemsOf(page) as readonly Item[];
    cursor = nextCursor(page);
    if (cursor === undefined) return;
    if (seen.has(cursor)) throw new RepeatedCursorError('the server named the same page twice');
    seen.add(cursor);
  }
}
