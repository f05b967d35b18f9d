import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { testSize, until } from '@vestibule/testkit';
import { createPool, type RowSource } from './look-into-database';
import { CLAIMS, endIn } from './flows';
import { ISSUANCE, startStage, type Stage } from './stage';

/** Before a release: `CRASH_OFFERS=1000 npx jest issuer-crash --selectProjects e2e`. */
const OFFERS = testSize('CRASH_OFFERS', 150);
const WALLETS = 32;
/** Each offer that two wallets go for at once. */
const CONTESTED = 10;
/** Longer than the test: what is left open is ended when all wallets are done. */
const OFFER_SECONDS = 3_600;
const TEST_MILLISECONDS = 120_000 + OFFERS * 500;

interface Outcome {
  readonly offerId: string;
  readonly credentials: readonly string[];
}

interface StatusReference {
  readonly idx: number;
  readonly uri: string;
}

let stage: Stage;
let rows: RowSource;
beforeAll(async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  // The wallets here do not ask again with a token that they had: nobody has to wait long for them.
  const issuer = { CALLBACK_SECRETS: secret, REDELIVERY_SECONDS: '5' };
  stage = await startStage({ apps: ISSUANCE, environment: { issuer } });
  rows = createPool(stage.database.urls.issuer);
});
afterAll(async () => {
  over = true;
  await rows?.close();
  await stage?.stop();
});

const claimsOf = (compact: string) => decodeJwt(compact.split('~', 1)[0] ?? '');
const statusOf = (compact: string) =>
  (claimsOf(compact) as { status: { status_list: StatusReference } }).status.status_list;

/** Set when the test is over: who still repeats a call then gives up. */
let over = false;
/** Repeats a call that costs a process something until it says so. */
const patiently = (isDone: () => Promise<boolean>) =>
  until(isDone, TEST_MILLISECONDS / 1000, { everyMilliseconds: 100 });

/** A backend that repeats its call until it is answered, under one key. */
async function offer(): Promise<{ offerId: string; uri: string }> {
  const headers = { 'idempotency-key': randomBytes(24).toString('hex') };
  const body = { credential_configuration_id: 'identity-card', claims: CLAIMS, expires_in: OFFER_SECONDS };
  let made: Record<string, string> | undefined;
  await patiently(async () => {
    const answer = await stage.management('POST', '/offers', body, headers);
    if (answer.status === 201) made = answer.body as Record<string, string>;
    else expect([answer.status, over]).toEqual([503, false]);
    return made !== undefined;
  });
  return { offerId: made?.['offer_id'] as string, uri: made?.['credential_offer_uri'] as string };
}

const errorOf = (error: unknown) => error as { readonly status?: number; readonly error?: string };

/** A wallet that tries again after what may pass, and gives up when its code or its offer is gone. */
async function redeem(uri: string): Promise<string[]> {
  const wallet = stage.createWallet();
  let credentials: string[] = [];
  await patiently(async () => {
    try {
      credentials = (await wallet.redeemOffer(uri, { typeMetadata: false })).map(({ compact }) => compact);
      return true;
    } catch (error) {
      const { status } = errorOf(error);
      return over || (status !== undefined && status < 500);
    }
  });
  return credentials;
}

async function offerAndRedeem(index: number): Promise<Outcome> {
  const { offerId, uri } = await offer();
  const wallets = Array.from({ length: index % CONTESTED === 0 ? 2 : 1 }, () => redeem(uri));
  return { offerId, credentials: (await Promise.all(wallets)).flat() };
}

/** Wallets in parallel, each with one offer after the other. */
async function storm(): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  async function work(_: unknown, wallet: number): Promise<void> {
    // Not all at the same step: each begins when the one before it has done something.
    await until(() => outcomes.length >= wallet / 4, TEST_MILLISECONDS / 1000);
    while (next < OFFERS) {
      next += 1;
      outcomes.push(await offerAndRedeem(next));
    }
  }
  await Promise.all(Array.from({ length: WALLETS }, work));
  return outcomes;
}

/** Waits for the callback that says so many offers are issued: then the next ones are just being. */
async function untilIssued(count: number): Promise<void> {
  const issued = () => stage.backend.received.filter(({ text }) => text.includes('"ISSUED"')).length;
  await until(() => issued() >= count || over, TEST_MILLISECONDS / 1000);
}

/** The statuses that the backend heard of each offer; what has one `webhook-id` counts once. */
function heard(): Map<string, string[]> {
  const events = new Map<string, { offerId: string; status: string }>();
  for (const { headers, body } of stage.backend.received) {
    const id = headers['webhook-id'];
    expect(id).toEqual(expect.any(String));
    events.set(id as string, body as { offerId: string; status: string });
  }
  const statuses = new Map<string, string[]>();
  for (const { offerId, status } of events.values()) statuses.set(offerId, [...(statuses.get(offerId) ?? []), status]);
  return statuses;
}

