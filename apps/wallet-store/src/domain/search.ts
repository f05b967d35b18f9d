import { judge, type SEARCH_OPERATORS, type SearchRequest, type SearchSchema } from '@vestibule/contracts';
import {
  ApiError,
  decodeBase64url,
  encodeBase64url,
  isJsonObject,
  parseJsonBytes,
  type JsonObject,
} from '@vestibule/foundation';
import { isCursorInstant } from './cursor-instant';
import { isStorable } from './records';
import { refuseFaults } from './resources';

/** One condition: the value of a field or label is, or is not, in a list. An absent label is in no list. */
export interface Condition {
  readonly field: string;
  /** The label's key, in a condition on labels. */
  readonly key?: string;
  readonly negated: boolean;
  readonly values: readonly string[];
}

export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

/** What is searched. A cursor of one list is of no use in another one, where it would skip items silently. */
export type SearchedList = 'schemas' | 'published-schemas' | 'drafts';

/** A search: at least one entry must hold, with all of its conditions; without entries there is no restriction. */
export interface Search {
  readonly list: SearchedList;
  readonly entries: readonly (readonly Condition[])[] | undefined;
  /** Never empty: the last key is the id, so that no two resources compare as equal. */
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** The values of the sort keys of the last item of the previous page. */
  readonly after: readonly string[] | undefined;
}

type Operator = (typeof SEARCH_OPERATORS)[number];
interface Compared {
  readonly operator: Operator;
  readonly value: string | readonly string[];
}

function conditionOf(field: string, { operator, value }: Compared, key?: string): Condition {
  const values = typeof value === 'string' ? [value] : value;
  return { field, negated: operator.startsWith('NOT'), values, ...(key === undefined ? {} : { key }) };
}

function conditionsOf(entry: Readonly<Record<string, unknown>>): Condition[] {
  return Object.entries(entry).flatMap(([field, compared]) => {
    if (field !== 'labels') return [conditionOf(field, compared as Compared)];
    const byKey = Object.entries(compared as Record<string, Compared>);
    return byKey.map(([key, one]) => conditionOf('labels', one, key));
  });
}

const keyOf = (sort: readonly SortKey[]) =>
  sort.map(({ field, descending }) => `${field}${descending ? '-' : '+'}`).join();

/** The cursor of the page after an item; valid only for this list and sort order. */
function encodeCursor({ list, sort }: Search, values: readonly string[]): string {
  return encodeBase64url(Buffer.from(JSON.stringify({ list, sort: keyOf(sort), after: values }), 'utf8'));
}

function isPosition(field: string, value: unknown): value is string {
  if (typeof value !== 'string' || !isStorable(value)) return false;
  if (field === 'version') return /^\d{1,7}$/.test(value);
  return !field.endsWith('_at') || isCursorInstant(value);
}

function parseCursor(
  cursor: string | undefined,
  { list, sort }: Pick<Search, 'list' | 'sort'>,
): readonly string[] | undefined {
  if (cursor === undefined) return undefined;
  const bytes = decodeBase64url(cursor);
  const value = bytes && parseJsonBytes(bytes);
  const { list: of, sort: order, after } = isJsonObject(value) ? value : {};
  const fits = of === list && order === keyOf(sort) && Array.isArray(after) && after.length === sort.length;
  if (fits && sort.every(({ field }, index) => isPosition(field, after[index]))) return after as string[];
  const fault = { path: 'cursor', message: 'must be next_cursor of a search of the same list with the same sort' };
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the cursor is not valid', faults: [fault] });
}

/** Reads the body of a search; throws `invalid_request` with every fault. */
export function parseSearch(list: SearchedList, schema: SearchSchema, body: JsonObject): Search {
  const { value, faults } = judge(schema, body);
  refuseFaults('search', faults);
  const { filter, sort, limit, cursor } = value as SearchRequest;
  const keys = sort.map(({ field, order }) => ({ field, descending: order === 'DESC' }));
  const first = keys.length === 0 ? [{ field: 'created_at', descending: false }] : keys;
  const order = first.some(({ field }) => field === 'id') ? first : [...first, { field: 'id', descending: false }];
  return {
    list,
    entries: filter?.map(conditionsOf),
    sort: order,
    limit,
    after: parseCursor(cursor, { list, sort: order }),
  };
}

/** A page of rows, each with the values of the sort keys. */
export interface Rows<Item> {
  readonly found: readonly { readonly item: Item; readonly position: readonly string[] }[];
  /** Whether more rows follow. */
  readonly hasMore: boolean;
}

/** The result of a search: a page, and where the next one begins. */
export interface Found<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

/** The page of the rows found, and the cursor of the next page if there is one. */
export function pageOf<Item>(search: Search, { found, hasMore }: Rows<Item>): Found<Item> {
  const last = hasMore ? found.at(-1) : undefined;
  return { items: found.map(({ item }) => item), nextCursor: last && encodeCursor(search, last.position) };
}
