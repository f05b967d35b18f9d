import { isLater } from './kept-statements';

/** Ordered like the index: otherwise a table with mostly old rows would be read from its beginning each time. */
const purge = (table: string, column: string) => `
  DELETE FROM issuer.${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM issuer.${table} WHERE ${column} <= $1 ORDER BY ${column} LIMIT $2 FOR UPDATE SKIP LOCKED))
  RETURNING 1 AS purged`;

/** Is an answer kept for the wallet of `offer` at this time? LIMIT and OFFSET leave Postgres only the keys. */
export const hasKeptAnswer = (now: string): string => `EXISTS (
    SELECT FROM issuer.access_token AS token CROSS JOIN LATERAL (
      SELECT FROM issuer.kept_answer WHERE token_digest = token.token_digest AND ${isLater('expires_at', now)} LIMIT 1) AS kept
    WHERE token.offer_id = offer.offer_id OFFSET 0)`;

/**
 * Offers that ended by `$1`, at `$3`. One that was never issued is deleted with its reserved entries; those of an issued
 * offer are kept for its credentials. An offer that keeps its claims or an answer is still of use to its wallet. As ARRAY,
 * their ids are known before the entries are read, so that Postgres need not join them.
 */
export const PURGE_OFFERS = `
  WITH gone AS (
    DELETE FROM issuer.credential_offer WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM issuer.credential_offer AS offer
      WHERE finished_at <= $1 AND session IS NULL AND NOT ${hasKeptAnswer('$3')} ORDER BY finished_at LIMIT $2
      FOR UPDATE SKIP LOCKED))
    RETURNING offer_id, status
  ), lost AS (
    UPDATE issuer.status_entry SET offer_id = NULL
    WHERE offer_id = ANY (ARRAY(SELECT offer_id FROM gone WHERE status <> 'ISSUED'))
  )
  SELECT 1 AS purged FROM gone`;
export const PURGE_TOKENS = purge('access_token', 'expires_at');
export const PURGE_SPENT = purge('spent', 'expires_at');
/** Returns one row, whatever it finds. */
export const PURGE_KEPT_ANSWERS = `WITH gone AS (${purge('kept_answer', 'expires_at')})
  SELECT count(*)::int AS purged FROM gone`;

const firstOf = (table: string, condition: string, column: string) =>
  `(SELECT true FROM issuer.${table} WHERE ${condition} ORDER BY ${column} LIMIT 1)`;

const IS_KEPT = `status = 'ISSUED' AND session IS NOT NULL`;

/**
 * Is there something for one of the purges? Each is looked for through the index of its purge, until there is one; whether an
 * old offer has to wait for the end of an answer is left to its purge. Without
 * `$3`, where claims are kept, they are not read.
 */
export const REMAINS = `
  SELECT coalesce(
    ${firstOf('credential_offer', 'finished_at <= $2 AND session IS NULL', 'finished_at')},
    ${firstOf('access_token', 'expires_at <= $1', 'expires_at')},
    ${firstOf('spent', 'expires_at <= $1', 'expires_at')},
    ${firstOf('credential_offer', `${IS_KEPT} AND expires_at <= $1`, 'expires_at')},
    CASE WHEN $3::timestamptz IS NOT NULL
      THEN ${firstOf('credential_offer', `${IS_KEPT} AND finished_at <= $3`, 'expires_at')} END,
    ${firstOf('kept_answer', 'expires_at <= $1', 'expires_at')},
    false) AS remain`;
