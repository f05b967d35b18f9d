import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { createDatabase, type Database } from '@vestibule/persistence';
import { Client } from 'pg';
import { QUIET } from '../../testing/store.fixture-spec';
import { MIGRATIONS, SCHEMA } from './migrations';
import { AddOfferRowChecks1795776000000, DropOfferChecks1795776000001 } from './offer-row-checks.migration';

jest.setTimeout(180_000);

const before = (migration: (typeof MIGRATIONS)[number]) => MIGRATIONS.slice(0, MIGRATIONS.indexOf(migration));
const TABLE = 'issuer.credential_offer';
const DOMAIN = 'issuer.credential_offer_row';
const REFUSED = { sqlState: '23514' };

let testDatabase: TestDatabase;
const opened: Database[] = [];
beforeEach(async () => {
  testDatabase = await createTestDatabase();
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await testDatabase.drop();
});

/** A program with these migrations, which stays connected. */
async function start(migrations = MIGRATIONS): Promise<Database> {
  const url = testDatabase.urls.issuer;
  const database = await createDatabase({ url, schema: SCHEMA, applicationName: 'test', migrations, logger: QUIET });
  opened.push(database);
  return database;
}

/** What the owner of everything does by hand. */
async function asSuperuser<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: testDatabase.adminUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const INSERT = `
  INSERT INTO ${TABLE} (offer_id, configuration_id, status, session, code_digest, created_at, expires_at)
  VALUES ($1, 'card', $2, $3, $4, now(), now())`;
const valuesOf = (status = 'OFFER_CREATED', session: string | null = 'x') => [
  randomBytes(24),
  status,
  session === null ? null : Buffer.from(session),
  randomBytes(32),
];
const END = `UPDATE ${TABLE} SET status = 'ISSUED', code_digest = NULL, finished_at = now()`;
const NOTE = `UPDATE ${TABLE} SET notified_at = now()`;

/** Statements that a program prepares once: what is good is taken, and what is not is refused, whatever it came by. */
async function expectChecked({ query }: Pick<Database, 'query'>): Promise<void> {
  await query(INSERT, valuesOf());
  for (const values of [valuesOf('DONE'), valuesOf('FAILED'), valuesOf('OFFER_CREATED', null)])
    await expect(query(INSERT, values)).rejects.toMatchObject(REFUSED);
  await expect(query(NOTE)).rejects.toMatchObject(REFUSED);
  await query(END);
  await query(`DELETE FROM ${TABLE}`);
}

const COLUMNS = 'offer_id, configuration_id, status, session, code_digest, created_at, expires_at';
const BAD_ROW = `decode(repeat('ab', 24), 'hex'), 'card', 'FAILED', 'x'::bytea, NULL::bytea, now(), now()`;
const GOOD_ROW = `decode(repeat('ab', 24), 'hex'), 'card', 'OFFER_CREATED', 'x'::bytea, 'y'::bytea, now(), now()`;
const TEXT_ROW = '\\\\\\\\x' + 'ab'.repeat(24) + '\\tcard\\tFAILED\\t\\\\\\\\x78\\t\\\\N\\t2026-01-01\\t2026-01-01';

/** Statements of all kinds that write a row which a check forbids. */
const ESCAPES: Readonly<Record<string, string>> = {
  'INSERT of a query': `INSERT INTO ${TABLE} (${COLUMNS}) SELECT ${BAD_ROW}`,
  'INSERT that becomes an UPDATE': `
    INSERT INTO ${TABLE} (${COLUMNS}) SELECT ${GOOD_ROW} ON CONFLICT (offer_id) DO UPDATE SET notified_at = now()`,
  'UPDATE of one column': NOTE,
  'UPDATE to a default': `UPDATE ${TABLE} SET code_digest = DEFAULT`,
  'UPDATE of a join': `
    UPDATE ${TABLE} AS one SET session = NULL FROM ${TABLE} AS other WHERE one.offer_id = other.offer_id`,
  MERGE: `MERGE INTO ${TABLE} USING (SELECT) AS one ON true WHEN MATCHED THEN UPDATE SET session = NULL`,
  COPY: `COPY ${TABLE} (${COLUMNS}) FROM PROGRAM $$printf '${TEXT_ROW}\\n'$$`,
};

