import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

interface Reference {
  readonly table: string;
  readonly column: string;
  readonly parent: 'entity' | 'wallet' | 'claims_schema';
}

const PARENTS = { entity: 'did', wallet: 'did', claims_schema: 'id' } as const;

const REFERENCES: readonly Reference[] = [
  { table: 'wallet', column: 'entity_did', parent: 'entity' },
  ...['credential', 'presentation'].flatMap((table): readonly Reference[] => [
    { table, column: 'entity_did', parent: 'entity' },
    { table, column: 'wallet_did', parent: 'wallet' },
  ]),
  { table: 'published_schema', column: 'owner_did', parent: 'entity' },
  { table: 'published_schema', column: 'id', parent: 'claims_schema' },
];

const replaceKey = ({ table, column, parent }: Reference, columns: string, referenced: string): string =>
  `ALTER TABLE wallet_store.${table} DROP CONSTRAINT ${table}_${column}_fkey,
     ADD CONSTRAINT ${table}_${column}_fkey FOREIGN KEY (${columns}) REFERENCES wallet_store.${parent} (${referenced})`;

const uniqueOf = (parent: string) => `${parent}_${PARENTS[parent as keyof typeof PARENTS]}_tenant_id_key`;

/** A row refers only to rows of its own tenant: a second safeguard behind row-level security. */
export class TenantKeys1795392000000 implements ServiceMigration {
  name = 'TenantKeys1795392000000';
  /** Every row that an older program writes already refers to a single tenant. */
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const [parent, key] of Object.entries(PARENTS)) {
      await runner.query(
        `ALTER TABLE wallet_store.${parent} ADD CONSTRAINT ${uniqueOf(parent)} UNIQUE (${key}, tenant_id)`,
      );
    }
    for (const reference of REFERENCES) {
      const { column, parent } = reference;
      await runner.query(replaceKey(reference, `${column}, tenant_id`, `${PARENTS[parent]}, tenant_id`));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const reference of REFERENCES) {
      await runner.query(replaceKey(reference, reference.column, PARENTS[reference.parent]));
    }
    for (const parent of Object.keys(PARENTS))
      await runner.query(`ALTER TABLE wallet_store.${parent} DROP CONSTRAINT ${uniqueOf(parent)}`);
  }
}
