import { Client } from 'pg';

/** Runs statements as the superuser, bypassing the proxy, and in spite of a setting that is being taken back. */
async function asSuperuser(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('SET default_transaction_read_only = off');
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A way to make Postgres refuse, and to undo it. */
export interface PostgresFault {
  begin(url: string): Promise<void>;
  end(url: string): Promise<void>;
}

const READ_ONLY = 'default_transaction_read_only';
const READ_ONLY_ON = [`ALTER SYSTEM SET ${READ_ONLY} = on`, 'SELECT pg_reload_conf()'];
const READ_ONLY_OFF = [`ALTER SYSTEM RESET ${READ_ONLY}`, 'SELECT pg_reload_conf()'];

/** For every role that services connect as. */
const FOR_EACH_ROLE = (statement: string) => `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT rolname FROM pg_roles WHERE rolcanlogin AND NOT rolsuper
    LOOP EXECUTE format('${statement}', name); END LOOP;
  END $$`;

/** All sessions, existing and new, become read-only: 25006. */
export const readOnly: PostgresFault = {
  begin: (url) => asSuperuser(url, READ_ONLY_ON),
  end: (url) => asSuperuser(url, READ_ONLY_OFF),
};

/** Existing sessions become read-only, as if connected to the former primary; new ones may write. */
export const failover: PostgresFault = {
  begin: (url) => asSuperuser(url, [FOR_EACH_ROLE(`ALTER ROLE %I SET ${READ_ONLY} = off`), ...READ_ONLY_ON]),
  end: (url) => asSuperuser(url, [...READ_ONLY_OFF, FOR_EACH_ROLE(`ALTER ROLE %I RESET ${READ_ONLY}`)]),
};

const END_SESSIONS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity JOIN pg_roles ON rolname = usename
  WHERE rolcanlogin AND NOT rolsuper`;

/** No role may connect any more, and all connections are ended: 57P01, then 53300. */
export const outOfConnections: PostgresFault = {
  begin: (url) => asSuperuser(url, [FOR_EACH_ROLE('ALTER ROLE %I CONNECTION LIMIT 0'), END_SESSIONS]),
  end: (url) => asSuperuser(url, [FOR_EACH_ROLE('ALTER ROLE %I CONNECTION LIMIT -1')]),
};

/** For every table of a service. */
const FOR_EACH_TABLE = (statement: string) => `
  DO $$ DECLARE place record; BEGIN
    FOR place IN SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('verifier', 'issuer', 'wallet_store')
    LOOP EXECUTE format('${statement}', place.schemaname, place.tablename); END LOOP;
  END $$`;

/** A stand-in: every statement that writes fails with 53100, as if its table could not be extended. */
export const diskFullStandIn: PostgresFault = {
  begin: (url) =>
    asSuperuser(url, [
      `CREATE OR REPLACE FUNCTION public.chaos_disk_full() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
      FOR_EACH_TABLE(
        'CREATE TRIGGER chaos_disk_full BEFORE INSERT OR UPDATE OR DELETE ON %I.%I EXECUTE FUNCTION public.chaos_disk_full()',
      ),
    ]),
  end: (url) => asSuperuser(url, [FOR_EACH_TABLE('DROP TRIGGER IF EXISTS chaos_disk_full ON %I.%I')]),
};