describe('the checks of the row of an offer', () => {
  it('meet each statement that writes, also of the superuser, and where rows come as from a replica', async () => {
    await start();
    const refusals = await asSuperuser(async (client) => {
      await client.query(`INSERT INTO ${TABLE} (${COLUMNS}) SELECT ${GOOD_ROW}`);
      const codes: unknown[] = [];
      for (const role of ['origin', 'replica']) {
        await client.query(`SET session_replication_role = ${role}`);
        for (const [what, sql] of Object.entries(ESCAPES))
          codes.push([
            what,
            await client.query(sql).then(
              () => 'accepted',
              ({ code }: { code: unknown }) => code,
            ),
          ]);
      }
      return codes;
    });
    const expected = Object.keys(ESCAPES).map((what) => [what, '23514']);
    expect(refusals).toEqual([...expected, ...expected]);
  });

  it('meet what a trigger makes of a row, and a row without any value', async () => {
    await start();
    await asSuperuser(async (client) => {
      await client.query(`CREATE FUNCTION issuer.lose_session() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN NEW.session := NULL; RETURN NEW; END$$`);
      await client.query(
        `CREATE TRIGGER lose BEFORE INSERT ON ${TABLE} FOR EACH ROW EXECUTE FUNCTION issuer.lose_session()`,
      );
      await expect(client.query(`INSERT INTO ${TABLE} (${COLUMNS}) SELECT ${GOOD_ROW}`)).rejects.toMatchObject({
        code: '23514',
        constraint: 'open_has_session',
      });
      await client.query(`DROP TRIGGER lose ON ${TABLE}`);
      const bare = `SELECT (NULL::${TABLE})::${DOMAIN} IS DISTINCT FROM NULL AS held`;
      expect((await client.query(bare)).rows).toEqual([{ held: false }]);
      await expect(client.query(`INSERT INTO ${TABLE} DEFAULT VALUES`)).rejects.toMatchObject({ code: '23502' });
    });
  });

  it('hold in programs that are connected while later migrations add columns of all kinds, and take them back', async () => {
    const old = await start();
    await expectChecked(old);
    const kinds = [
      'text',
      `text NOT NULL DEFAULT 'x'`,
      'uuid NOT NULL DEFAULT gen_random_uuid()',
      'smallint CHECK (later > 0)',
    ];
    for (const change of kinds.flatMap((kind) => [`ADD COLUMN later ${kind}`, 'DROP COLUMN later'])) {
      await old.query(INSERT, valuesOf());
      await asSuperuser((client) => client.query(`ALTER TABLE ${TABLE} ${change}`));
      await expectChecked(old);
      await expectChecked(await start());
    }
  });

  it('hold for a program of the version before, connected since before the two migrations, at each step', async () => {
    const old = await start(before(AddOfferRowChecks1795776000000));
    await expectChecked(old);
    for (const migrations of [before(DropOfferChecks1795776000001), MIGRATIONS]) {
      const migrated = await start(migrations);
      await expectChecked(old);
      await expectChecked(migrated);
    }
  });

  it('and a migration that dies half way leaves nothing of itself; the next one begins again', async () => {
    const running = await start(before(AddOfferRowChecks1795776000000));
    const steps = [new AddOfferRowChecks1795776000000(), new DropOfferChecks1795776000001()];
    for (const step of steps) {
      // One after another, each of its statements is the last before the process dies.
      for (let last = 1; last <= 2; last += 1) {
        const dying = running.transaction(async ({ manager }) => {
          let done = 0;
          const query = async (sql: string): Promise<unknown> => {
            const answer: unknown = await manager.query(sql);
            done += 1;
            if (done === last) throw new Error('killed');
            return answer;
          };
          await step.up({ query } as never);
        });
        await expect(dying).rejects.toThrow('killed');
        await expectChecked(running);
      }
      const upTo = step === steps[0] ? before(DropOfferChecks1795776000001) : MIGRATIONS;
      await expectChecked(await start(upTo));
    }
  });

  it('refuse to be added over a row that one of them forbids, and the row stays to be looked at', async () => {
    const running = await start(before(AddOfferRowChecks1795776000000));
    await asSuperuser(async (client) => {
      await client.query(`ALTER TABLE ${TABLE} DROP CONSTRAINT ended_has_no_keys`);
      await client.query(INSERT, valuesOf());
      await client.query(`${END}, transaction_keys = 'x'`);
      const former = `CHECK (status = 'OFFER_CREATED' OR transaction_keys IS NULL) NOT VALID`;
      await client.query(`ALTER TABLE ${TABLE} ADD CONSTRAINT ended_has_no_keys ${former}`);
    });
    await expect(start()).rejects.toMatchObject({ code: 'database_error' });
    expect(await running.query(`SELECT 1 AS one FROM ${TABLE} WHERE transaction_keys IS NOT NULL`)).toHaveLength(1);
    await running.query(`UPDATE ${TABLE} SET transaction_keys = NULL`);
    await expectChecked(await start());
  });
});