/** Offers whose wallet lost its code or its answer end now, and not by themselves in an hour. */
async function untilAllEnded(count: number): Promise<Map<string, string[]>> {
  const open = await rows.query<{ id: Buffer }>(
    `SELECT offer_id AS id FROM issuer.credential_offer WHERE status = 'OFFER_CREATED'`,
  );
  await endIn(stage, 0, ...open.map(({ id }) => id.toString('base64url')));
  const isComplete = (all: Map<string, string[]>) =>
    all.size >= count && [...all.values()].every((statuses) => statuses.length >= 2);
  await until(() => isComplete(heard()), 90, { everyMilliseconds: 50 });
  // What must not come would be in the outbox.
  await stage.untilDelivered([...heard().keys()]);
  return heard();
}

describe('32 wallets while the issuer is killed and restarted', () => {
  let outcomes: Outcome[];
  let statuses: Map<string, string[]>;
  beforeAll(async () => {
    const issuer = stage.stack.process('issuer');
    const begin = performance.now();
    const restarts = async () => {
      await untilIssued(OFFERS / 3);
      await issuer.kill('SIGKILL');
      await issuer.restart();
      await untilIssued(OFFERS / 2);
      await issuer.stop();
      expect(issuer.describeEnd()).toContain('exit code 0');
      await issuer.restart();
    };
    [outcomes] = await Promise.all([storm(), restarts()]);
    const seconds = Math.round((performance.now() - begin) / 1000);
    statuses = await untilAllEnded(OFFERS);
    const issued = outcomes.filter(({ credentials }) => credentials.length > 0).length;
    process.stderr.write(`${OFFERS} offers, ${issued} credentials, ${seconds} s\n`);
  }, TEST_MILLISECONDS);

  it('VCI:P9 every offer ends in exactly one state, with one callback each, after OFFER_CREATED', async () => {
    expect(new Set(outcomes.map(({ offerId }) => offerId)).size).toBe(OFFERS);
    expect([...statuses.keys()].sort()).toEqual(outcomes.map(({ offerId }) => offerId).sort());
    const stored = await rows.query<{ id: Buffer; status: string }>(
      'SELECT offer_id AS id, status FROM issuer.credential_offer',
    );
    expect(stored).toHaveLength(OFFERS);
    for (const { id, status } of stored) {
      expect(['ISSUED', 'EXPIRED', 'FAILED']).toContain(status);
      expect(statuses.get(id.toString('base64url'))).toEqual(['OFFER_CREATED', status]);
    }
  });

  it('an offer is FAILED only where a wallet came while the issuer was away', () => {
    const failed = stage.backend.received.map(({ body }) => body as { status: string; errorDetails?: string });
    for (const { errorDetails } of failed.filter(({ status }) => status === 'FAILED'))
      expect(errorDetails).toMatch(/^wallet_not_served: /);
  });

  it('VCI:T8 VCI:P9 no offer is issued twice, and who has a credential has it from an offer that is ISSUED', () => {
    const successful = outcomes.filter(({ credentials }) => credentials.length > 0);
    // Each restart may cost what 32 wallets had begun: a code that was used, an answer that was lost.
    expect(successful.length).toBeGreaterThan(OFFERS - 3 * WALLETS);
    for (const { offerId, credentials } of successful) {
      expect(credentials).toHaveLength(1);
      expect(statuses.get(offerId)).toEqual(['OFFER_CREATED', 'ISSUED']);
    }
  });

  it('VCI:Z9 no index is used twice, and each is reserved for the offer of its credential', async () => {
    const reserved = await rows.query<{ list: Buffer; idx: number; offer: Buffer }>(
      `SELECT list_id AS list, idx, offer_id AS offer FROM issuer.status_entry JOIN issuer.status_list USING (list_number)`,
    );
    const owner = new Map(
      reserved.map(({ list, idx, offer: id }) => [`${list.toString('base64url')}#${idx}`, id.toString('base64url')]),
    );
    expect(owner.size).toBe(reserved.length);
    const used = outcomes.flatMap(({ offerId, credentials }) =>
      credentials.map((compact) => {
        const { uri, idx } = statusOf(compact);
        return [`${uri.split('/').at(-1)}#${idx}`, offerId] as const;
      }),
    );
    expect(new Set(used.map(([place]) => place)).size).toBe(used.length);
    for (const [place, offerId] of used) expect(owner.get(place)).toBe(offerId);
  });

  it('VCI:P10 nothing of the claims, codes and tokens of an ended offer is left', async () => {
    const open = await rows.query(
      'SELECT FROM issuer.credential_offer WHERE session IS NOT NULL OR code_digest IS NOT NULL',
    );
    expect(open).toEqual([]);
    expect(await rows.query('SELECT FROM issuer.callback WHERE dead_at IS NOT NULL')).toEqual([]);
  });
});
