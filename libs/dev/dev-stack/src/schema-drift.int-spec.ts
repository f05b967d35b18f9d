import { EntitySchema, type EntitySchemaOptions } from 'typeorm';
import { withConnection } from './admin-connection';
import { findSchemaDrift, type DriftException } from './schema-drift';
import { identity, storageOptions } from './schema-drift-exceptions';
import { createTestDatabase, type TestDatabase } from './test-database';

jest.setTimeout(180_000);

const SCHEMA = 'drift';
/** The schema as migrations make it, in other words than those of the entities where that makes no difference. */
const MIGRATED = `
  CREATE SCHEMA drift;
  CREATE TABLE drift.owner (id integer PRIMARY KEY, name text NOT NULL UNIQUE);
  CREATE TABLE drift.thing (
    label text NOT NULL DEFAULT 'none',
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id integer NOT NULL REFERENCES drift.owner ON DELETE CASCADE,
    weight integer CHECK (weight > 0),
    tags text[] NOT NULL,
    ended_at timestamptz(3)
  ) WITH (fillfactor = 80);
  CREATE INDEX thing_open ON drift.thing (owner_id) WHERE (ended_at is null) and weight != 1;
  CREATE INDEX thing_label ON drift.thing (lower(label));`;

interface Thing {
  id: string;
  label: string;
  ownerId: number;
  weight: number | null;
  tags: string[];
  endedAt: Date | null;
  extra?: string;
}

const OWNER = new EntitySchema<{ id: number; name: string }>({
  name: 'Owner',
  tableName: 'owner',
  columns: {
    id: { type: 'integer', primary: true, primaryKeyConstraintName: 'owner_pkey' },
    name: { type: 'text' },
  },
  uniques: [{ name: 'owner_name_key', columns: ['name'] }],
});
const THING: EntitySchemaOptions<Thing> = {
  name: 'Thing',
  tableName: 'thing',
  columns: {
    id: { type: 'bigint', primary: true, primaryKeyConstraintName: 'thing_pkey' },
    label: { type: 'text', default: 'none' },
    ownerId: { name: 'owner_id', type: 'integer' },
    weight: { type: 'integer', nullable: true },
    tags: { type: 'text', array: true },
    endedAt: { name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true },
  },
  foreignKeys: [
    {
      name: 'thing_owner_id_fkey',
      target: 'Owner',
      columnNames: ['ownerId'],
      referencedColumnNames: ['id'],
      onDelete: 'CASCADE',
    },
  ],
  checks: [{ name: 'thing_weight_check', expression: '((weight) > 0)' }],
  indices: [{ name: 'thing_open', columns: ['ownerId'], where: 'ended_at IS NULL AND weight <> 1' }],
};
const EXCEPTIONS = [
  storageOptions('thing', 'fillfactor=80'),
  identity('thing.id'),
  {
    fact: 'thing: index thing_label',
    migrations: 'CREATE INDEX thing_label ON thing USING btree (lower(label))',
    reason: 'an expression',
  },
];

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  await run(MIGRATED);
});
afterAll(() => testDatabase.drop());

const run = (sql: string) => withConnection(testDatabase.adminUrl, async (client) => void (await client.query(sql)));

const drift = (changed: Partial<EntitySchemaOptions<Thing>> = {}, exceptions: readonly DriftException[] = EXCEPTIONS) =>
  findSchemaDrift({
    adminUrl: testDatabase.adminUrl,
    schema: SCHEMA,
    entities: [OWNER, new EntitySchema<Thing>({ ...THING, ...changed })],
    exceptions,
  });

