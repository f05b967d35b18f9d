import { randomBytes } from 'node:crypto';
import { DataSource, type EntitySchema } from 'typeorm';
import { withConnection } from './admin-connection';
import type { ServiceUrls } from './provision-database';
import { readSchemaFacts, type Fact } from './schema-facts';
import { quoteIdentifier } from './sql-text';
import { createTestDatabase } from './test-database';

/** A difference that only migrations can express, or only TypeORM. */
export interface DriftException {
  readonly fact: string;
  /** The result of the migrations; absent if only the entities have it. */
  readonly migrations?: string;
  readonly reason: string;
}

export interface DriftOptions {
  /** URL of a superuser, in the database that the migrations have run in. */
  readonly adminUrl: string;
  /** The schema that the migrations created. */
  readonly schema: string;
  readonly entities: readonly EntitySchema[];
  readonly exceptions: readonly DriftException[];
}

/** TypeORM creates the tables of the entities in an empty schema, whose catalog is then compared. */
async function factsOfEntities({ adminUrl, entities }: DriftOptions): Promise<readonly Fact[]> {
  const schema = `entities_${randomBytes(6).toString('hex')}`;
  return withConnection(adminUrl, async (client) => {
    await client.query(`CREATE SCHEMA ${quoteIdentifier(schema)}`);
    const source = new DataSource({
      type: 'postgres',
      url: adminUrl,
      schema,
      entities: [...entities],
      installExtensions: false,
      logging: false,
    });
    try {
      await source.initialize();
      await source.synchronize();
      return await readSchemaFacts(client, schema);
    } finally {
      if (source.isInitialized) await source.destroy();
      await client.query(`DROP SCHEMA ${quoteIdentifier(schema)} CASCADE`);
    }
  });
}

/** For a table that only one side has, the table itself is the only difference to report. */
function withoutTables(facts: readonly Fact[], others: readonly Fact[]): ReadonlyMap<string, string> {
  const known = new Set(others.map(({ table }) => table));
  const told = facts.filter(({ table, name }) => known.has(table) || table === '' || name === `${table}: kind`);
  return new Map(told.map(({ name, value }) => [name, value]));
}

const side = (name: string, value: string | undefined) =>
  value === undefined ? `not in ${name}` : `${name}: ${value}`;

/**
 * The differences between migrations and entities, and exceptions that no longer apply: one line each, empty if both
 * agree. Compares the Postgres catalog of the migrated schema with that of a schema that TypeORM creates from the
 * entities: types, nullability, defaults, keys, checks and indexes with their predicates, and everything else in it.
 */
export async function findSchemaDrift(options: DriftOptions): Promise<readonly string[]> {
  const { adminUrl, schema, exceptions } = options;
  const migrated = await withConnection(adminUrl, (client) => readSchemaFacts(client, schema));
  const described = await factsOfEntities(options);
  const [migrations, entities] = [withoutTables(migrated, described), withoutTables(described, migrated)];
  const names = [...new Set([...migrations.keys(), ...entities.keys()])].sort();
  const differing = names.filter((name) => migrations.get(name) !== entities.get(name));
  const excepted = ({ fact, migrations: value }: DriftException) =>
    differing.includes(fact) && migrations.get(fact) === value;
  const allowed = new Set(exceptions.filter(excepted).map(({ fact }) => fact));
  return [
    ...differing
      .filter((name) => !allowed.has(name))
      .map((name) => `${name}: ${side('migrations', migrations.get(name))}; ${side('entities', entities.get(name))}`),
    ...exceptions.filter((one) => !excepted(one)).map(({ fact }) => `exception no longer applies: ${fact}`),
  ];
}

export interface MigratedDriftOptions extends Omit<DriftOptions, 'adminUrl'> {
  /** Runs the migrations as the service does. */
  migrate(urls: ServiceUrls): Promise<unknown>;
}

/** {@link findSchemaDrift} on a separate database that contains only what the migrations create. */
export async function findDriftAfterMigrations({
  migrate,
  ...options
}: MigratedDriftOptions): Promise<readonly string[]> {
  const database = await createTestDatabase();
  try {
    await migrate(database.urls);
    return await findSchemaDrift({ ...options, adminUrl: database.adminUrl });
  } finally {
    await database.drop();
  }
}
