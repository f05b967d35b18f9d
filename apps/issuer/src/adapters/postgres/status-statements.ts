import { STATUS_VALUES } from '../../domain/credential-status';
import { isLater, wipeKeptSql } from './kept-statements';
import { WIPE_CLAIMS } from './statements';

/** The owner of a list: the SHA-256 of the first certificate in `x5c`, a parameter of text[]. */
const certificateOf = (x5c: string) => `sha256(decode((${x5c}::text[])[1], 'base64'))`;

/** The parts of DRAW_INDEXES that put several indexes in order. */
interface DrawOrder {
  readonly byIndex: string;
  readonly asDrawn: string;
}

const drawSql = ({ byIndex, asDrawn }: DrawOrder) => `
  WITH list AS (
    SELECT list_number, list_id, size FROM issuer.status_list
    WHERE closed_at IS NULL AND certificate = $5 AND issuer = $6
  ), free AS (
    SELECT list.list_number, candidate.idx
    FROM list CROSS JOIN unnest($1::int[]) AS candidate (idx)
    WHERE candidate.idx < list.size AND NOT EXISTS (
      SELECT FROM issuer.status_entry AS entry
      WHERE entry.list_number = list.list_number AND entry.idx = candidate.idx)
    LIMIT $2
  ), taken AS (
    INSERT INTO issuer.status_entry (list_number, idx, offer_id, expires_at, is_issued)
    SELECT list_number, idx, $3, $4, false FROM free ${byIndex}
    ON CONFLICT (list_number, idx) DO NOTHING RETURNING idx
  )
  SELECT list_number, list_id, ARRAY(SELECT idx FROM taken ${asDrawn}) AS indexes FROM list`;

/**
 * Takes the first free candidates (`$1`) in the open list of a certificate (its SHA-256, `$5`) and an issuer (`$6`) for an
 * offer. An index is free if no row has it: the primary key assigns an index to one caller only, even if several draw it
 * at the same time. No row of the list is locked or changed. The digest is computed by the program: this statement is part
 * of each issuance, and Postgres took as long to read a chain and to hash it as for a simple statement.
 */
export const DRAW_INDEXES = drawSql({ byIndex: 'ORDER BY idx', asDrawn: 'ORDER BY array_position($1::int[], idx)' });

/** The same for a single index (`$2` is 1), for which there is no order. */
export const DRAW_INDEX = drawSql({ byIndex: '', asDrawn: '' });

/**
 * Opens a list of a certificate (`$4`) and an issuer (`$5`) that have none open, or replaces a full one; of several
 * callers exactly one succeeds.
 */
export const OPEN_LIST = `
  WITH closed AS (
    UPDATE issuer.status_list SET closed_at = now() WHERE list_number = $3 AND closed_at IS NULL RETURNING list_number
  )
  INSERT INTO issuer.status_list (list_id, size, certificate, x5c, issuer)
  SELECT $1, $2, ${certificateOf('$4')}, $4, $5::text WHERE EXISTS (SELECT FROM closed)
    OR NOT EXISTS (
      SELECT FROM issuer.status_list
      WHERE closed_at IS NULL AND certificate = ${certificateOf('$4')} AND issuer = $5::text)
  ON CONFLICT DO NOTHING`;

/** Assigns lists of a previous version to a certificate (`$1`), which may have one open list. */
export const ADOPT_LISTS = `
  UPDATE issuer.status_list SET certificate = ${certificateOf('$1')}, x5c = $1,
    closed_at = CASE WHEN closed_at IS NULL AND EXISTS (
      SELECT FROM issuer.status_list AS other
      WHERE other.closed_at IS NULL AND other.issuer = '' AND other.certificate = ${certificateOf('$1')}) THEN $2 ELSE closed_at END
  WHERE certificate IS NULL`;

/** The chains of all lists with unexpired credentials, the issuers of these, and when the last of them expires. */
export const FIND_OWNERS = `
  SELECT list.x5c, max(entry.ends_at) AS ends_at, count(*)::int AS lists, array_agg(DISTINCT list.issuer) AS issuers
  FROM issuer.status_list AS list CROSS JOIN LATERAL (
    SELECT max(expires_at) AS ends_at FROM issuer.status_entry
    WHERE list_number = list.list_number AND offer_id IS NOT NULL
  ) AS entry
  WHERE list.x5c IS NOT NULL AND entry.ends_at > $1 GROUP BY list.x5c`;

/** Does a list have no unexpired credential? OFFSET has Postgres look into each list, and not read all entries to join them. */
const HAS_NO_ENTRY = `NOT EXISTS (
    SELECT FROM issuer.status_entry AS entry
    WHERE entry.list_number = list.list_number AND entry.offer_id IS NOT NULL OFFSET 0)`;

/** Closes lists of certificates other than that of `$2` without unexpired credentials, so that they can be deleted. */
export const CLOSE_ABANDONED = `
  UPDATE issuer.status_list AS list SET closed_at = $1
  WHERE closed_at IS NULL AND certificate IS DISTINCT FROM ${certificateOf('$2')} AND ${HAS_NO_ENTRY}
  RETURNING 1 AS closed`;

/** Holds an offer until the transaction ends: nothing issues or ends it meanwhile. Also returns whether it is issued and kept. */
export const HOLD_OFFER = `
  SELECT status = 'ISSUED' AND session IS NOT NULL AS keeps_claims
  FROM issuer.credential_offer WHERE offer_id = $1 FOR NO KEY UPDATE`;

/** The entries of an offer (`$1`). As an array, Postgres finds them by it even where it takes all entries for few. */
const IS_OF_OFFER = 'offer_id = ANY (ARRAY(SELECT $1::bytea))';

