/** The parts of the CTEs for a kept answer: the CTE that says whether to keep one, and the first of four parameters. */
interface KeepOptions {
  /** A CTE with one row if the change was made, for which the token was held; otherwise empty. */
  readonly from: string;
  /** The digest of the token; the digest of the request, the sealed answer and its end follow. */
  readonly firstParameter: number;
  /** Of an answer that is kept for an equal request: whether the new one takes its place; default: always. */
  readonly isReplaceable?: (kept: string) => string;
}

/** The CTE `held`: locks the caller's token, so that it cannot be revoked or deleted until the statement has ended. */
export const holdTokenSql = (parameter: number) => `held AS (
    SELECT token_digest FROM issuer.access_token WHERE token_digest = $${parameter} FOR KEY SHARE
  )`;

/**
 * Is the time in the column later than that in the parameter? Written so that no index on the column is of use: Postgres takes
 * that index for tiny while the table seems empty, and would read all that has not ended instead of one by its key.
 */
export const isLater = (column: string, parameter: string): string =>
  `greatest(${column}, ${parameter}) <> ${parameter}`;

/** Does the token still exist? A request whose token was deleted meanwhile must not change anything. */
export const IS_HELD = 'EXISTS (SELECT FROM held)';

/** CTEs after `held` that keep an answer for the held token, which lives at least as long. `kept_answer` has a row if it is kept. */
export function keepAnswerSql({ from, firstParameter: first, isReplaceable = () => 'true' }: KeepOptions): string {
  const [token, request, sealed, end] = [0, 1, 2, 3].map((offset) => `$${first + offset}`);
  return `kept_answer AS (
    INSERT INTO issuer.kept_answer (token_digest, request_digest, sealed, expires_at)
    SELECT ${token}::bytea, ${request}::bytea, ${sealed}::bytea, ${end}::timestamptz
    FROM ${from} WHERE ${sealed}::bytea IS NOT NULL
    ON CONFLICT (token_digest, request_digest) DO UPDATE SET sealed = excluded.sealed, expires_at = excluded.expires_at
      WHERE ${isReplaceable('kept_answer')}
    RETURNING 1
  ), prolonged AS (
    UPDATE issuer.access_token SET expires_at = ${end}::timestamptz
    WHERE token_digest = ${token}
      AND least(expires_at, ${end}::timestamptz) <> ${end}::timestamptz AND EXISTS (SELECT FROM kept_answer)
  )`;
}

/** Deletes the answers that are kept for the tokens of an offer (a parameter), if `condition` holds. */
export const wipeKeptSql = (offerId: string, condition = 'true') => `
  DELETE FROM issuer.kept_answer WHERE token_digest = ANY (ARRAY(
    SELECT token_digest FROM issuer.access_token WHERE offer_id = ${offerId})) AND ${condition}`;

export const FIND_KEPT = `
  SELECT sealed FROM issuer.kept_answer WHERE token_digest = $1 AND request_digest = $2 AND ${isLater('expires_at', '$3')}`;

/**
 * The token that was issued for a redeemed code (`$1`), and the sealed token itself if the request (`$2`) is the one
 * that received it. Nothing once the offer has ended otherwise than as ISSUED: the token is of no use then.
 */
export const FIND_GIVEN_TOKEN = `
  WITH token AS MATERIALIZED (
    SELECT token_digest, offer_id, thumbprint, granted, expires_at, tx_code_digest FROM issuer.access_token
    WHERE code_digest = $1 AND ${isLater('expires_at', '$3')}
  )
  SELECT token.token_digest, token.offer_id, offer.configuration_id, token.thumbprint, token.granted, token.expires_at,
    token.tx_code_digest, kept.sealed
  FROM token JOIN issuer.credential_offer AS offer
    ON offer.offer_id = ANY (ARRAY(SELECT offer_id FROM token)) AND offer.offer_id = token.offer_id
    LEFT JOIN issuer.kept_answer AS kept
    ON kept.token_digest = ANY (ARRAY(SELECT token_digest FROM token)) AND kept.token_digest = token.token_digest
      AND kept.request_digest = $2 AND ${isLater('kept.expires_at', '$3')}
  WHERE offer.status = 'ISSUED' OR (offer.status = 'OFFER_CREATED' AND offer.expires_at > $3)`;

/** The answers kept for the token are deleted with it. */
export const REVOKE_TOKEN = `DELETE FROM issuer.access_token WHERE token_digest = $1`;
