import { randomBytes } from 'node:crypto';
import { createCommitEvents } from '@vestibule/callbacks';
import { issuanceEvent as issuanceEventSchema, type IssuanceEvent } from '@vestibule/contracts';
import { createSealer, createSecret, createTimedId, sha256 } from '@vestibule/crypto';
import { createTestDatabase } from '@vestibule/dev-stack';
import { createDatabase, createIdempotency, type Database } from '@vestibule/persistence';
import type { Logger } from '@vestibule/process';
import { until } from '@vestibule/testkit';
import {
  createCredentialOfferStore,
  type CredentialOfferStoreOptions,
} from '../adapters/postgres/credential-offer.store';
import { createIssuanceStore } from '../adapters/postgres/issuance.store';
import { MIGRATIONS, SCHEMA } from '../adapters/postgres/migrations';
import { createOfferChangeStore } from '../adapters/postgres/offer-change.store';
import { createRedemptionStore } from '../adapters/postgres/redemption.store';
import { createStatusListStore } from '../adapters/postgres/status-list.store';
import type { OpenOffer } from '../domain/credential-offer';
import { failedEvent, issuanceEvent as issuanceEventOf } from '../domain/issuance-event';
import type { Completion } from '../domain/issuance';
import type { OlderReplicas } from '../domain/older-replicas';
import type { Redemption } from '../domain/redemption';
import type { ProofKind } from '../domain/spendable-proof';
import { CLAIMS, NOW, TYPE_ID } from './issuer.fixture-spec';

const nothing = () => undefined;
const NO_LEASE = { count: 0, milliseconds: 15_000, deliveredOf: () => [], settle: nothing };
/** Leaves every event to whoever claims it. */
export const commitWithoutLease = (wake: () => void = nothing) => createCommitEvents(() => NO_LEASE, wake);
export const QUIET: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
export const RETENTION_SECONDS = 3_600;
export const OFFER_SECONDS = 300;
export const TX_CODE = '493817';

/** An event of the outbox as the backend would get it. */
export interface QueuedEvent {
  readonly subject: string;
  readonly event: IssuanceEvent;
}

export const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

/** An offer that was not stored yet. */
export function newOffer(changes: Partial<OpenOffer> = {}): OpenOffer {
  return {
    offerId: createTimedId(NOW, randomBytes),
    configurationId: TYPE_ID,
    claims: CLAIMS,
    preAuthorizedCode: createSecret(randomBytes),
    createdAt: NOW,
    expiresAt: at(OFFER_SECONDS),
    ...changes,
  };
}

/** One attempt to redeem the code of an offer. */
export function redemptionOf(offer: OpenOffer, changes: Partial<Redemption> = {}): Redemption {
  return {
    offerId: offer.offerId,
    codeDigest: sha256(offer.preAuthorizedCode),
    txCode: undefined,
    tokenDigest: sha256(createSecret(randomBytes)),
    tokenExpiresAt: at(200),
    thumbprint: 'thumbprint-of-a-key',
    clientId: undefined,
    granted: [],
    proofs: [],
    now: NOW,
    failedEvent: failedEvent(offer.offerId, 'tx_code_attempts_exceeded', 'too many'),
    ...changes,
  };
}

/** The token that the fixture gives each offer that it stores. */
export const tokenOf = ({ offerId }: Pick<OpenOffer, 'offerId'>) => `token-of-${offerId}`;

/** An offer as a wallet with that token has read it. */
export const readBy = ({ offerId }: Pick<OpenOffer, 'offerId'>) => ({ offerId, accessToken: tokenOf({ offerId }) });

/** The end of an offer as ISSUED, without nonces and status lists unless told otherwise. */
export function completionOf({ offerId }: Pick<OpenOffer, 'offerId'>, changes: Partial<Completion> = {}): Completion {
  return {
    offer: readBy({ offerId }),
    nonces: [],
    entries: [],
    event: issuanceEventOf(offerId, 'ISSUED'),
    now: NOW,
    holdSeconds: 0,
    ...changes,
  };
}

const contextOf = (id: Buffer) => `${SCHEMA}.callback.payload/${id.toString('base64url')}`;

async function readEvents(database: Database, keys: readonly Uint8Array[]): Promise<QueuedEvent[]> {
  const sealer = createSealer(keys, randomBytes);
  const rows = await database.query<{ id: Buffer; subject: string; payload: Buffer }>(
    `SELECT id, subject, payload FROM ${SCHEMA}.callback ORDER BY sequence`,
  );
  return rows.map(({ id, subject, payload }) => ({
    subject,
    event: issuanceEventSchema.parse(JSON.parse(sealer.open(payload, contextOf(id)).toString('utf8'))),
  }));
}

/** Every row of every table of the schema, as text: `bytea` in hexadecimal and, so that text in it shows, escaped. */
async function dump(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${SCHEMA}'`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<Record<string, unknown>>(`SELECT * FROM ${SCHEMA}."${name}"`);
    const values = rows.flatMap((row) => Object.values(row));
    for (const value of values) {
      if (Buffer.isBuffer(value))
        parts.push(value.toString('latin1'), value.toString('hex'), value.toString('base64url'));
      else parts.push(typeof value === 'string' ? value : JSON.stringify(value));
    }
  }
  return parts.join('\n');
}