/** Wipes the kept claims of an issued offer: a suspended or revoked credential must not be issued again as valid. */
export const END_KEPT = `
  UPDATE issuer.credential_offer SET ${WIPE_CLAIMS}
  WHERE offer_id = $1 AND status || '' = 'ISSUED' AND session IS NOT NULL
    AND EXISTS (SELECT FROM issuer.status_entry WHERE ${IS_OF_OFFER})`;

const IS_CHANGED = `EXISTS (SELECT FROM verdict WHERE offer = 'ISSUED' AND credentials > 0)`;

/**
 * Changes the status of all entries of an issued offer, unless one of them is revoked and the new status is another,
 * and counts the change in their lists. Answers with a revoked credential are not repeated. Entries of credentials that
 * were never issued change too, but are not counted. Rows are locked in order, so that two callers cannot deadlock; the
 * order is not written as that of the key, along which Postgres would read all entries.
 */
export const CHANGE_STATUS = `
  WITH offer AS (
    SELECT status FROM issuer.credential_offer WHERE offer_id = $1
  ), entry AS (
    SELECT list_number, idx, status, is_issued FROM issuer.status_entry
    WHERE ${IS_OF_OFFER} AND ${isLater('expires_at', '$3')} ORDER BY list_number + 0, idx FOR UPDATE
  ), verdict AS (
    SELECT (SELECT status FROM offer) AS offer, (count(*) FILTER (WHERE is_issued))::int AS credentials,
      coalesce(bool_or(status = ${STATUS_VALUES.revoked} AND $2 <> ${STATUS_VALUES.revoked}), false) AS revoked
    FROM entry
  ), changed AS (
    UPDATE issuer.status_entry AS target SET status = $2 FROM entry, verdict
    WHERE target.list_number = ANY (ARRAY(SELECT list_number FROM entry)) AND target.idx = ANY (ARRAY(SELECT idx FROM entry))
      AND target.list_number = entry.list_number AND target.idx = entry.idx AND entry.status <> $2
      AND coalesce(verdict.offer = 'ISSUED', true) AND NOT verdict.revoked
    RETURNING target.list_number
  ), list AS (
    SELECT list_number FROM issuer.status_list
    WHERE list_number = ANY (ARRAY(SELECT list_number FROM changed)) ORDER BY list_number FOR UPDATE
  ), counted AS (
    UPDATE issuer.status_list SET version = version + 1 WHERE list_number = ANY (ARRAY(SELECT list_number FROM list))
  ), wiped AS (${wipeKeptSql('$1', `$2 = ${STATUS_VALUES.revoked} AND ${IS_CHANGED}`)}
  )
  SELECT offer, credentials, revoked FROM verdict`;

export const FIND_LIST = `
  SELECT version, x5c, issuer, signed_with, published_version, published_at, etag, CASE WHEN etag = $2 THEN NULL ELSE token END AS token,
    now() AS database_at
  FROM issuer.status_list WHERE list_id = $1`;

export const READ_CONTENT = `
  SELECT version, size, changed.indexes, changed.statuses, list.closed_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM issuer.status_entry AS entry
    WHERE entry.list_number = list.list_number AND entry.offer_id IS NOT NULL) AS is_over
  FROM issuer.status_list AS list CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(idx ORDER BY idx), '{}') AS indexes,
      coalesce(array_agg(status ORDER BY idx), '{}') AS statuses
    FROM issuer.status_entry AS entry WHERE entry.list_number = list.list_number AND status <> 0
  ) AS changed
  WHERE list_id = $1`;

/** Nothing older replaces what is newer, unless that was published with a clock that was ahead. */
export const PUBLISH = `
  UPDATE issuer.status_list SET published_version = $2, published_at = $3, etag = $4, token = $5, signed_with = $6
  WHERE list_id = $1 AND (published_at IS NULL OR (published_version <= $2 AND (
    published_at <= $3 OR published_at > greatest(now(), $3) + interval '60 seconds')))`;

/** An expired credential needs no status any more: the entry's link to its offer is removed. */
export const UNLINK_EXPIRED = `
  UPDATE issuer.status_entry SET offer_id = NULL WHERE ctid = ANY (ARRAY(
    SELECT entry.place FROM issuer.status_list AS list CROSS JOIN LATERAL (
      SELECT ctid AS place FROM issuer.status_entry
      WHERE list_number = list.list_number AND offer_id IS NOT NULL AND expires_at <= $1
      LIMIT $2 FOR UPDATE SKIP LOCKED) AS entry LIMIT $2))
  RETURNING 1 AS unlinked`;

/** Closed for so long that every reservation in it has ended, and without an unexpired credential. */
const OVER = `
  list.closed_at < $1::timestamptz - interval '1 hour' AND ${HAS_NO_ENTRY}`;

export const PURGE_ENTRIES = `
  DELETE FROM issuer.status_entry WHERE ctid = ANY (ARRAY(
    SELECT entry.place FROM issuer.status_list AS list CROSS JOIN LATERAL (
      SELECT ctid AS place FROM issuer.status_entry WHERE list_number = list.list_number
      LIMIT $2 FOR UPDATE SKIP LOCKED) AS entry
    WHERE ${OVER} LIMIT $2))
  RETURNING 1 AS purged`;

export const PURGE_LISTS = `
  DELETE FROM issuer.status_list AS list
  WHERE ${OVER} AND NOT EXISTS (
    SELECT FROM issuer.status_entry AS entry WHERE entry.list_number = list.list_number OFFSET 0)
  RETURNING 1 AS purged`;
