import { insertCallbackSql } from '@vestibule/callbacks';
import { holdTokenSql, IS_HELD, isLater, keepAnswerSql } from './kept-statements';
import { SCHEMA } from './migrations';
import { IS_OPEN, markIssued, SPEND_NONCES, WIPE, WIPE_CLAIMS } from './statements';

/**
 * Marks an open offer that could not be signed, once: a wallet that tries again while the device is away writes nothing.
 * If the offer is completed, it ends, and the mark means nothing.
 */
export const MARK_UNSIGNED = `
  UPDATE issuer.credential_offer SET unsigned_at = $2
  WHERE offer_id = $1 AND ${IS_OPEN} AND unsigned_at IS NULL`;

/** Ends an open, unexpired offer as FAILED, with its event; also returns whether the offer exists at all. */
export const CANCEL = `
  WITH ended AS (
    UPDATE issuer.credential_offer SET status = 'FAILED', ${WIPE}, finished_at = $2
    WHERE offer_id = $1 AND ${IS_OPEN} AND expires_at > $2 RETURNING callback_url
  ), event AS (
    ${insertCallbackSql({ schema: SCHEMA, from: 'ended', firstParameter: 3 })}
  )
  SELECT (SELECT count(*) FROM ended)::int AS ended,
    (SELECT count(*) FROM issuer.credential_offer WHERE offer_id = $1)::int AS known`;

export const FIND_CHANGEABLE = `
  SELECT configuration_id, expires_at, session, deferral, status = 'OFFER_CREATED' AND expires_at > $2 AS is_open
  FROM issuer.credential_offer WHERE offer_id = $1`;

/** Stores the claims of a deferred offer, whether or not a wallet is waiting for them. */
export const COMPLETE_CLAIMS = `
  UPDATE issuer.credential_offer SET session = $3, deferral = 'ready', unserved_at = NULL, unsigned_at = NULL
  WHERE offer_id = $1 AND ${IS_OPEN} AND deferral IS NOT NULL AND expires_at > $2
  RETURNING 1 AS changed`;

/**
 * Spends the nonces and, only if all of them were unspent, defers the credential: the transaction replaces an earlier
 * one. The first transaction sets the end of the offer, which is that of the access token; later ones do not, because kept
 * answers prolong the token. `$7` to `$10` keep the answer as `$10` to `$13` of COMPLETE do for credentials. What was kept
 * before is deleted, because it refers to a transaction that is no longer open. OFFSET has Postgres look for the latest end
 * among the tokens of the offer, and not from that of all tokens on.
 */
export const DEFER = `
  WITH ${SPEND_NONCES}, ${holdTokenSql(7)}, deferred AS (
    UPDATE issuer.credential_offer AS offer SET transaction_digest = $5, transaction_keys = $6, unserved_at = NULL, unsigned_at = NULL,
      expires_at = CASE WHEN transaction_digest IS NOT NULL THEN expires_at
        ELSE COALESCE((SELECT max(token.expires_at) FROM (
          SELECT expires_at FROM issuer.access_token WHERE offer_id = $1 OFFSET 0) AS token), expires_at) END
    WHERE offer.offer_id = $1 AND offer.${IS_OPEN} AND offer.deferral IS NOT NULL AND offer.expires_at > $2
      AND (SELECT count(*) FROM spent) = cardinality($3::bytea[]) AND ${IS_HELD}
    RETURNING offer.offer_id
  ), ${keepAnswerSql({ from: 'deferred', firstParameter: 7 })}, replaced AS (
    DELETE FROM issuer.kept_answer
    WHERE token_digest = $7 AND request_digest IS DISTINCT FROM $8::bytea AND EXISTS (SELECT FROM deferred)
  )
  SELECT (SELECT count(*) FROM spent)::int AS spent, (SELECT count(*) FROM deferred)::int AS deferred`;