/** What a migration does unnoticed, what takes it back, and what is told of it. */
const IN_THE_DATABASE: readonly (readonly [what: string, plant: string, undo: string, told: string])[] = [
  [
    'another type of a column',
    'ALTER TABLE drift.thing ALTER weight TYPE bigint',
    'ALTER TABLE drift.thing ALTER weight TYPE integer',
    'thing.weight: type: migrations: bigint; entities: integer',
  ],
  [
    'another precision',
    'ALTER TABLE drift.thing ALTER ended_at TYPE timestamptz',
    'ALTER TABLE drift.thing ALTER ended_at TYPE timestamptz(3)',
    'thing.ended_at: type: migrations: timestamp with time zone; entities: timestamp(3) with time zone',
  ],
  [
    'a column that may be null',
    'ALTER TABLE drift.thing ALTER label DROP NOT NULL',
    'ALTER TABLE drift.thing ALTER label SET NOT NULL',
    'thing.label: null: migrations: allowed; entities: never',
  ],
  [
    'another default',
    "ALTER TABLE drift.thing ALTER label SET DEFAULT 'some'",
    "ALTER TABLE drift.thing ALTER label SET DEFAULT 'none'",
    "thing.label: default: migrations: 'some'::text; entities: 'none'::text",
  ],
  [
    'a default more',
    'ALTER TABLE drift.thing ALTER owner_id SET DEFAULT 1',
    'ALTER TABLE drift.thing ALTER owner_id DROP DEFAULT',
    'thing.owner_id: default: migrations: 1; not in entities',
  ],
  [
    'a column more',
    'ALTER TABLE drift.thing ADD COLUMN more text',
    'ALTER TABLE drift.thing DROP COLUMN more',
    'thing.more: type: migrations: text; not in entities',
  ],
  [
    'a missing index',
    'DROP INDEX drift.thing_open',
    'CREATE INDEX thing_open ON drift.thing (owner_id) WHERE ended_at IS NULL AND weight <> 1',
    'thing: index thing_open: not in migrations; entities: CREATE INDEX thing_open ON thing USING btree (owner_id) WHERE ((ended_at IS NULL) AND (weight <> 1))',
  ],
  [
    'an index more',
    'CREATE INDEX thing_weight ON drift.thing (weight)',
    'DROP INDEX drift.thing_weight',
    'thing: index thing_weight: migrations: CREATE INDEX thing_weight ON thing USING btree (weight); not in entities',
  ],
  [
    'another predicate of an index',
    'DROP INDEX drift.thing_open; CREATE INDEX thing_open ON drift.thing (owner_id) WHERE ended_at IS NULL',
    'DROP INDEX drift.thing_open; CREATE INDEX thing_open ON drift.thing (owner_id) WHERE ended_at IS NULL AND weight <> 1',
    'thing: index thing_open: migrations: CREATE INDEX thing_open ON thing USING btree (owner_id) WHERE (ended_at IS NULL); entities: CREATE INDEX thing_open ON thing USING btree (owner_id) WHERE ((ended_at IS NULL) AND (weight <> 1))',
  ],
  [
    'another check',
    'ALTER TABLE drift.thing DROP CONSTRAINT thing_weight_check, ADD CONSTRAINT thing_weight_check CHECK (weight > 1)',
    'ALTER TABLE drift.thing DROP CONSTRAINT thing_weight_check, ADD CONSTRAINT thing_weight_check CHECK (weight > 0)',
    'thing: constraint thing_weight_check: migrations: CHECK ((weight > 1)); entities: CHECK ((weight > 0))',
  ],
  [
    'a check in a domain over the rows',
    'CREATE DOMAIN drift.thing_row AS drift.thing CONSTRAINT thing_light CHECK ((VALUE).weight < 9)',
    'DROP DOMAIN drift.thing_row',
    'thing: constraint thing_light: migrations: CHECK ((weight < 9)); not in entities',
  ],
  [
    'a missing unique constraint',
    'ALTER TABLE drift.owner DROP CONSTRAINT owner_name_key',
    'ALTER TABLE drift.owner ADD CONSTRAINT owner_name_key UNIQUE (name)',
    'owner: constraint owner_name_key: not in migrations; entities: UNIQUE (name)',
  ],
  [
    'another action of a foreign key',
    'ALTER TABLE drift.thing DROP CONSTRAINT thing_owner_id_fkey, ADD CONSTRAINT thing_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES drift.owner',
    'ALTER TABLE drift.thing DROP CONSTRAINT thing_owner_id_fkey, ADD CONSTRAINT thing_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES drift.owner ON DELETE CASCADE',
    'thing: constraint thing_owner_id_fkey: migrations: FOREIGN KEY (owner_id) REFERENCES owner(id); entities: FOREIGN KEY (owner_id) REFERENCES owner(id) ON DELETE CASCADE',
  ],
  [
    'a table more',
    'CREATE TABLE drift.forgotten (id integer PRIMARY KEY)',
    'DROP TABLE drift.forgotten',
    'forgotten: kind: migrations: table; not in entities',
  ],
  [
    'row-level security',
    'ALTER TABLE drift.thing ENABLE ROW LEVEL SECURITY',
    'ALTER TABLE drift.thing DISABLE ROW LEVEL SECURITY',
    'thing: row security: migrations: enabled; not in entities',
  ],
  [
    'another value of what is an exception',
    'ALTER TABLE drift.thing SET (fillfactor = 70)',
    'ALTER TABLE drift.thing SET (fillfactor = 80)',
    'thing: options: migrations: fillfactor=70; not in entities',
  ],
];

