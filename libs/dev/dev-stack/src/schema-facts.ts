import { type Client } from 'pg';

/** One fact in the Postgres catalog about a schema, such as `callback.payload: type` and `bytea`. */
export interface Fact {
  readonly table: string;
  readonly name: string;
  readonly value: string;
}

const COLUMNS = `
  SELECT c.relname AS "table", a.attname AS "column", p.what, p.value
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  CROSS JOIN LATERAL (VALUES
    ('type', format_type(a.atttypid, a.atttypmod)),
    ('null', CASE WHEN a.attnotnull THEN 'never' ELSE 'allowed' END),
    ('default', CASE a.attgenerated WHEN '' THEN pg_get_expr(d.adbin, d.adrelid) END),
    ('generated', CASE a.attgenerated WHEN '' THEN NULL ELSE pg_get_expr(d.adbin, d.adrelid) END),
    ('identity', CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END),
    ('collation', (SELECT n.collname FROM pg_collation n JOIN pg_type t ON t.oid = a.atttypid
      WHERE n.oid = a.attcollation AND a.attcollation <> t.typcollation)),
    ('storage', (SELECT CASE a.attstorage WHEN 'p' THEN 'plain' WHEN 'e' THEN 'external' WHEN 'm' THEN 'main'
      ELSE 'extended' END FROM pg_type t WHERE t.oid = a.atttypid AND a.attstorage <> t.typstorage)),
    ('compression', nullif(a.attcompression, '')::text)
  ) AS p (what, value)
  WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND p.value IS NOT NULL`;

const RELATIONS = `
  SELECT c.relname AS "table", p.what, p.value
  FROM pg_class c CROSS JOIN LATERAL (VALUES
    ('kind', CASE c.relkind WHEN 'r' THEN 'table' ELSE 'other than a table' END),
    ('persistence', nullif(c.relpersistence, 'p')::text),
    ('options', array_to_string(c.reloptions, ', ')),
    ('row security', CASE WHEN c.relforcerowsecurity THEN 'forced' WHEN c.relrowsecurity THEN 'enabled' END)
  ) AS p (what, value)
  WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND p.value IS NOT NULL`;

/**
 * NOT NULL is reported with the column, even on releases of Postgres that store it as a constraint. The checks of a
 * domain over the rows of a table are reported as checks of that table, which has to have a check that uses the domain.
 */
const CONSTRAINTS = `
  SELECT c.relname AS "table", 'constraint ' || k.conname AS what, pg_get_constraintdef(k.oid) AS value
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  WHERE c.relnamespace = $1::regnamespace AND k.contype <> 'n'
  UNION ALL
  SELECT c.relname, 'constraint ' || k.conname, replace(pg_get_constraintdef(k.oid), '(VALUE).', '')
  FROM pg_constraint k JOIN pg_type domain ON domain.oid = k.contypid JOIN pg_type row ON row.oid = domain.typbasetype
  JOIN pg_class c ON c.oid = row.typrelid
  WHERE domain.typnamespace = $1::regnamespace AND c.relnamespace = $1::regnamespace AND k.convalidated`;

/** The index of a constraint is reported with the constraint. */
const INDEXES = `
  SELECT c.relname AS "table", 'index ' || i.relname AS what,
    pg_get_indexdef(i.oid) || coalesce(' WITH ' || array_to_string(i.reloptions, ', '), '') AS value
  FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
  WHERE c.relnamespace = $1::regnamespace
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.oid AND k.contype IN ('p', 'u', 'x'))`;

const POLICIES = `
  SELECT c.relname AS "table", 'policy ' || p.polname AS what,
    concat_ws(' ', CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END, p.polcmd::text, p.polroles::text,
      'USING ' || pg_get_expr(p.polqual, p.polrelid), 'CHECK ' || pg_get_expr(p.polwithcheck, p.polrelid)) AS value
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = $1::regnamespace`;

const TRIGGERS = `
  SELECT c.relname AS "table", 'trigger ' || t.tgname AS what, pg_get_triggerdef(t.oid) AS value
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = $1::regnamespace AND NOT t.tgisinternal`;

/** Objects outside of tables: functions, types, and sequences except those of identity columns. */
const OTHERS = `
  SELECT '' AS "table", 'function ' || p.proname AS what, pg_get_function_identity_arguments(p.oid) AS value
  FROM pg_proc p WHERE p.pronamespace = $1::regnamespace
  UNION ALL
  SELECT '', 'type ' || t.typname, t.typtype::text FROM pg_type t
  WHERE t.typnamespace = $1::regnamespace AND t.typtype <> 'b' AND t.typrelid = 0
  UNION ALL
  SELECT '', 'sequence ' || c.relname, 'sequence' FROM pg_class c
  WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'S'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'i')`;

interface Row {
  readonly table: string;
  readonly column?: string;
  readonly what: string;
  readonly value: string;
}

const STATEMENTS = [RELATIONS, COLUMNS, CONSTRAINTS, INDEXES, POLICIES, TRIGGERS, OTHERS];

/** Every fact about a schema in the Postgres catalog, without the name of the schema itself. */
export async function readSchemaFacts(client: Pick<Client, 'query'>, schema: string): Promise<readonly Fact[]> {
  const facts: Fact[] = [];
  for (const sql of STATEMENTS) {
    const { rows } = await client.query<Row>(sql, [schema]);
    for (const { table, column, what, value } of rows) {
      const place = [table, column].filter(Boolean).join('.');
      facts.push({
        table,
        name: place === '' ? what : `${place}: ${what}`,
        value: value.replaceAll(`${schema}.`, ''),
      });
    }
  }
  return facts;
}
