import { insertCallbackSql, insertCallbacksSql } from '@vestibule/callbacks';
import { MAX_TX_CODE_ATTEMPTS } from '../../domain/credential-offer';
import { holdTokenSql, IS_HELD, isLater, keepAnswerSql } from './kept-statements';
import { SCHEMA } from './migrations';
import { VIEW_COLUMNS } from './offer-view';

/**
 * What is wiped whenever an offer ends: sealed columns, the digests by which codes are recognised, and what only an open
 * offer is asked for.
 */
const WIPE_BUT_CLAIMS = 'transaction_keys = NULL, code_digest = NULL, tx_code_digest = NULL, redeemed_at = NULL';
/** What is kept as long as further credentials may be issued. */
export const WIPE_CLAIMS = 'session = NULL, wallet_status = NULL';
export const WIPE = `${WIPE_CLAIMS}, ${WIPE_BUT_CLAIMS}`;

/**
 * Is the offer open? Written so that it does not imply the condition of `credential_offer_open`: Postgres takes that index
 * for tiny, and would read all open offers, and the dead entries of those that have ended, instead of one by its key.
 */
export const IS_OPEN = `status || '' = 'OFFER_CREATED'`;

/** The offer and its OFFER_CREATED event, which is leased to this process for `$16` milliseconds. */
export const INSERT = `
  WITH created AS (
    INSERT INTO issuer.credential_offer
      (offer_id, configuration_id, session, code_digest, tx_code_digest, created_at, expires_at, callback_url, deferral)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING offer_id, callback_url
  )
  ${insertCallbackSql({ schema: SCHEMA, from: 'created', firstParameter: 10, leaseParameter: 16 })}`;

export const FIND_OPEN = `
  SELECT configuration_id, session, created_at, expires_at FROM issuer.credential_offer
  WHERE offer_id = $1 AND ${IS_OPEN} AND expires_at > $2`;

export const FIND_VIEW = `
  SELECT ${VIEW_COLUMNS} FROM issuer.credential_offer WHERE offer_id = $1`;

/** The session has the key that tokens for an offer with a transaction code are bound with. */
export const FIND_REDEEMABLE = `
  SELECT offer_id, configuration_id, tx_code_digest IS NOT NULL AS has_tx_code,
    deferral IS NOT NULL AS is_deferred, expires_at, CASE WHEN tx_code_digest IS NOT NULL THEN session END AS session
  FROM issuer.credential_offer
  WHERE code_digest = $1 AND ${IS_OPEN} AND redeemed_at IS NULL AND expires_at > $2`;

/** The CTE `proof`: those proofs, in three arrays of kinds, digests and ends, that were not used before. */
const spendProofsSql = (first: number) => `proof AS (
    INSERT INTO issuer.spent (kind, digest, expires_at)
    SELECT kind, digest, expires_at
    FROM unnest($${first}::text[], $${first + 1}::bytea[], $${first + 2}::timestamptz[]) AS given (kind, digest, expires_at)
    ORDER BY kind, digest ON CONFLICT (kind, digest) DO NOTHING RETURNING kind
  )`;

export const SPEND_PROOFS = `WITH ${spendProofsSql(1)} SELECT ARRAY(SELECT kind FROM proof) AS spent`;

/**
 * `$2` contains the digest of the transaction code, or is empty; it is null for an offer that has none by its session,
 * which accepts any. The row alone does not say that there is none: somebody may change it while this statement waits.
 */
const RIGHT_CODE = `coalesce(tx_code_digest = ANY ($2::bytea[]), tx_code_digest IS NULL AND $2::bytea[] IS NULL)`;
const LAST_TRY = `(NOT ${RIGHT_CODE} AND tx_code_attempts + 1 >= ${MAX_TX_CODE_ATTEMPTS})`;
const unlessLastTry = (column: string) => `${column} = CASE WHEN ${LAST_TRY} THEN NULL ELSE ${column} END`;

/** The CTE `proof` for a single proof, in three parameters. */
const spendProofSql = (first: number) => `proof AS (
    INSERT INTO issuer.spent (kind, digest, expires_at) VALUES ($${first}, $${first + 1}, $${first + 2})
    ON CONFLICT (kind, digest) DO NOTHING RETURNING kind
  )`;