/**
 * The state of an offer that was not completed although the nonces were good, if it still has claims: it is open, or
 * issued and kept; `$3` as `$6` of COMPLETE. If claims are kept for it (`$4`) and unchanged, the credentials of this request
 * are issued too (`$5`, `$6`), and their answer is kept as by COMPLETE (`$7` to `$10`): the lock prevents the claims
 * from being deleted before that is written. If an answer is kept for an equal request, nothing is issued, unless that answer is
 * the one to be replaced (`$11`: its digest). The key of the table decides between equal requests, also at the same moment.
 */
export const COMPLETE_AGAIN = `
  WITH ${holdTokenSql(7)}, claimed AS (
    SELECT status, $3::bytea IS NULL OR sha256(session) = $3 AS is_unchanged FROM issuer.credential_offer
    WHERE offer_id = $1 AND session IS NOT NULL AND expires_at > $2 AND ${IS_HELD} FOR SHARE
  ), serving AS (
    SELECT FROM claimed WHERE $4::boolean AND status = 'ISSUED' AND is_unchanged
  ), ${keepAnswerSql({
    from: 'serving',
    firstParameter: 7,
    isReplaceable: (kept) => `sha256(${kept}.sealed) = $11::bytea OR NOT ${isLater(`${kept}.expires_at`, '$2')}`,
  })}, kept AS (
    SELECT FROM serving WHERE $9::bytea IS NULL OR EXISTS (SELECT FROM kept_answer)
  ), ${markIssued('$5', '$6', 'EXISTS (SELECT FROM kept)')}
  SELECT status = 'OFFER_CREATED' AS is_open, EXISTS (SELECT FROM kept) AS is_issued,
    EXISTS (SELECT FROM serving) AS is_served FROM claimed`;

const wipeKept = (column: string) => `
  UPDATE issuer.credential_offer SET ${WIPE_CLAIMS} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM issuer.credential_offer
    WHERE status = 'ISSUED' AND session IS NOT NULL AND ${column} <= $1 ORDER BY expires_at LIMIT $2
    FOR UPDATE SKIP LOCKED))
  RETURNING 1 AS purged`;
export const PURGE_KEPT = wipeKept('expires_at');
/** Whatever time the offer has left. Reads all claims that are kept: nearly all are to go. */
export const PURGE_UNKEPT = wipeKept('finished_at');

/**
 * Marks open offers whose wallet came `$3` milliseconds ago, before they expired; `$1` and `$2` identify them. An id
 * counts only for the first step, before the offer was redeemed. A locked row is being marked or ended already.
 */
export const MARK_UNSERVED = `
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::bytea[], $3::integer[]) AS given (by, name, ago)
  ), named AS (
    SELECT offer_id, ago FROM given JOIN issuer.credential_offer ON offer_id = ANY ($2) AND offer_id = name
    WHERE by = 'offer_id' AND redeemed_at IS NULL
    UNION ALL SELECT offer_id, ago FROM given JOIN issuer.credential_offer ON code_digest = ANY ($2) AND code_digest = name
    WHERE by = 'code_digest'
    UNION ALL SELECT offer_id, ago FROM given JOIN issuer.access_token ON token_digest = ANY ($2) AND token_digest = name
    WHERE by = 'token_digest'
  ), held AS (
    SELECT open.offer_id FROM (SELECT offer_id, max(ago) AS ago FROM named GROUP BY offer_id) AS first
    JOIN issuer.credential_offer AS open ON open.offer_id = first.offer_id
    WHERE open.offer_id = ANY (ARRAY(SELECT offer_id FROM named)) AND open.${IS_OPEN} AND open.unserved_at IS NULL
      AND open.expires_at > $4::timestamptz - first.ago * interval '1 millisecond'
    ORDER BY open.offer_id FOR UPDATE OF open SKIP LOCKED
  )
  UPDATE issuer.credential_offer AS offer SET unserved_at = $4 WHERE offer_id = ANY (ARRAY(SELECT offer_id FROM held))
  RETURNING 1 AS marked`;