const { weight: _weight, ...withoutWeight } = THING.columns;
const withColumns = (columns: EntitySchemaOptions<Thing>['columns']) => ({ columns: { ...THING.columns, ...columns } });

/** What is changed in an entity and in no migration, and what is told of it. */
const IN_THE_ENTITY: readonly (readonly [string, Partial<EntitySchemaOptions<Thing>>, string])[] = [
  [
    'a column less',
    { columns: withoutWeight, checks: [], indices: [] },
    'thing.weight: type: migrations: integer; not in entities',
  ],
  ['a column more', withColumns({ extra: { type: 'text' } }), 'thing.extra: null: not in migrations; entities: never'],
  ['another type', withColumns({ tags: { type: 'text' } }), 'thing.tags: type: migrations: text[]; entities: text'],
  [
    'a column that may be null',
    withColumns({ tags: { type: 'text', array: true, nullable: true } }),
    'thing.tags: null: migrations: never; entities: allowed',
  ],
  [
    'no default',
    withColumns({ label: { type: 'text' } }),
    "thing.label: default: migrations: 'none'::text; not in entities",
  ],
  [
    'an index more',
    { indices: [...(THING.indices ?? []), { name: 'thing_tags', columns: ['tags'] }] },
    'thing: index thing_tags: not in migrations; entities: CREATE INDEX thing_tags ON thing USING btree (tags)',
  ],
  [
    'an index that is unique',
    { indices: (THING.indices ?? []).map((index) => ({ ...index, unique: true })) },
    'thing: index thing_open: migrations: CREATE INDEX thing_open ON thing USING btree (owner_id) WHERE ((ended_at IS NULL) AND (weight <> 1)); entities: CREATE UNIQUE INDEX thing_open ON thing USING btree (owner_id) WHERE ((ended_at IS NULL) AND (weight <> 1))',
  ],
  [
    'no check',
    { checks: [] },
    'thing: constraint thing_weight_check: migrations: CHECK ((weight > 0)); not in entities',
  ],
  [
    'no foreign key',
    { foreignKeys: [] },
    'thing: constraint thing_owner_id_fkey: migrations: FOREIGN KEY (owner_id) REFERENCES owner(id) ON DELETE CASCADE; not in entities',
  ],
  ['the name of another table', { tableName: 'things' }, 'things: kind: not in migrations; entities: table'],
];

describe('migrations and entities', () => {
  it('that say the same differ in nothing, whatever the order of columns and the spelling of conditions', async () => {
    expect(await drift()).toEqual([]);
  });

  it.each(IN_THE_DATABASE)('differ by %s in the database', async (_what, plant, undo, told) => {
    await run(plant);
    try {
      expect(await drift()).toContain(told);
    } finally {
      await run(undo);
    }
    expect(await drift()).toEqual([]);
  });

  it.each(IN_THE_ENTITY)('differ by %s in an entity', async (_what, changed, told) => {
    expect(await drift(changed)).toContain(told);
  });

  it('fail for an exception that no longer applies, or never did', async () => {
    const stale = { fact: 'thing: policy gone', migrations: 'USING true', reason: 'it was there once' };
    expect(await drift({}, [...EXCEPTIONS, stale])).toEqual(['exception no longer applies: thing: policy gone']);
    await run('ALTER TABLE drift.thing RESET (fillfactor)');
    try {
      expect(await drift()).toEqual(['exception no longer applies: thing: options']);
    } finally {
      await run('ALTER TABLE drift.thing SET (fillfactor = 80)');
    }
  });

  it('tell what has no exception', async () => {
    expect(await drift({}, EXCEPTIONS.slice(1))).toEqual([
      'thing: options: migrations: fillfactor=80; not in entities',
    ]);
  });
});