const redeemSql = (spendProofs: string, areSpent: string) => `
  WITH ${spendProofs}, attempt AS (
    UPDATE issuer.credential_offer SET
      unserved_at = NULL, unsigned_at = NULL,
      redeemed_at = CASE WHEN ${RIGHT_CODE} THEN $3::timestamptz END,
      tx_code_attempts = tx_code_attempts + CASE WHEN ${RIGHT_CODE} THEN 0 ELSE 1 END,
      status = CASE WHEN ${LAST_TRY} THEN 'FAILED' ELSE status END,
      finished_at = CASE WHEN ${LAST_TRY} THEN $3::timestamptz END,
      wallet_status = CASE WHEN ${RIGHT_CODE} THEN $22::bytea END,
      ${['session', 'code_digest', 'tx_code_digest'].map(unlessLastTry).join(', ')}
    WHERE code_digest = $1 AND ${IS_OPEN} AND redeemed_at IS NULL AND expires_at > $3 AND ${areSpent}
    RETURNING offer_id, redeemed_at, status, callback_url
  ), token AS (
    INSERT INTO issuer.access_token
      (token_digest, offer_id, thumbprint, granted, expires_at, client_id, code_digest, tx_code_digest)
    SELECT $4, offer_id, $5, $6::jsonb, $7, $8, $1, $9 FROM attempt WHERE redeemed_at IS NOT NULL
    RETURNING token_digest
  ), kept_answer AS (
    INSERT INTO issuer.kept_answer (token_digest, request_digest, sealed, expires_at)
    SELECT token_digest, $10, $11, $12 FROM token WHERE $11::bytea IS NOT NULL
  ), ended AS (
    SELECT callback_url FROM attempt WHERE status = 'FAILED'
  ), event AS (
    ${insertCallbackSql({ schema: SCHEMA, from: 'ended', firstParameter: 13 })}
  )
  SELECT (SELECT redeemed_at IS NOT NULL FROM attempt) AS redeemed, (SELECT status = 'FAILED' FROM attempt) AS ended,
    ARRAY(SELECT kind FROM proof) AS spent`;

/**
 * One attempt at a code, atomic by the row's lock: the right transaction code redeems it and binds the token; a wrong
 * one is counted, and the last allowed one ends the offer as FAILED with its event. `$9` recognises the transaction
 * code if the code is sent again; `$10` to `$12` keep the token for a repetition of this request, if it is kept. The
 * proofs in `$19` to `$21` are spent in any case; if one of them was used before, nothing else is changed. `$22` is the sealed
 * status of the wallet, if it is attested.
 */
export const REDEEM = redeemSql(spendProofsSql(19), '(SELECT count(*) FROM proof) = cardinality($19::text[])');

/** The same with one proof, in `$19` to `$21`: most wallets have no other. */
export const REDEEM_ONE = redeemSql(spendProofSql(19), 'EXISTS (SELECT FROM proof)');

/** Ends an open offer as FAILED, with its event. */
export const FAIL = `
  WITH ended AS (
    UPDATE issuer.credential_offer SET status = 'FAILED', ${WIPE}, finished_at = $2
    WHERE offer_id = $1 AND ${IS_OPEN} RETURNING callback_url
  ), event AS (
    ${insertCallbackSql({ schema: SCHEMA, from: 'ended', firstParameter: 3 })}
  )
  SELECT 1 AS won FROM ended`;

/**
 * A token outlives ISSUED for notifications, and FAILED of a deferred credential, so that the wallet learns why. It
 * also returns which of the nonces in `$3` were used, so that they are refused before anything is reserved or signed.
 * Kept answers are looked up only if something was answered. LATERAL leaves Postgres only the keys, also while it has no
 * statistics of a table and takes it for small.
 */