/** What Postgres says of itself, as pg_dump writes it down: constraints by their text, found without a search path. */
const DEFINITIONS = `
  SELECT conname AS name, contypid <> 0 AS "isOfDomain", pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE contype = 'c' AND (conrelid = '${TABLE}'::regclass OR contypid = '${DOMAIN}'::regtype) ORDER BY contypid = 0, conname`;

describe('a copy of the schema', () => {
  const refusing = (client: Client) =>
    expect(client.query(INSERT, valuesOf('FAILED'))).rejects.toMatchObject({ code: '23514' });

  it('has the same checks: their text makes them again, after the rows, which they then read', async () => {
    await start();
    await asSuperuser(async (client) => {
      await client.query(`SET search_path = ''`);
      const { rows } = await client.query<{ name: string; isOfDomain: boolean; definition: string }>(DEFINITIONS);
      expect(rows).toHaveLength(13);
      await client.query(`ALTER TABLE ${TABLE} DROP CONSTRAINT credential_offer_row_check`);
      await client.query(`DROP DOMAIN ${DOMAIN}`);
      const whole = rows
        .filter(({ isOfDomain }) => isOfDomain)
        .map((one) => `CONSTRAINT ${one.name} ${one.definition}`);
      await client.query(`CREATE DOMAIN ${DOMAIN} AS ${TABLE} ${whole.join(' ')}`);
      const add = `ALTER TABLE ${TABLE} ADD CONSTRAINT credential_offer_row_check ${rows.at(-1)?.definition}`;
      await client.query(INSERT, valuesOf('FAILED'));
      await expect(client.query(add)).rejects.toMatchObject({ code: '23514' });
      await client.query(`DELETE FROM ${TABLE}`);
      await client.query(add);
      await refusing(client);
      expect((await client.query(DEFINITIONS)).rows).toEqual(rows);
    });
  });

  it('and a check that is added to the domain later reads existing rows only if the check of the table is made again', async () => {
    await start();
    await asSuperuser(async (client) => {
      await client.query(INSERT, valuesOf());
      const add = `ALTER DOMAIN ${DOMAIN} ADD CONSTRAINT later CHECK ((VALUE).configuration_id <> 'card')`;
      await client.query(add);
      await expect(client.query(INSERT, valuesOf())).rejects.toMatchObject({ code: '23514', constraint: 'later' });
      await client.query(`ALTER TABLE ${TABLE} DROP CONSTRAINT credential_offer_row_check`);
      const again = `ALTER TABLE ${TABLE} ADD CONSTRAINT credential_offer_row_check
        CHECK (credential_offer::${DOMAIN} IS DISTINCT FROM NULL)`;
      await expect(client.query(again)).rejects.toMatchObject({ code: '23514', constraint: 'later' });
    });
  });
});
