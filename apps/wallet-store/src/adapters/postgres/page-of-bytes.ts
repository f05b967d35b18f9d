/**
 * The limit, in bytes, of the rows of one page together: reading and writing them blocks the event loop, and a message
 * on the bus is limited to two million. That leaves more than a kilobyte for each of at most 1,000 rows for what is not
 * counted: names of members, instants and numbers. A single row always fits, because bodies are bounded.
 */
export const PAGE_BYTES = 524_288;

export interface PageOfRows {
  /** A statement that selects the rows, one more than fit on the page, with the columns that the other members name. */
  readonly rows: string;
  /** The names of the columns to read. */
  readonly columns: string;
  /** The order of the rows, as a list of columns. */
  readonly order: string;
  /** The bytes of a row that may be many: an expression over its columns, never null. */
  readonly weight: string;
}

/** The bytes of a row's metadata; JSON counts as text, whatever it takes on disk. */
export const METADATA_WEIGHT = 'octet_length(annotations::text) + octet_length(labels::text)';

/** What every row of such a page contains: the number of rows, including those that did not fit. */
export interface CountedRow {
  found: number;
}

/** The first rows that fit into {@link PAGE_BYTES}, but at least one, each with `found`. */
export function pageOfBytes({ rows, columns, order, weight }: PageOfRows): string {
  return `
    WITH page AS (${rows}
    ), weighed AS (
      SELECT *, ${weight} AS weight FROM page
    ), summed AS (
      SELECT *, sum(weight) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS bytes, (count(*) OVER ())::int AS found
      FROM weighed
    )
    SELECT ${columns}, found FROM summed WHERE bytes <= ${PAGE_BYTES} OR bytes = weight ORDER BY ${order}`;
}

/** A page of at most `limit` rows, and whether more follow. */
export function cutPage<Row extends CountedRow>(rows: readonly Row[], limit: number) {
  const items = rows.slice(0, limit);
  return { items, hasMore: (rows[0]?.found ?? 0) > items.length };
}
