import type { ServiceMigration } from '@vestibule/persistence';
import type { QueryRunner } from 'typeorm';

/** Holders whose address is not such a DID, such as an email address, which must not be stored unsealed. */
const hideSql = (did: string) => `
  UPDATE wallet_store.credential SET holder_did = NULL, presented = true WHERE holder_did COLLATE "C" !~ '${did}'`;

/** Row-level security would hide every row from the owner of the table, who migrates as no tenant. */
const FORCE = (mode: 'FORCE' | 'NO FORCE') => `ALTER TABLE wallet_store.credential ${mode} ROW LEVEL SECURITY`;

async function hide(runner: QueryRunner, did: string): Promise<void> {
  for (const statement of [FORCE('NO FORCE'), hideSql(did), FORCE('FORCE')]) await runner.query(statement);
}

/** Only DIDs remain in `holder_did`; every other address is in the sealed document. */
export class HoldersWithDids1795700000000 implements ServiceMigration {
  name = 'HoldersWithDids1795700000000';
  /** An older program may still store such an address; its documents are found as before. */
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await hide(runner, '^did:[a-z0-9]+:[\\x21-\\x7E]+$');
  }

  /** The addresses are in the documents, and the program before reads what is there. */
  async down(): Promise<void> {}
}

/** No paths, queries and fragments of DIDs either: the syntax is that of DID Core §3.1. */
export class HoldersWithBareDids1795710000000 implements ServiceMigration {
  name = 'HoldersWithBareDids1795710000000';
  readonly compatibleWith = 'previous';

  async up(runner: QueryRunner): Promise<void> {
    await hide(runner, '^did:[a-z0-9]+:([A-Za-z0-9._:-]|%[0-9A-Fa-f]{2})*([A-Za-z0-9._-]|%[0-9A-Fa-f]{2})$');
  }

  async down(): Promise<void> {}
}
