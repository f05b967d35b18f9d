import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // `certificate` is the SHA-256 of the first certificate in `x5c`, the public chain of the credentials in the list;
  // `signed_with` names the chain that the published token was signed with.
  `ALTER TABLE issuer.status_list
     ADD COLUMN certificate bytea CHECK (octet_length(certificate) = 32),
     ADD COLUMN x5c text[],
     ADD COLUMN signed_with bytea CHECK (octet_length(signed_with) = 32),
     ADD CONSTRAINT owner_whole CHECK ((certificate IS NULL) = (x5c IS NULL))`,
  // A list belongs to the certificate that last signed its token, which is in the header.
  `UPDATE issuer.status_list AS list SET x5c = header.x5c, certificate = sha256(decode(header.x5c[1], 'base64'))
   FROM (
     SELECT list_number, ARRAY(SELECT json_array_elements_text(convert_from(decode(
       rpad(translate(part, '-_', '+/'), (length(part) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::json -> 'x5c')) AS x5c
     FROM (SELECT list_number, split_part(token, '.', 1) AS part FROM issuer.status_list WHERE token IS NOT NULL) AS published
   ) AS header
   WHERE header.list_number = list.list_number AND cardinality(header.x5c) > 0`,
  // When the credentials of an issued offer expire, if the issuer's chain shortened their validity.
  `ALTER TABLE issuer.credential_offer ADD COLUMN shortened_to timestamptz`,
  `DROP INDEX issuer.status_list_open`,
  // At most one list per certificate accepts new entries.
  `CREATE UNIQUE INDEX status_list_open ON issuer.status_list ((coalesce(certificate, ''::bytea))) WHERE closed_at IS NULL`,
];

const DOWN = [
  `ALTER TABLE issuer.credential_offer DROP COLUMN shortened_to`,
  `UPDATE issuer.status_list SET closed_at = now() WHERE closed_at IS NULL`,
  `DROP INDEX issuer.status_list_open`,
  `CREATE UNIQUE INDEX status_list_open ON issuer.status_list ((true)) WHERE closed_at IS NULL`,
  `ALTER TABLE issuer.status_list DROP COLUMN certificate, DROP COLUMN x5c, DROP COLUMN signed_with`,
];

/** Status lists belong to the issuer certificate of their credentials. */
export class AddListCertificates1772582400001 implements MigrationInterface {
  name = 'AddListCertificates1772582400001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
