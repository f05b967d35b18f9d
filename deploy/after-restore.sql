-- Run this after a restore to an older point in time, before any service starts: docs/backup.md says why. It needs a role
-- that row-level security does not apply to, such as the superuser. It may be repeated:
--   psql --set ON_ERROR_STOP=1 --file after-restore.sql "$ADMIN_DATABASE_URL"
BEGIN;
-- An error instead of a list that a policy hides.
SET LOCAL row_security = off;

-- What was open in the backup may have ended since: nobody may use it a second time. The services report EXPIRED. An hour
-- ago, because the clock of a service may be behind that of Postgres.
UPDATE verifier.presentation_request SET expires_at = now() - interval '1 hour'
  WHERE status = 'PENDING' AND expires_at > now() - interval '1 hour';
UPDATE issuer.credential_offer SET expires_at = now() - interval '1 hour'
  WHERE session IS NOT NULL AND expires_at > now() - interval '1 hour';
DELETE FROM issuer.access_token;

-- Credentials issued since have indexes of these lists that the backup does not know: new ones get new lists.
UPDATE issuer.status_list SET closed_at = now() WHERE closed_at IS NULL;
UPDATE wallet_store.status_list SET closed_at = now() WHERE closed_at IS NULL;

-- Verifiers reject a list that is older than the one they have: sign each of them anew.
UPDATE issuer.status_list
  SET published_version = NULL, published_at = NULL, etag = NULL, token = NULL, signed_with = NULL;
UPDATE wallet_store.status_list
  SET published_version = NULL, published_at = NULL, etag = NULL, document = NULL;
COMMIT;
