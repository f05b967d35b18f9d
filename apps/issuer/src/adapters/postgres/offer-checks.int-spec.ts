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

const KEEPING: Readonly<Record<string, string>> = {
  session: 'code_digest = NULL, tx_code_digest = NULL, finished_at = now()',
  code_digest: 'session = NULL, tx_code_digest = NULL, finished_at = now()',
  tx_code_digest: 'session = NULL, code_digest = NULL, finished_at = now()',
  finished_at: WIPED,
  transaction_keys: `${ENDED}, transaction_keys = 'x'`,
};
/** An end in each way that keeps what the check forbids, or lacks its time. An issued offer may keep its claims. */
const endings = (check: string, kept: keyof typeof KEEPING, statuses = ['ISSUED', 'FAILED', 'EXPIRED']) =>
  statuses.map((status) => [check, `status = '${status}', ${KEEPING[kept]}`] as const);

/** Changes of an open offer with a transaction code that no program makes, and the check that refuses them. */
const REFUSED: readonly (readonly [check: string, changes: string])[] = [
  ['credential_offer_offer_id_check', `offer_id = '\\x00'`],
  ['credential_offer_offer_id_check', `offer_id = offer_id || '\\x00'::bytea`],
  ['credential_offer_offer_id_check', `offer_id = ''`],
  ['credential_offer_status_check', `status = 'DONE', ${ENDED}`],
  ['credential_offer_status_check', `status = 'issued', ${ENDED}`],
  ['credential_offer_status_check', `status = '', ${ENDED}`],
  ['credential_offer_deferral_check', `deferral = 'later'`],
  ['credential_offer_deferral_check', `deferral = ''`],
  ['credential_offer_transaction_digest_check', `deferral = 'waiting', transaction_digest = '\\x00'`],
  ['credential_offer_transaction_digest_check', `deferral = 'waiting', transaction_digest = ${DIGEST} || ${DIGEST}`],
  ['credential_offer_notification_event_check', `notification_event = 'credential_lost', notified_at = now()`],
  ['credential_offer_notification_event_check', `notification_event = '', notified_at = now()`],
  ['open_has_session', 'session = NULL'],
  ...endings('open_has_session', 'session', ['FAILED', 'EXPIRED']),
  ['open_has_code', 'code_digest = NULL'],
  ...endings('open_has_code', 'code_digest'),
  ...endings('ended_has_no_tx_code', 'tx_code_digest'),
  ...endings('ended_has_time', 'finished_at'),
  ['ended_has_time', 'finished_at = now()'],
  ...endings('ended_has_no_keys', 'transaction_keys'),
  ['only_deferred_has_transaction', `transaction_digest = ${DIGEST}`],
  ['only_deferred_has_transaction', `status = 'ISSUED', ${ENDED}, transaction_digest = ${DIGEST}`],
  ['notified_has_time', `notification_event = 'credential_accepted'`],
  ['notified_has_time', 'notified_at = now()'],
];

