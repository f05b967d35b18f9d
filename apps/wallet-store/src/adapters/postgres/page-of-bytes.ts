/**
 * Bytes that the rows of one page may have together: reading and writing them holds the event loop, and the bus carries
 * two million. One row is a page whatever it has, which bodies bound.
 */
export const PAGE_BYTES = 524_288;

export interface PageOfRows {
  /** A statement for the rows, one more than fit on the page; it gives what the other members name. */
  readonly rows: string;
  /** Names of the columns that are read. */
  readonly columns: string;
  /** The order of the rows, by their columns. */
  readonly order: string;
  /** How many bytes a row has: an expression over its columns, never null. */
  readonly weight: string;
}

/** Bytes of the metadata of a row; of JSON the text counts, whatever it takes on the disk. */
export const METADATA_WEIGHT = 'octet_length(annotations::text) + octet_length(labels::text)';

/** What every row of such a page says: how many rows there are, those that had no room included. */
export interface CountedRow {
  found: number;
}

/** The first rows, as many as {@link PAGE_BYTES} have room for and at least one, each with `found`. */
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

/** A page of at most `limit` of the rows, and whether there are more behind it. */
export function cutPage<Row extends CountedRow>(rows: readonly Row[], limit: number) {
  const items = rows.slice(0, limit);
  return { items, hasMore: (rows[0]?.found ?? 0) > items.length };
}