export const FIND_GRANT = `
  SELECT offer.offer_id, offer.configuration_id, offer.status, offer.created_at, offer.expires_at,
    CASE WHEN offer.expires_at > $2 THEN offer.session END AS session,
    offer.deferral, offer.transaction_digest, offer.transaction_keys, offer.wallet_status, token.thumbprint, token.granted, token.client_id,
    ARRAY(SELECT digest FROM issuer.spent WHERE kind = 'c_nonce' AND digest = ANY ($3::bytea[])) AS used_nonces,
    CASE WHEN offer.status = 'ISSUED' OR (offer.status = 'OFFER_CREATED' AND offer.transaction_digest IS NOT NULL) THEN ARRAY(
      SELECT request_digest FROM issuer.kept_answer AS kept
      WHERE kept.token_digest = token.token_digest AND ${isLater('kept.expires_at', '$2')}) END AS kept_requests
  FROM issuer.access_token AS token CROSS JOIN LATERAL (
    SELECT * FROM issuer.credential_offer WHERE offer_id = token.offer_id OFFSET 0) AS offer
  WHERE token.token_digest = $1 AND ${isLater('token.expires_at', '$2')}
    AND (offer.status = 'ISSUED' OR (offer.status = 'OFFER_CREATED' AND offer.expires_at > $2)
      OR (offer.status = 'FAILED' AND offer.transaction_digest IS NOT NULL))`;

/** The same; the DPoP proof `$4` is spent until `$5`, if the token is bound to the key with the thumbprint `$6`. */
export const FIND_GRANT_WITH_PROOF = `
  WITH found AS MATERIALIZED (${FIND_GRANT}
  ), proof AS (
    INSERT INTO issuer.spent (kind, digest, expires_at)
    SELECT 'dpop_proof', $4::bytea, $5::timestamptz FROM found WHERE thumbprint = $6::text
    ON CONFLICT (kind, digest) DO NOTHING RETURNING 1
  )
  SELECT found.*, EXISTS (SELECT FROM proof) AS is_proof_fresh FROM found`;

/** The CTE `spent`: the nonces in `$3`, with their ends in `$4`, that were not used before. */
export const SPEND_NONCES = `spent AS (
    INSERT INTO issuer.spent (kind, digest, expires_at)
    SELECT 'c_nonce', digest, expires_at FROM unnest($3::bytea[], $4::timestamptz[]) AS nonce (digest, expires_at)
    ORDER BY digest ON CONFLICT (kind, digest) DO NOTHING RETURNING 1
  )`;

/**
 * The CTEs `named` and `issued`: mark the entries with these list numbers and indexes as belonging to issued credentials, if
 * `condition` holds. They are locked in the same order as by a change of status, and found by their key. That the
 * numbers are not negative makes Postgres expect one entry instead of ten; otherwise it would plan each time.
 */
export function markIssued(listNumbers: string, indexes: string, condition: string): string {
  return `named AS (
    SELECT held.list_number, held.idx FROM (
      SELECT * FROM unnest(${listNumbers}::int[], ${indexes}::int[]) AS pair (list_number, idx)
      WHERE list_number > 0 AND idx >= 0 AND ${condition} ORDER BY list_number, idx
    ) AS given CROSS JOIN LATERAL (
      SELECT list_number, idx FROM issuer.status_entry
      WHERE list_number = given.list_number AND idx = given.idx FOR UPDATE
    ) AS held
  ), issued AS (
    UPDATE issuer.status_entry AS entry SET is_issued = true FROM named
    WHERE entry.list_number = ANY (ARRAY(SELECT list_number FROM named)) AND entry.idx = ANY (ARRAY(SELECT idx FROM named))
      AND entry.list_number = named.list_number AND entry.idx = named.idx
  )`;
}

/** The parts of COMPLETE that depend on how many nonces and entries there are. */
interface CompletionParts {
  /** The CTE `spent`: the nonces that were not used before. */
  readonly spendNonces: string;
  readonly areSpent: string;
  /** How many of the nonces were spent. */
  readonly spent: string;
  /** The CTE `issued`, which marks the entries. */
  readonly markEntries: string;
}

