import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which wallet a token belongs to, and the spent proofs of wallet attestations. */
export class AddWalletAttestation1767312000000 implements MigrationInterface {
  name = 'AddWalletAttestation1767312000000';

  async up(runner: QueryRunner): Promise<void> {
    // The name of a wallet product, never of one of its instances.
    await runner.query('ALTER TABLE issuer.access_token ADD COLUMN client_id text');
    await runner.query('ALTER TABLE issuer.spent DROP CONSTRAINT spent_kind_check');
    await runner.query(`ALTER TABLE issuer.spent ADD CONSTRAINT spent_kind_check
      CHECK (kind IN ('c_nonce', 'dpop_proof', 'attestation_proof'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM issuer.spent WHERE kind = 'attestation_proof'`);
    await runner.query('ALTER TABLE issuer.spent DROP CONSTRAINT spent_kind_check');
    await runner.query(`ALTER TABLE issuer.spent ADD CONSTRAINT spent_kind_check
      CHECK (kind IN ('c_nonce', 'dpop_proof'))`);
    await runner.query('ALTER TABLE issuer.access_token DROP COLUMN client_id');
  }
}
