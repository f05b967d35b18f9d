import { openStoreStage, TX_CODE, type StoreStage } from '../../testing/store.fixture-spec';
import { CredentialOfferEntity } from './credential-offer.entity';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const WIPED = 'session = NULL, code_digest = NULL, tx_code_digest = NULL';
const ENDED = `${WIPED}, finished_at = now()`;
const DIGEST = `sha256('x')`;

/** Changes of an open offer with a transaction code that no program makes, and the check that refuses them. */
const REFUSED: readonly (readonly [check: string, changes: string])[] = [
  ['credential_offer_offer_id_check', `offer_id = '\\x00'`],
  ['credential_offer_offer_id_check', `offer_id = offer_id || '\\x00'::bytea`],
  ['credential_offer_status_check', `status = 'DONE', ${ENDED}`],
  ['credential_offer_status_check', `status = 'issued', ${ENDED}`],
  ['credential_offer_deferral_check', `deferral = 'later'`],
  ['credential_offer_deferral_check', `deferral = ''`],
  ['credential_offer_transaction_digest_check', `deferral = 'waiting', transaction_digest = '\\x00'`],
  ['credential_offer_notification_event_check', `notification_event = 'credential_lost', notified_at = now()`],
  ['open_has_session', 'session = NULL'],
  ['open_has_session', `status = 'FAILED', code_digest = NULL, tx_code_digest = NULL, finished_at = now()`],
  ['open_has_session', `status = 'EXPIRED', code_digest = NULL, tx_code_digest = NULL, finished_at = now()`],
  ['open_has_code', 'code_digest = NULL'],
  ['open_has_code', `status = 'ISSUED', session = NULL, tx_code_digest = NULL, finished_at = now()`],
  ['ended_has_no_tx_code', `status = 'ISSUED', session = NULL, code_digest = NULL, finished_at = now()`],
  ['ended_has_time', `status = 'ISSUED', ${WIPED}`],
  ['ended_has_time', 'finished_at = now()'],
  ['ended_has_no_keys', `status = 'ISSUED', ${ENDED}, transaction_keys = 'x'`],
  ['only_deferred_has_transaction', `transaction_digest = ${DIGEST}`],
  ['notified_has_time', `notification_event = 'credential_accepted'`],
  ['notified_has_time', 'notified_at = now()'],
];

const ACCEPTED = [
  `deferral = 'waiting', transaction_digest = ${DIGEST}, transaction_keys = 'x'`,
  `deferral = 'ready'`,
  `status = 'ISSUED', code_digest = NULL, tx_code_digest = NULL, finished_at = now()`,
  `status = 'ISSUED', ${ENDED}, notification_event = 'credential_failure', notified_at = now()`,
  `status = 'FAILED', ${ENDED}, deferral = 'waiting', transaction_digest = ${DIGEST}`,
  `status = 'EXPIRED', ${ENDED}`,
];

const change = (changes: string) =>
  stage.database.query<object>(`UPDATE issuer.credential_offer SET ${changes} RETURNING 1 AS changed`);

describe('Postgres checks the row of an offer', () => {
  it('by every check of the entity, each of which has a row here that it refuses', async () => {
    const named = (CredentialOfferEntity.options.checks ?? []).map(({ name }) => name);
    expect([...new Set(REFUSED.map(([check]) => check))].sort()).toEqual(named.sort());
  });

  it.each(REFUSED)('%s refuses %s', async (check, changes) => {
    await stage.insert({}, TX_CODE);
    await expect(change(changes)).rejects.toMatchObject({ sqlState: '23514', constraint: check });
  });

  it('and refuses it when it is inserted', async () => {
    await stage.insert({}, TX_CODE);
    const copied = `INSERT INTO issuer.credential_offer (offer_id, configuration_id, session, code_digest, created_at, expires_at)
      SELECT sha256(offer_id), configuration_id, session, sha256(code_digest), created_at, expires_at FROM issuer.credential_offer`;
    await expect(stage.database.query(copied)).rejects.toMatchObject({
      constraint: 'credential_offer_offer_id_check',
    });
  });

  it.each(ACCEPTED)('and accepts %s', async (changes) => {
    await stage.insert({}, TX_CODE);
    expect(await change(changes)).toHaveLength(1);
  });

  it('of existing rows, too: no check is left to be validated', async () => {
    const checks = await stage.database.query<{ name: string; valid: boolean }>(
      `SELECT conname AS name, convalidated AS valid FROM pg_constraint
       WHERE contype = 'c' AND (conrelid = 'issuer.credential_offer'::regclass OR contypid = 'issuer.credential_offer_row'::regtype)`,
    );
    expect(checks).toHaveLength((CredentialOfferEntity.options.checks ?? []).length + 1);
    expect(checks.filter(({ valid }) => !valid)).toEqual([]);
  });
});
