import { z } from 'zod';

/** A positive integer in a query string. */
export const wholeNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a positive integer')
  .transform(Number);

/** A list in pages. Its cursors are of no use in another one, where they would skip items silently. */
export type ListName = 'requests' | 'offers' | 'callbacks' | 'entities' | 'wallets' | 'credentials' | 'presentations';

const MAX_CURSOR_LENGTH = 1024;

/** What callers see of the cursor that a service gave: it names its list. */
export const cursorFor = (list: ListName, cursor: string): string => `${list}.${cursor}`;

function cursorOf(list: ListName) {
  const start = cursorFor(list, '');
  return z
    .string()
    .max(start.length + MAX_CURSOR_LENGTH)
    .startsWith(start, 'must come from the Link header of an earlier page of this list')
    .transform((text) => text.slice(start.length))
    .optional()
    .meta({ type: 'string', description: 'Start of the page, from the Link header of the previous page' });
}

/** The parameters of a list. */
export const pageQuery = (list: ListName) => ({
  limit: wholeNumber
    .pipe(z.int().max(1000, 'must be at most 1000'))
    .default(100)
    .meta({ type: 'integer', minimum: 1, maximum: 1000, description: 'Maximum number of items per page; default 100' }),
  cursor: cursorOf(list),
});
