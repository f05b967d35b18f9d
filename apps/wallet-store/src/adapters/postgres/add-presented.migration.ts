import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

const KINDS = ['credential', 'presentation'];

/**
 * What was presented before: every presentation that was not drafted in its wallet, and the credentials that came into
 * that wallet at the same instant, which is how a presentation brings them.
 */
const MARK = [
  'UPDATE wallet_store.presentation SET presented = true WHERE source IS NULL',
  `UPDATE wallet_store.credential AS credential SET presented = true FROM wallet_store.presentation AS brought
   WHERE brought.wallet_did = credential.wallet_did AND brought.created_at = credential.created_at
     AND brought.presented AND credential.source IS NULL`,
];

/** Row-level security would hide every row from the owner of the tables, who migrates as no tenant. */
const secured = (statements: readonly string[]): string[] => [
  ...KINDS.map((kind) => `ALTER TABLE wallet_store.${kind} NO FORCE ROW LEVEL SECURITY`),
  ...statements,
  ...KINDS.map((kind) => `ALTER TABLE wallet_store.${kind} FORCE ROW LEVEL SECURITY`),
];

/**
 * Which documents another wallet presented: those without a holder are not held by their wallet. An older program marks
 * none, so that the documents without a holder which it copies count as held, as before.
 */
export class AddPresented1795413600000 implements ServiceMigration {
  name = 'AddPresented1795413600000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const kind of KINDS) {
      await runner.query(`ALTER TABLE wallet_store.${kind} ADD COLUMN presented boolean NOT NULL DEFAULT false`);
    }
    for (const statement of secured(MARK)) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const kind of KINDS) await runner.query(`ALTER TABLE wallet_store.${kind} DROP COLUMN presented`);
  }
}
