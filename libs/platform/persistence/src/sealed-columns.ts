import type { Database } from './database';

type Row = Readonly<Record<string, unknown>>;

/** A column with sealed values, and what each of them is bound to. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns of the row that `contextOf` requires. */
  readonly key: readonly string[];
  /** Returns the context with which a row's value was sealed. */
  readonly contextOf: (row: Row) => string;
  /** For a table under row-level security: the rows are visited once for each value of a setting. */
  readonly scope?: RowScope;
}

export interface RowScope {
  /** The setting that the table's policy reads. */
  readonly setting: string;
  /** A statement that returns all its values, in a column `value`. */
  readonly valuesSql: string;
}

/**
 * Classifies the byte columns of a service's schema. `vestibule reseal` processes the sealed ones, and refuses to run if
 * a column is in neither list, so that none can be forgotten.
 */
export interface SealedRegistry {
  readonly schema: string;
  readonly sealed: readonly SealedColumn[];
  /** Identifiers and digests, as `table.column`. */
  readonly plain: readonly string[];
}

/** A sealed column; `Key` is the type of its key columns as the database returns them. */
export function sealedColumn<Key extends object>(options: {
  readonly table: string;
  readonly column: string;
  readonly key: readonly (keyof Key & string)[];
  readonly contextOf: (row: Key) => string;
  readonly scope?: RowScope;
}): SealedColumn {
  const { contextOf, ...rest } = options;
  return { ...rest, contextOf: (row) => contextOf(row as Key) };
}

const BYTE_COLUMNS = `
  SELECT table_name || '.' || column_name AS name FROM information_schema.columns
  WHERE table_schema = $1 AND data_type = 'bytea' ORDER BY 1`;

/** The byte columns of the schema that the registry does not list, and the registered ones that do not exist. */
export async function findUnclassifiedColumns(
  database: Database,
  registry: SealedRegistry,
): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>(BYTE_COLUMNS, [registry.schema]);
  const existing = rows.map(({ name }) => name);
  const named = [...registry.sealed.map(({ table, column }) => `${table}.${column}`), ...registry.plain];
  return [...existing.filter((name) => !named.includes(name)), ...named.filter((name) => !existing.includes(name))];
}