const completeSql = ({ spendNonces, areSpent, spent, markEntries }: CompletionParts) => `
  WITH ${spendNonces}, ${holdTokenSql(10)}, ended AS (
    UPDATE issuer.credential_offer SET status = 'ISSUED', ${WIPE_BUT_CLAIMS}, finished_at = $2, shortened_to = $9,
      session = CASE WHEN $5::boolean THEN session END,
      wallet_status = CASE WHEN $5::boolean THEN wallet_status END
    WHERE offer_id = $1 AND ${IS_OPEN} AND expires_at > $2 AND ($6::bytea IS NULL OR sha256(session) = $6)
      AND ${areSpent} AND ${IS_HELD}
    RETURNING callback_url
  ), ${keepAnswerSql({ from: 'ended', firstParameter: 10 })}, ${markEntries}, event AS (
    ${insertCallbackSql({ schema: SCHEMA, from: 'ended', firstParameter: 14, holdParameter: 20 })}
  )
  SELECT ${spent} AS spent, EXISTS (SELECT FROM ended) AS ended`;

/**
 * Spends the nonces and, only if all of them were unspent, ends the offer as ISSUED: one statement, one winner. The
 * order prevents deadlocks between two requests with the same nonces. `$5` keeps the claims; `$6` identifies those that
 * were signed, if they may change; `$7` and `$8` identify the status list entries of the credentials, `$9` is their end
 * if the issuer's chain set it. `$10` to `$13` are token, request, answer and end of what is kept for a repetition.
 * `$20` is how long the event waits for the answer to be handed over.
 */
export const COMPLETE = completeSql({
  spendNonces: SPEND_NONCES,
  areSpent: '(SELECT count(*) FROM spent) = cardinality($3::bytea[])',
  spent: '(SELECT count(*) FROM spent)::int',
  markEntries: markIssued('$7', '$8', 'EXISTS (SELECT FROM ended)'),
});

/**
 * The same for one nonce and at most one entry, in `$3`, `$4`, `$7` and `$8`: most issuances, for which there is no
 * order to keep. It costs Postgres a quarter less.
 */
export const COMPLETE_ONE = completeSql({
  spendNonces: `spent AS (
    INSERT INTO issuer.spent (kind, digest, expires_at) VALUES ('c_nonce', $3, $4)
    ON CONFLICT (kind, digest) DO NOTHING RETURNING 1
  )`,
  areSpent: 'EXISTS (SELECT FROM spent)',
  spent: 'EXISTS (SELECT FROM spent)::int',
  markEntries: `issued AS (
    UPDATE issuer.status_entry SET is_issued = true
    WHERE list_number = $7 AND idx = $8 AND EXISTS (SELECT FROM ended)
  )`,
});

/** If the backend has supplied no claims, no wallet can have missed them. */
const WAS_UNSERVED = `((unserved_at IS NOT NULL OR unsigned_at IS NOT NULL) AND deferral IS DISTINCT FROM 'waiting')`;

export const FIND_OVERDUE = `
  SELECT offer_id, ${WAS_UNSERVED} AS was_unserved, unsigned_at IS NOT NULL AS was_unsigned FROM issuer.credential_offer
  WHERE status = 'OFFER_CREATED' AND expires_at <= $1 ORDER BY expires_at LIMIT $2`;

/**
 * Ends each as EXPIRED, or as FAILED if its event (`$8`) says so. Skips rows that are locked by a wallet's request or
 * another replica's sweep, so that nothing waits or deadlocks, and rows that were marked since they were found: the next
 * sweep tells their backends.
 */
export const EXPIRE = `
  WITH overdue AS (
    SELECT offer.offer_id, given.subject, given.status
    FROM unnest($2::bytea[], $3::text[], $8::text[]) AS given (offer_id, subject, status)
    JOIN issuer.credential_offer AS offer ON offer.offer_id = given.offer_id
    WHERE offer.offer_id = ANY ($2) AND offer.${IS_OPEN} AND offer.expires_at <= $1 AND ${WAS_UNSERVED} = (given.status = 'FAILED')
    FOR UPDATE OF offer SKIP LOCKED
  ), ended AS (
    UPDATE issuer.credential_offer AS offer SET ${WIPE}, finished_at = $1,
      status = CASE overdue.status WHEN 'FAILED' THEN 'FAILED' ELSE 'EXPIRED' END
    FROM overdue WHERE offer.offer_id = ANY ($2) AND offer.offer_id = overdue.offer_id
    RETURNING overdue.subject, offer.callback_url
  ), event AS (
    ${insertCallbacksSql({ schema: SCHEMA, from: 'ended', firstParameter: 4 })}
  )
  SELECT count(*)::int AS expired FROM ended`;
