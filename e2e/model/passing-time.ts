import { until } from '@vestibule/testkit';
import type { World } from './world';

/** Longer than anything about an ended flow is kept. */
const RETENTION = `interval '86401 seconds'`;

interface Passed {
  readonly moved: number;
  readonly is_open: boolean;
}

/** Lets the retention of an ended flow pass by one statement, and waits until the other finds it no more. */
async function forget({ rows }: World, id: string, [move, find]: readonly [string, string]): Promise<'done' | 'open'> {
  const key = [Buffer.from(id, 'base64url')];
  const [passed] = (await rows.query<Passed>(move, key)).rows;
  if (passed?.is_open === true && passed.moved === 0) return 'open';
  await until(async () => (await rows.query(find, key)).rows.length === 0);
  return 'done';
}

const FIND_REQUEST = 'SELECT 1 FROM verifier.presentation_request WHERE state = $1';
const MOVE_REQUEST = `
  WITH moved AS (
    UPDATE verifier.presentation_request SET created_at = created_at - ${RETENTION},
      expires_at = expires_at - ${RETENTION}, finished_at = finished_at - ${RETENTION}
    WHERE state = $1 AND finished_at IS NOT NULL RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM moved) AS moved,
    EXISTS (SELECT FROM verifier.presentation_request WHERE state = $1 AND finished_at IS NULL) AS is_open`;

export const forgetRequest = (world: World, id: string) => forget(world, id, [MOVE_REQUEST, FIND_REQUEST]);

const FIND_OFFER = 'SELECT 1 FROM issuer.credential_offer WHERE offer_id = $1';
/** A token for a deferred credential lives longer than an offer is remembered. */
const MOVE_OFFER = `
  WITH moved AS (
    UPDATE issuer.credential_offer SET created_at = created_at - ${RETENTION},
      expires_at = least(expires_at, now()) - ${RETENTION}, finished_at = finished_at - ${RETENTION}
    WHERE offer_id = $1 AND finished_at IS NOT NULL RETURNING 1
  ), token AS (
    UPDATE issuer.access_token SET expires_at = expires_at - ${RETENTION}
    WHERE offer_id = $1 AND EXISTS (SELECT FROM moved)
    RETURNING token_digest
  ), kept AS (
    UPDATE issuer.kept_answer SET expires_at = expires_at - ${RETENTION}
    WHERE token_digest IN (SELECT token_digest FROM token)
  )
  SELECT (SELECT count(*)::int FROM moved) AS moved,
    EXISTS (SELECT FROM issuer.credential_offer WHERE offer_id = $1 AND finished_at IS NULL) AS is_open`;

export const forgetOffer = (world: World, id: string) => forget(world, id, [MOVE_OFFER, FIND_OFFER]);

/** What waits because nobody knows whether its answer arrived is told now. */
export async function releaseEvents({ rows }: World, id: string): Promise<void> {
  const sql =
    'UPDATE issuer.callback SET held_until = now(), next_attempt_at = now() WHERE subject = $1 AND held_until > now()';
  await rows.query(sql, [id]);
}

/** Lets the time pass in which answers about an offer can be given again. */
export async function stopRedelivery(world: World, id: string): Promise<'done'> {
  const sql = `UPDATE issuer.kept_answer SET expires_at = now() - interval '1 second' WHERE token_digest IN (
    SELECT token_digest FROM issuer.access_token WHERE offer_id = $1)`;
  await world.rows.query(sql, [Buffer.from(id, 'base64url')]);
  await releaseEvents(world, id);
  return 'done';
}