/** Has a row for each statement that waits for a lock. */
export const WAITING = `SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const INSERT_TOKEN = `
  INSERT INTO ${SCHEMA}.access_token (token_digest, offer_id, thumbprint, granted, expires_at)
  VALUES ($1, $2, 'thumbprint-of-a-key', '[]', $3)`;

/** No replica of the previous version runs. */
const NONE_OLDER: OlderReplicas = { note: nothing, wereSeen: () => false, mayRun: () => false };

/** What a statement does is judged, not how long a busy machine takes for it. */
const PATIENT_MILLISECONDS = 120_000;

/** A fresh database with the issuer's tables, and stores on it, which may ask it in another way. */
export async function openStoreStage(wrap: (database: Database) => Database = (database) => database) {
  const testDatabase = await createTestDatabase();
  const url = testDatabase.urls.issuer;
  const open = () =>
    createDatabase({
      url,
      schema: SCHEMA,
      applicationName: 'issuer test',
      migrations: MIGRATIONS,
      logger: QUIET,
      statementTimeoutMilliseconds: PATIENT_MILLISECONDS,
    });
  const database = await open();
  const asked = wrap(database);
  const keys = [randomBytes(32)];
  const storeWith = (
    sealingKeys: readonly Uint8Array[],
    keepsClaims = false,
    changes: Partial<
      Pick<CredentialOfferStoreOptions, 'retentionSeconds' | 'redeliverySeconds' | 'olderReplicas' | 'unkeptBy'>
    > = {},
  ) => {
    const kept = {
      retentionSeconds: RETENTION_SECONDS,
      redeliverySeconds: 120,
      olderReplicas: NONE_OLDER,
      unkeptBy: () => undefined,
      ...changes,
    };
    const sealer = createSealer(sealingKeys, randomBytes);
    const commit = commitWithoutLease();
    const common = { database: asked, sealer, random: randomBytes, callbackLifetimeSeconds: 86_400, commit, ...kept };
    const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock: () => NOW });
    const redemptions = createRedemptionStore(common);
    const spending = (kind: ProofKind) => async (digest: Uint8Array, expiresAt: Date) =>
      (await redemptions.consumeProofs([{ kind, digest, expiresAt }])) === undefined;
    return {
      ...createCredentialOfferStore({ ...common, idempotency }),
      ...createOfferChangeStore(common),
      ...redemptions,
      /** With the key of the transaction code, which the use case finds before. */
      async redeem(redemption: Redemption) {
        const { codeDigest, txCode, now } = redemption;
        const found = txCode === undefined ? undefined : await redemptions.findRedeemable(codeDigest, now);
        return redemptions.redeem({ txCodeKey: found?.txCodeKey, ...redemption });
      },
      ...createIssuanceStore({ ...common, keepsClaims }),
      /** True for the first to spend it. */
      spendProof: spending('dpop_proof'),
      spendAttestationProof: spending('attestation_proof'),
    };
  };
  const store = storeWith(keys);
  const statusLists = createStatusListStore(asked);

  /** Stores an offer and returns it. */
  async function insert(changes: Partial<OpenOffer> = {}, txCode?: string, into = store): Promise<OpenOffer> {
    const asked = txCode === undefined ? {} : { txCode: { inputMode: 'numeric' as const, length: txCode.length } };
    const offer = newOffer({ ...asked, ...changes });
    await into.insert(offer, txCode, { offer_id: offer.offerId, credential_offer_uri: 'unused' }, undefined);
    await database.query(INSERT_TOKEN, [
      sha256(tokenOf(offer)),
      Buffer.from(offer.offerId, 'base64url'),
      offer.expiresAt,
    ]);
    return offer;
  }
  async function row(offer: OpenOffer): Promise<Record<string, unknown>> {
    const rows = await database.query<Record<string, unknown>>(
      `SELECT * FROM ${SCHEMA}.credential_offer WHERE offer_id = $1`,
      [Buffer.from(offer.offerId, 'base64url')],
    );
    return rows[0] ?? {};
  }
  async function statuses(offer: OpenOffer): Promise<string[]> {
    const events = await readEvents(database, keys);
    return events.filter(({ subject }) => subject === offer.offerId).map(({ event }) => event.status);
  }
  /** Runs `works` while a transaction holds what `hold` locks, each once the one before it waits; lets go once all of them do. */
  async function whileHeld<Result>(hold: string, works: readonly (() => Promise<Result>)[]): Promise<Result[]> {
    const running: Promise<Result>[] = [];
    const held = database.transaction(async ({ query }) => {
      await query(hold);
      for (const work of works) {
        running.push(work());
        await until(async () => (await database.query(WAITING)).length >= running.length);
      }
      throw new Error('let go');
    });
    await expect(held).rejects.toThrow('let go');
    return Promise.all(running);
  }
  async function clear(): Promise<void> {
    const tables = [
      'status_entry',
      'status_list',
      'callback',
      'idempotency_key',
      'spent',
      'kept_answer',
      'access_token',
      'credential_offer',
    ];
    await database.query(`TRUNCATE ${tables.map((table) => `${SCHEMA}.${table}`).join(', ')}`);
  }
  async function close(): Promise<void> {
    await database.close();
    await testDatabase.drop();
  }
  return {
    database,
    store,
    statusLists,
    keys,
    storeWith,
    open,
    insert,
    row,
    statuses,
    whileHeld,
    /** The tokens that `insert` gave the offers, for a test that counts rows. */
    dropTokens: () => database.query(`DELETE FROM ${SCHEMA}.access_token`),
    clear,
    close,
    events: () => readEvents(database, keys),
    dump: () => dump(database),
  };
}

export type StoreStage = Awaited<ReturnType<typeof openStoreStage>>;
