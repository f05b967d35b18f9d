import { releaseCallbacksSql } from '@vestibule/callbacks';
import { wipeKeptSql } from './kept-statements';
import { SCHEMA } from './migrations';

/**
 * A repeated notification changes nothing, not even the time. A wallet that sends one has its answer, so no answers are
 * kept, and the event of the offer (`$4` is its subject) is released. The offer is locked before its event, as in
 * {@link HAND_OVER}.
 */
export const NOTIFY = `
  WITH wiped AS (${wipeKeptSql('$1')}
  ), noted AS (
    UPDATE issuer.credential_offer SET notification_event = $2, notified_at = $3,
      accepted_at = coalesce(accepted_at, CASE 'credential_accepted' WHEN notification_event THEN notified_at WHEN $2 THEN $3 END),
      handed_over_at = CASE WHEN repeated_at IS NULL THEN coalesce(handed_over_at, $3) ELSE handed_over_at END
    WHERE offer_id = $1 AND notification_event IS DISTINCT FROM $2
  ), named AS (
    SELECT $4::text AS subject FROM issuer.credential_offer WHERE offer_id = $1 FOR NO KEY UPDATE
  ), released AS (
    ${releaseCallbacksSql({ schema: SCHEMA, from: 'named' })}
  )
  SELECT count(*)::int AS released FROM released`;

/**
 * Records for a batch of offers (`$1`, with their subjects `$2`) that a first answer (`$3`) or a repeated one (`$4`)
 * was handed over at `$5`. Times already recorded are kept. Rows are locked in the order of their ids, so that two
 * batches with the same offers do not deadlock; the second one finds the events released. `$6` to `$8` lease some of
 * them to this process. LATERAL leaves Postgres only the keys, which are read in the order of the ids;
 * the other conditions say nothing more, but make it expect few of them, so that it updates by key, and plans once.
 */
export const HAND_OVER = `
  WITH issued AS (
    SELECT offer.offer_id, given.subject, given.is_first, given.is_repeated
    FROM (
      SELECT * FROM unnest($1::bytea[], $2::text[], $3::boolean[], $4::boolean[])
        AS each (offer_id, subject, is_first, is_repeated)
      WHERE offer_id > '' AND subject > '' ORDER BY offer_id
    ) AS given JOIN LATERAL (
      SELECT offer_id FROM issuer.credential_offer
      WHERE offer_id = given.offer_id AND status = 'ISSUED'
        AND ((given.is_first AND handed_over_at IS NULL) OR (given.is_repeated AND repeated_at IS NULL))
      FOR NO KEY UPDATE
    ) AS offer ON offer.offer_id = given.offer_id
  ), noted AS (
    UPDATE issuer.credential_offer AS offer SET
      handed_over_at = coalesce(offer.handed_over_at, CASE WHEN issued.is_first THEN $5::timestamptz END),
      repeated_at = coalesce(offer.repeated_at, CASE WHEN issued.is_repeated THEN $5::timestamptz END)
    FROM issued WHERE offer.offer_id = ANY ($1::bytea[]) AND offer.offer_id = issued.offer_id
    RETURNING issued.subject
  ), released AS (
    ${releaseCallbacksSql({ schema: SCHEMA, from: 'noted', leaseParameter: 6 })}
  )
  SELECT * FROM released`;
