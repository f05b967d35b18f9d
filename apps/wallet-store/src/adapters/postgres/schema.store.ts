import type { MetaSchema } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import type { Database, Idempotency } from '@vestibule/persistence';
import {
  isSameDefinition,
  type PublicationOutcome,
  type PublishedSchema,
  type SchemaRecord,
  type Schemas,
} from '../../domain/claims-schemas';
import type { RepeatableCall } from '../../domain/drafts';
import type { TenantId } from '../../domain/records';
import type { PublishedName } from '../../domain/schema-addresses';
import type { Rows, Search } from '../../domain/search';
import { METADATA_WEIGHT } from './page-of-bytes';
import { foundIn, searchSql, type SearchRow, type SearchTable } from './search-sql';
import { asTenant, createOnce } from './tenant-scope';

interface SchemaRow {
  id: string;
  revision: number;
  definition: MetaSchema;
  slug: string;
  version: number;
  published: boolean;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  created_at: Date;
  updated_at: Date;
}

interface PublishedRow {
  tenant_id: string;
  slug: string;
  version: number;
  id: string;
  definition: MetaSchema;
  document: JsonObject;
  owner_did: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  created_at: Date;
}

const COLUMNS = 'id, revision, definition, slug, version, published, labels, annotations, created_at, updated_at';
const PUBLISHED = 'tenant_id, slug, version, id, definition, document, owner_did, labels, annotations, created_at';

const INSERT = `
  INSERT INTO wallet_store.claims_schema
    (id, tenant_id, revision, definition, slug, version, published, labels, annotations, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

const FIND = `SELECT ${COLUMNS} FROM wallet_store.claims_schema WHERE tenant_id = $1 AND id = $2`;

/** The revision before, which nobody has published. */
const REPLACE = `
  UPDATE wallet_store.claims_schema
  SET revision = $3, definition = $4, slug = $5, version = $6, published = $7, labels = $8, annotations = $9, updated_at = $11
  WHERE id = $1 AND tenant_id = $2 AND revision = $3::int - 1 AND NOT published AND created_at = $10 RETURNING id`;

const PUBLISH = `
  INSERT INTO wallet_store.published_schema (${PUBLISHED}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (tenant_id, slug, version) DO NOTHING RETURNING id`;

const FIND_PUBLISHED = `
  SELECT ${PUBLISHED} FROM wallet_store.published_schema WHERE tenant_id = $1 AND slug = $2 AND version = $3`;

const instant = (sql: string) => ({ sql, type: 'timestamptz' }) as const;
const text = (sql: string) => ({ sql, type: 'text' }) as const;
const COMMON = {
  id: text('id'),
  slug: text('slug'),
  version: { sql: 'version', type: 'integer' },
  created_at: instant('created_at'),
} as const;

const SCHEMAS: SearchTable = {
  name: 'wallet_store.claims_schema',
  columns: COLUMNS,
  weight: `${METADATA_WEIGHT} + octet_length(definition::text)`,
  fields: { ...COMMON, published: text('published'), modified_at: instant('updated_at') },
  where: 'true',
};

function publishedTable(baseUrl: string): SearchTable {
  const url = `'${baseUrl.replaceAll("'", "''")}/schemas/' || tenant_id || '/' || slug || '/' || version`;
  return {
    name: 'wallet_store.published_schema',
    columns: PUBLISHED,
    weight: `${METADATA_WEIGHT} + octet_length(definition::text) + octet_length(document::text)`,
    fields: { ...COMMON, owner: text('owner_did'), meta_schema: text(url) },
    where: 'true',
  };
}

function schemaOf(row: SchemaRow): SchemaRecord {
  const { id, revision, definition, slug, version, labels, annotations } = row;
  const record = {
    id,
    revision,
    definition,
    labels,
    annotations,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
  return row.published ? { ...record, published: { slug, version } } : record;
}

function publicationOf(row: PublishedRow): PublishedSchema {
  const { tenant_id: tenant, owner_did: ownerDid, created_at: createdAt, ...rest } = row;
  return { ...rest, tenant, ownerDid, createdAt };
}

class Taken extends Error {}

/** Schemas and what was published of them, in Postgres. They describe claims and hold none, so they are not sealed. */
export class SchemaStore implements Schemas {
  readonly #publishedTable: SearchTable;

  constructor(
    readonly database: Database,
    readonly idempotency: Idempotency,
    baseUrl: string,
  ) {
    this.#publishedTable = publishedTable(baseUrl);
  }

  insertSchema<Answer extends object>(
    tenant: TenantId,
    schema: SchemaRecord,
    answer: Answer,
    repeatable?: RepeatableCall,
  ): Promise<Answer> {
    return createOnce(this, { tenant, operation: 'schema', repeatable }, answer, (query) =>
      query(INSERT, this.columns(tenant, schema)),
    );
  }

  async findSchema(tenant: TenantId, id: string): Promise<SchemaRecord | undefined> {
    const [row] = await asTenant(this.database, tenant, (query) => query<SchemaRow>(FIND, [tenant, id]));
    return row && schemaOf(row);
  }

  async replaceSchema(tenant: TenantId, schema: SchemaRecord): Promise<boolean> {
    const rows = await asTenant(this.database, tenant, (query) => query(REPLACE, this.columns(tenant, schema)));
    return rows.length === 1;
  }

  async publishSchema(
    tenant: TenantId,
    schema: SchemaRecord,
    publication: PublishedSchema,
  ): Promise<PublicationOutcome> {
    const { slug, version, id, definition, document, ownerDid, labels, annotations, createdAt } = publication;
    const row = [tenant, slug, version, id, JSON.stringify(definition), JSON.stringify(document), ownerDid];
    try {
      return await asTenant(this.database, tenant, async (query) => {
        if ((await query(REPLACE, this.columns(tenant, schema))).length === 0) return 'lost';
        if ((await query(PUBLISH, [...row, labels, annotations, createdAt])).length === 1) return 'published';
        const [known] = await query<PublishedRow>(FIND_PUBLISHED, [tenant, slug, version]);
        if (known && isSameDefinition(known.definition, definition)) return 'published';
        throw new Taken();
      });
    } catch (error) {
      if (error instanceof Taken) return 'taken';
      throw error;
    }
  }

  async searchSchemas(tenant: TenantId, search: Search): Promise<Rows<SchemaRecord>> {
    return foundIn(await this.search<SchemaRow>(SCHEMAS, tenant, search), search, schemaOf);
  }

  async searchPublished(tenant: TenantId, search: Search): Promise<Rows<PublishedSchema>> {
    return foundIn(await this.search<PublishedRow>(this.#publishedTable, tenant, search), search, publicationOf);
  }

  async findPublished({ tenant, slug, version }: PublishedName): Promise<PublishedSchema | undefined> {
    const [row] = await asTenant(this.database, tenant, (query) =>
      query<PublishedRow>(FIND_PUBLISHED, [tenant, slug, version]),
    );
    return row && publicationOf(row);
  }

  private search<Row extends object>(table: SearchTable, tenant: TenantId, search: Search) {
    const { sql, parameters } = searchSql(table, tenant, search);
    return asTenant(this.database, tenant, (query) => query<SearchRow<Row>>(sql, parameters));
  }

  private columns(tenant: TenantId, schema: SchemaRecord): unknown[] {
    const { id, revision, definition, published, labels, annotations, createdAt, updatedAt } = schema;
    const { slug = '', version = 0 } = published ?? definition;
    const name = [slug, version, published !== undefined];
    return [id, tenant, revision, JSON.stringify(definition), ...name, labels, annotations, createdAt, updatedAt];
  }
}
