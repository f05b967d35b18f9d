import type { Database } from '@vestibule/persistence';
import type { TenantId } from '../../domain/records';
import type { Rows, Search, SortKey } from '../../domain/search';
import { cutPage, pageOfBytes, type CountedRow } from './page-of-bytes';
import { searchAsTenant } from './tenant-scope';

/** A searchable field of a table: an SQL expression, never null if the field can be sorted by, and its type. */
export interface SearchColumn {
  readonly sql: string;
  readonly type: 'text' | 'integer' | 'timestamptz' | 'text[]';
}

export interface SearchTable {
  readonly name: string;
  /** The columns that are read of each row. */
  readonly columns: string;
  /** Their size in bytes: an expression over them, never null. */
  readonly weight: string;
  readonly fields: Readonly<Record<string, SearchColumn>>;
  /** Which rows are resources at all; the condition on the tenant is added. */
  readonly where: string;
}

/** How a field's value is written in a search and in a cursor. */
function textOf({ sql, type }: SearchColumn): string {
  if (type === 'timestamptz') return `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return `(${sql})::text`;
}

function matchOf(fields: SearchTable['fields']): string {
  const cases = Object.entries(fields).map(([name, column]) => {
    const among = column.type === 'text[]' ? `${column.sql} && c.among` : `${textOf(column)} = ANY (c.among)`;
    return `WHEN '${name}' THEN coalesce(${among}, false)`;
  });
  return `CASE c.field ${cases.join(' ')} WHEN 'labels' THEN coalesce(labels ->> c.key = ANY (c.among), false) ELSE false END`;
}

/** An entry matches if none of its conditions fails; entries are an array of arrays of conditions. */
function filterSql(fields: SearchTable['fields']): string {
  return `($2::jsonb IS NULL OR EXISTS (
    SELECT 1 FROM jsonb_array_elements($2::jsonb) AS entry WHERE NOT EXISTS (
      SELECT 1 FROM (
        SELECT one ->> 'field' AS field, one ->> 'key' AS key, (one ->> 'negated')::boolean AS negated,
          ARRAY(SELECT jsonb_array_elements_text(one -> 'values')) AS among
        FROM jsonb_array_elements(entry) AS one
      ) AS c WHERE (${matchOf(fields)}) = c.negated)))`;
}

/** Rows after a position: greater in the first key, or equal in it and greater in the next, and so on. */
function beyondSql(sort: readonly SortKey[], { fields }: SearchTable): string {
  const columns = sort.map(({ field }) => fields[field] as SearchColumn);
  const value = (index: number) => `($3::text[])[${index + 1}]::${columns[index]?.type}`;
  const ways = sort.map(({ descending }, index) => {
    const equal = columns.slice(0, index).map((column, at) => `${column.sql} = ${value(at)}`);
    const further = `${columns[index]?.sql} ${descending ? '<' : '>'} ${value(index)}`;
    return `(${[...equal, further].join(' AND ')})`;
  });
  return `($3::text[] IS NULL OR ${ways.join(' OR ')})`;
}

/** A search as one statement; names come from the table's own list, and everything from the caller is a parameter. */
function searchSql(
  table: SearchTable,
  tenant: string,
  { entries, sort, limit, after }: Search,
): { readonly sql: string; readonly parameters: readonly unknown[] } {
  const columns = sort.map(({ field }) => {
    const column = table.fields[field];
    if (!column) throw new RangeError(`no column for ${field}`);
    return column;
  });
  const orderBy = (nameOf: (index: number) => string | undefined) =>
    columns.map((_, index) => `${nameOf(index)} ${sort[index]?.descending ? 'DESC' : 'ASC'}`).join(', ');
  const position = columns.map(textOf).join(', ');
  const keys = columns.map((column, index) => `${column.sql} AS sort_${index}`).join(', ');
  const rows = `
    SELECT ${table.columns}, ARRAY[${position}] AS position, ${keys} FROM ${table.name}
    WHERE tenant_id = $1 AND ${table.where} AND ${filterSql(table.fields)} AND ${beyondSql(sort, table)}
    ORDER BY ${orderBy((index) => columns[index]?.sql)} LIMIT $4`;
  const sql = pageOfBytes({
    rows,
    columns: `${table.columns}, position`,
    order: orderBy((index) => `sort_${index}`),
    weight: table.weight,
  });
  const filter = entries === undefined ? null : JSON.stringify(entries);
  return { sql, parameters: [tenant, filter, after ?? null, limit + 1] };
}

/** A row that {@link searchSql} returns. */
type SearchRow<Row> = Row & CountedRow & { readonly position: string[] };

/**
 * Runs searches of a table as their tenant. Their text depends on the order that the caller chose, so they are not prepared:
 * Postgres would keep each of them on each connection, and there would be no room for the statements of others.
 */
export function searchIn<Row extends object>(database: Database, table: SearchTable) {
  return (tenant: TenantId, search: Search): Promise<SearchRow<Row>[]> => {
    const { sql, parameters } = searchSql(table, tenant, search);
    return searchAsTenant(database, tenant, ({ manager }) => manager.query<SearchRow<Row>[]>(sql, [...parameters]));
  };
}

/** The result of a search, from its rows. */
export function foundIn<Row, Item>(
  rows: readonly SearchRow<Row>[],
  { limit }: Search,
  itemOf: (row: Omit<SearchRow<Row>, 'position' | 'found'>) => Item,
): Rows<Item> {
  const { items, hasMore } = cutPage(rows, limit);
  const found = items.map(({ position, found: _count, ...row }) => ({ item: itemOf(row), position }));
  return { found, hasMore };
}