/** Each check, weaker by one of its parts; `true` is none at all. */
const WEAKER: readonly (readonly [check: string, expression: string])[] = [
  ...[...new Set(REFUSED.map(([check]) => check))].map((check) => [check, 'true'] as const),
  ['credential_offer_offer_id_check', 'octet_length((VALUE).offer_id) <= 24'],
  ['credential_offer_offer_id_check', 'octet_length((VALUE).offer_id) >= 24'],
  ['credential_offer_status_check', `upper((VALUE).status) IN ('OFFER_CREATED', 'ISSUED', 'FAILED', 'EXPIRED')`],
  ['credential_offer_deferral_check', `(VALUE).deferral <> ''`],
  ['credential_offer_deferral_check', `(VALUE).deferral IN ('waiting', 'ready', '')`],
  ['credential_offer_transaction_digest_check', 'octet_length((VALUE).transaction_digest) >= 32'],
  ['credential_offer_transaction_digest_check', 'octet_length((VALUE).transaction_digest) <= 32'],
  ['credential_offer_notification_event_check', `(VALUE).notification_event <> ''`],
  ['credential_offer_notification_event_check', `(VALUE).notification_event LIKE 'credential_%'`],
  ['open_has_session', `(VALUE).status <> 'OFFER_CREATED' OR (VALUE).session IS NOT NULL`],
  ['open_has_session', `(VALUE).status IN ('OFFER_CREATED', 'ISSUED', 'FAILED') OR (VALUE).session IS NULL`],
  ['open_has_session', `(VALUE).status IN ('OFFER_CREATED', 'ISSUED', 'EXPIRED') OR (VALUE).session IS NULL`],
  ['open_has_code', `(VALUE).status <> 'OFFER_CREATED' OR (VALUE).code_digest IS NOT NULL`],
  ...['ISSUED', 'FAILED', 'EXPIRED'].flatMap((status): (readonly [string, string])[] => {
    const alsoOne = `(VALUE).status IN ('OFFER_CREATED', '${status}')`;
    return [
      ['open_has_code', `${alsoOne} OR (VALUE).code_digest IS NULL`],
      ['ended_has_no_tx_code', `${alsoOne} OR (VALUE).tx_code_digest IS NULL`],
      ['ended_has_time', `${alsoOne} OR (VALUE).finished_at IS NOT NULL`],
      ['ended_has_no_keys', `${alsoOne} OR (VALUE).transaction_keys IS NULL`],
    ];
  }),
  ['ended_has_time', `(VALUE).status = 'OFFER_CREATED' OR (VALUE).finished_at IS NOT NULL`],
  [
    'only_deferred_has_transaction',
    `(VALUE).deferral IS NOT NULL OR (VALUE).transaction_digest IS NULL OR (VALUE).session IS NULL`,
  ],
  ['notified_has_time', '(VALUE).notification_event IS NULL OR (VALUE).notified_at IS NOT NULL'],
  ['notified_has_time', '(VALUE).notified_at IS NULL OR (VALUE).notification_event IS NOT NULL'],
];

const ACCEPTED = [
  `deferral = 'waiting', transaction_digest = ${DIGEST}, transaction_keys = 'x'`,
  `deferral = 'ready'`,
  `status = 'ISSUED', code_digest = NULL, tx_code_digest = NULL, finished_at = now()`,
  `status = 'ISSUED', ${ENDED}, notification_event = 'credential_failure', notified_at = now()`,
  `status = 'FAILED', ${ENDED}, deferral = 'waiting', transaction_digest = ${DIGEST}`,
  `status = 'EXPIRED', ${ENDED}`,
  `status = 'FAILED', ${ENDED}`,
  `status = 'ISSUED', ${ENDED}`,
  ...['credential_accepted', 'credential_deleted'].map(
    (event) => `status = 'ISSUED', ${ENDED}, notification_event = '${event}', notified_at = now()`,
  ),
];

/** Which of these changes are accepted where a check is weaker; nothing of it is left. */
async function acceptedWith(check: string, expression: string, rows: readonly string[]): Promise<string[]> {
  const accepted: string[] = [];
  const undone = stage.database.transaction(async ({ query }) => {
    await query(`ALTER DOMAIN issuer.credential_offer_row DROP CONSTRAINT ${check}`);
    await query(`ALTER DOMAIN issuer.credential_offer_row ADD CONSTRAINT ${check} CHECK (${expression})`);
    for (const changes of rows) {
      await query('SAVEPOINT before_change');
      const one = await query<object>(`UPDATE issuer.credential_offer SET ${changes} RETURNING 1 AS changed`).then(
        () => [changes],
        () => [],
      );
      accepted.push(...one);
      await query('ROLLBACK TO before_change');
    }
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  return accepted;
}

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

  it.each(WEAKER)('%s as %s would accept what is refused now, and so with every part of it', async (check, weaker) => {
    await stage.insert({}, TX_CODE);
    await stage.dropTokens();
    const rows = REFUSED.filter(([name]) => name === check).map(([, changes]) => changes);
    expect(await acceptedWith(check, weaker, rows)).not.toEqual([]);
    await expect(change(rows[0] as string)).rejects.toMatchObject({ constraint: check });
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
