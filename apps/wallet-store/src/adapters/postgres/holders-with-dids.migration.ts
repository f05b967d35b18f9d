import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/** Holders whose address is not a DID, such as an email address, which must not be stored unsealed. */
const HIDE = `
  UPDATE wallet_store.credential SET holder_did = NULL, presented = true
  WHERE holder_did COLLATE "C" !~ '^did:[a-z0-9]+:[\\x21-\\x7E]+$'`;

/** Row-level security would hide every row from the owner of the table, who migrates as no tenant. */
const FORCE = (mode: 'FORCE' | 'NO FORCE') => `ALTER TABLE wallet_store.credential ${mode} ROW LEVEL SECURITY`;

/** Only DIDs remain in `holder_did`; every other address is in the sealed document. */
export class HoldersWithDids1795700000000 implements ServiceMigration {
  name = 'HoldersWithDids1795700000000';
  /** An older program may still store such an address; its documents are found as before. */
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [FORCE('NO FORCE'), HIDE, FORCE('FORCE')]) await runner.query(statement);
  }

  /** The addresses are in the documents, and the program before reads what is there. */
  async down(): Promise<void> {}
}
