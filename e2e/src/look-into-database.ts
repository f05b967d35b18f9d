import { Pool } from 'pg';

/** Rows of a service's tables, for a test that looks at what was stored. */
export interface RowSource {
  query<Row extends object>(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

export function createPool(url: string): RowSource {
  const pool = new Pool({ connectionString: url, max: 1 });
  return {
    query: async <Row extends object>(sql: string) => (await pool.query<Row>(sql)).rows,
    close: () => pool.end(),
  };
}
