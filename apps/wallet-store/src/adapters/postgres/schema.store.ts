import { createAudit, type Transaction } from '@vestibule/persistence';
import {
  isSameDefinition,
  type PublicationOutcome,
  type PublishedSchema,
  type SchemaRecord,
} from '../../domain/claims-schemas';
import type { Schemas } from '../../domain/ports';
import type { TenantId } from '../../domain/records';
import { SCHEMA } from './migrations';
import { METADATA_WEIGHT } from './page-of-bytes';
import {
  ClaimsSchemaEntity,
  PublishedSchemaEntity,
  type ClaimsSchemaRow,
  type PublishedSchemaRow,
} from './schema.entity';
import { foundIn, searchIn, type SearchTable } from './search-sql';
import { asTenant, createOnce, insertRow, readPublished, type Connection } from './tenant-scope';

/** A row as a search returns it. */
type FoundSchema = Omit<ClaimsSchemaRow, 'tenantId' | 'createdAt' | 'updatedAt'> & {
  readonly created_at: Date;
  readonly updated_at: Date;
};
type FoundPublication = Omit<PublishedSchemaRow, 'tenantId' | 'ownerDid' | 'createdAt'> & {
  readonly tenant_id: string;
  readonly owner_did: string;
  readonly created_at: Date;
};

const COLUMNS = 'id, revision, definition, slug, version, published, labels, annotations, created_at, updated_at';
const PUBLISHED = 'tenant_id, slug, version, id, definition, document, owner_did, labels, annotations, created_at';

/** One publication under a slug at a time: two that ran together would not see each other's versions. */
const LOCK_SLUG = `SELECT pg_advisory_xact_lock(hashtextextended('slug ' || $2::text || ' of ' || $1::text, 0))`;

/**
 * A statement of its own, after the lock: it has to see what the publication before has stored. In SQL, because only one
 * conflict may be ignored: that of the name. Nothing goes below the highest version.
 */
const PUBLISH = `
  INSERT INTO wallet_store.published_schema (${PUBLISHED})
  SELECT $1::uuid, $2::text, $3::integer, $4, $5, $6, $7, $8, $9, $10 WHERE NOT EXISTS (
    SELECT FROM wallet_store.published_schema WHERE tenant_id = $1 AND slug = $2 AND version > $3)
  ON CONFLICT (tenant_id, slug, version) DO NOTHING RETURNING id`;

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

function schemaOf(row: Omit<ClaimsSchemaRow, 'tenantId'>): SchemaRecord {
  const { slug, version, published, ...record } = row;
  return published ? { ...record, published: { slug, version } } : record;
}

const publicationOf = ({ tenantId: tenant, ...row }: PublishedSchemaRow): PublishedSchema => ({ ...row, tenant });

const foundSchema = ({ created_at: createdAt, updated_at: updatedAt, ...row }: FoundSchema) =>
  schemaOf({ ...row, createdAt, updatedAt });

const foundPublication = ({ tenant_id, owner_did, created_at, ...row }: FoundPublication) =>
  publicationOf({ ...row, tenantId: tenant_id, ownerDid: owner_did, createdAt: created_at });

/** What a change of a schema writes; the name is the current one or, before publication, the planned one. */
function written({ revision, definition, published, labels, annotations, updatedAt }: SchemaRecord) {
  const { slug = '', version = 0 } = published ?? definition;
  return { revision, definition, slug, version, published: published !== undefined, labels, annotations, updatedAt };
}

/** One statement: replaces the revision before it, provided that it was not published. */
async function replace({ manager }: Transaction, tenantId: TenantId, schema: SchemaRecord): Promise<boolean> {
  const { id, revision, createdAt } = schema;
  const before = { id, tenantId, revision: revision - 1, published: false, createdAt };
  return (await manager.update(ClaimsSchemaEntity, before, written(schema))).affected === 1;
}

/** Roll the publication back: its name has another one, or its slug a higher version. */
const TAKEN = new Error('the name has another publication');
const OUTDATED = new Error('the slug has a higher version');

/** Stores a publication; false if the same one is there. Throws {@link TAKEN} and {@link OUTDATED}. */
async function publish(transaction: Transaction, publication: PublishedSchema): Promise<boolean> {
  const { tenant, slug, version, id, definition, document, ownerDid, labels, annotations, createdAt } = publication;
  await transaction.query(LOCK_SLUG, [tenant, slug]);
  const row = [tenant, slug, version, id, JSON.stringify(definition), JSON.stringify(document), ownerDid];
  if ((await transaction.query(PUBLISH, [...row, labels, annotations, createdAt])).length === 1) return true;
  const known = await transaction.manager.findOneBy(PublishedSchemaEntity, { tenantId: tenant, slug, version });
  if (!known) throw OUTDATED;
  if (!isSameDefinition(known.definition, definition)) throw TAKEN;
  return false;
}

/** Schemas and their publications in Postgres. They describe claims and contain none, so they are not sealed. */
export function createSchemaStore(connection: Connection, baseUrl: string): Schemas {
  const { database } = connection;
  const audit = createAudit({ database, schema: SCHEMA });
  const searchSchemas = searchIn<FoundSchema>(database, SCHEMAS);
  const searchPublished = searchIn<FoundPublication>(database, publishedTable(baseUrl));
  return {
    insertSchema: (tenantId, schema, answer, repeatable) =>
      createOnce(connection, { tenant: tenantId, operation: 'schema', repeatable }, answer, (transaction) => {
        const { id, createdAt } = schema;
        return insertRow(transaction, ClaimsSchemaEntity, { id, tenantId, createdAt, ...written(schema) });
      }),
    async findSchema(tenantId, id) {
      const row = await asTenant(database, tenantId, ({ manager }) =>
        manager.findOneBy(ClaimsSchemaEntity, { tenantId, id }),
      );
      if (!row) return undefined;
      const { tenantId: _tenant, ...schema } = row;
      return schemaOf(schema);
    },
    replaceSchema: (tenantId, schema) =>
      asTenant(database, tenantId, (transaction) => replace(transaction, tenantId, schema)),
    async publishSchema(tenantId, schema, publication): Promise<PublicationOutcome> {
      try {
        return await asTenant(database, tenantId, async (transaction) => {
          if (!(await replace(transaction, tenantId, schema))) return 'lost';
          const isNew = await publish(transaction, { ...publication, tenant: tenantId });
          const details = { slug: publication.slug, version: publication.version };
          const entry = { action: 'schema.publish', target: publication.id, details };
          if (isNew) await audit.append(transaction.query, entry);
          return 'published';
        });
      } catch (error) {
        if (error === TAKEN) return 'taken';
        if (error === OUTDATED) return 'outdated';
        throw error;
      }
    },
    searchSchemas: async (tenant, search) => foundIn(await searchSchemas(tenant, search), search, foundSchema),
    searchPublished: async (tenant, search) => foundIn(await searchPublished(tenant, search), search, foundPublication),
    async findPublished(asker, { tenant: tenantId, slug, version }) {
      const row = await readPublished(database, { owner: tenantId, asker }, ({ manager }) =>
        manager.findOneBy(PublishedSchemaEntity, { tenantId, slug, version }),
      );
      return row ? publicationOf(row) : undefined;
    },
  };
}
