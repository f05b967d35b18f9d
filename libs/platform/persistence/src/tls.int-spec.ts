import { createCertificateAuthority, toPem, type Authority, type IssuedCertificate } from '@vestibule/dev-pki';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@vestibule/dev-stack';
import type { Logger } from '@vestibule/process';
import { until } from '@vestibule/testkit';
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { Client } from 'pg';
import { createDatabase, runMigrations, type DatabaseOptions } from '.';

jest.setTimeout(120_000);

const nothing = () => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const now = new Date();
const day = 86_400_000;

let postgres: EmbeddedPostgres;
let authority: Authority;
let stranger: Authority;

/** The URL with another host and mode. */
function urlOf(host: string, mode: string | undefined, server = postgres.adminUrl): string {
  const url = new URL(server);
  url.host = `${host}:${url.port}`;
  if (mode !== undefined) url.searchParams.set('sslmode', mode);
  return url.href;
}

function options(url: string, signer: Authority = authority): DatabaseOptions {
  const authorities = toPem(signer.certificate);
  return {
    url,
    authorities,
    schema: 'tls',
    applicationName: 'tls test',
    migrations: [],
    poolSize: 2,
    startSeconds: 1,
    logger,
  };
}

async function asAdmin<Row extends object>(...statements: readonly string[]): Promise<readonly Row[]> {
  const client = new Client({ connectionString: postgres.adminUrl });
  await client.connect();
  let rows: readonly Row[] = [];
  for (const statement of statements) ({ rows } = await client.query<Row>(statement));
  await client.end();
  return rows;
}

/** Postgres has another certificate from the next connection on. */
async function present({ certificate, privateKey }: IssuedCertificate): Promise<void> {
  const files = { 'server.crt': toPem(certificate), 'server.key': toPem(privateKey) };
  const { uid, gid } = statSync(postgres.dataFolder);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(postgres.dataFolder, name);
    writeFileSync(file, text, { mode: 0o600 });
    chownSync(file, uid, gid);
  }
  const before = await asAdmin<{ at: string }>('SELECT pg_conf_load_time()::text AS at');
  await asAdmin('ALTER SYSTEM SET ssl = on', 'SELECT pg_reload_conf()');
  await until(async () => {
    const after = await asAdmin<{ at: string; ssl: string }>(
      `SELECT pg_conf_load_time()::text AS at, current_setting('ssl') AS ssl`,
    );
    return after[0]?.at !== before[0]?.at && after[0]?.ssl === 'on';
  });
}

const serverCertificate = (signer: Authority, more: { notAfter?: Date; dnsNames?: string[] } = {}) =>
  signer.issue({ name: 'postgres', dnsNames: ['localhost'], ...more });

const refused = (detail: RegExp) => ({ code: 'database_refused', detail: expect.stringMatching(detail) as string });

beforeAll(async () => {
  postgres = await startEmbeddedPostgres();
  authority = await createCertificateAuthority({ name: 'of Postgres', now });
  stranger = await createCertificateAuthority({ name: 'of somebody else', now });
});
afterAll(() => postgres.stop());

describe('a Postgres that does not speak TLS', () => {
  it('is refused at once under sslmode=verify-full, and says how to change that', async () => {
    const opening = createDatabase(options(urlOf('localhost', 'verify-full')));
    await expect(opening).rejects.toMatchObject(
      refused(/^DATABASE_URL \(role postgres at localhost:\d+, database postgres\): it does not speak TLS.*ssl = on/),
    );
  });

  it.each([undefined, 'disable'])('is used under sslmode %s', async (mode) => {
    const database = await createDatabase({ ...options(urlOf('127.0.0.1', mode)), authorities: undefined });
    await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    await database.close();
  });
});

describe('a Postgres that speaks TLS', () => {
  const ENCRYPTED = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

  it('is used under sslmode=verify-full where its certificate is for the host, from a known authority', async () => {
    await present(await serverCertificate(authority));
    const database = await createDatabase(options(urlOf('localhost', 'verify-full')));
    await expect(database.query(ENCRYPTED)).resolves.toEqual([{ ssl: true }]);
    await expect(database.transaction(({ manager }) => manager.query(ENCRYPTED))).resolves.toEqual([{ ssl: true }]);
    await database.close();
  });

  it.each<[string, () => Promise<IssuedCertificate>, string, RegExp]>([
    ['for another host', () => serverCertificate(authority), '127.0.0.1', /for another name \(ERR_TLS_CERT_ALTNAME/],
    ['from an unknown authority', () => serverCertificate(stranger), 'localhost', /DATABASE_CA_FILE/],
    [
      'that has expired',
      () => serverCertificate(authority, { notAfter: new Date(now.getTime() - day / 2) }),
      'localhost',
      /has expired \(CERT_HAS_EXPIRED\)/,
    ],
  ])('is refused with a certificate %s: by migrations and by commands, too', async (_what, issue, host, detail) => {
    await present(await issue());
    const wrong = options(urlOf(host, 'verify-full'));
    await expect(createDatabase(wrong)).rejects.toMatchObject(refused(detail));
    await expect(runMigrations({ ...wrong, migrationUrl: wrong.url })).rejects.toMatchObject(
      refused(/^MIGRATION_DATABASE_URL/),
    );
  });

  it('is database_unavailable, never used, once its certificate is one of a stranger', async () => {
    await present(await serverCertificate(authority));
    const database = await createDatabase(options(urlOf('localhost', 'verify-full')));
    await present(await serverCertificate(stranger));
    await database.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'database_unavailable' });
    await database.close();
  });
});

describe('somebody between', () => {
  /** Answers `SSLRequest` by himself, and passes everything else on. */
  async function betweenWith(answer: string) {
    const sent: Buffer[] = [];
    const sockets: Socket[] = [];
    const target = Number(new URL(postgres.adminUrl).port);
    const server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      sockets.push(near, far);
      for (const socket of [near, far]) socket.on('error', nothing).on('close', () => (near.destroy(), far.destroy()));
      near.once('data', () => {
        near.write(answer);
        near.on('data', (bytes) => (sent.push(bytes), far.write(bytes)));
        far.pipe(near);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(urlOf('localhost', 'verify-full'));
    url.port = String((server.address() as AddressInfo).port);
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      });
    return { url: url.href, sent: () => Buffer.concat(sent), close };
  }

  it.each([
    ['says that Postgres does not speak TLS', 'N'],
    ['lets something follow the consent to TLS', 'SR\0\0\0\x08\0\0\0\0'],
    ['answers with an error', 'E\0\0\0\x05\0'],
  ])('who %s gets neither a password nor a role', async (_what, answer) => {
    await present(await serverCertificate(authority));
    const between = await betweenWith(answer);
    await expect(createDatabase(options(between.url))).rejects.toMatchObject(refused(/does not speak TLS/));
    expect(between.sent().toString('latin1')).not.toContain('postgres');
    await between.close();
  });
});

describe('a start that Postgres refuses', () => {
  const changed = (change: (url: URL) => void) => {
    const url = new URL(postgres.adminUrl);
    change(url);
    return url.href;
  };

  it.each<[string, () => string, RegExp]>([
    [
      'a wrong password',
      () => changed((url) => (url.password = 'canary-password')),
      /role postgres .*password is wrong.*\(28P01\); correct the URL/,
    ],
    [
      'an unknown role',
      () => changed((url) => (url.username = 'nobody_here')),
      /role nobody_here .*no such role \(28P01\)/,
    ],
    [
      'a role that may not log in',
      () => changed((url) => ((url.username = 'locked'), (url.password = 'canary'))),
      /role locked .*\(28000\); give it LOGIN/,
    ],
    [
      'a role that may not connect',
      () => changed((url) => ((url.username = 'closed'), (url.password = 'canary'))),
      /role closed .*lacks a privilege \(42501\)/,
    ],
  ])('because of %s says so at once, with role and remedy, and without the password', async (_what, url, detail) => {
    await asAdmin(
      `DO $$ BEGIN
         CREATE ROLE locked NOLOGIN PASSWORD 'canary'; CREATE ROLE closed LOGIN PASSWORD 'canary';
       EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
      'REVOKE CONNECT ON DATABASE postgres FROM PUBLIC',
    );
    const failure: unknown = await createDatabase({ ...options(url()), startSeconds: 60 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject(refused(detail));
    expect(JSON.stringify(failure) + String(failure)).not.toContain('canary');
  });

  it.each<[string, () => string, RegExp]>([
    ['an unknown database', () => changed((url) => (url.pathname = '/nothing')), /no such database \(3D000\)/],
    [
      'an unknown host',
      () => changed((url) => (url.hostname = 'postgres.invalid')),
      /host name .*\((?:ENOTFOUND|EAI_AGAIN)\)/,
    ],
    [
      'a port on which nothing listens',
      () => changed((url) => (url.port = '9')),
      /nothing listens there \(ECONNREFUSED\)/,
    ],
  ])('because of %s is tried again, and then says so', async (_what, url, detail) => {
    await expect(createDatabase({ ...options(url()), startSeconds: 0 })).rejects.toMatchObject({
      code: 'database_unavailable',
      detail: expect.stringMatching(detail) as string,
    });
  });

  it('because its role may not migrate names the variable of that role', async () => {
    await asAdmin(`CREATE ROLE runner LOGIN PASSWORD 'canary'`, 'GRANT CONNECT ON DATABASE postgres TO runner');
    const url = changed((own) => ((own.username = 'runner'), (own.password = 'canary')));
    const migrating = runMigrations({ ...options(postgres.adminUrl), migrationUrl: url, schema: 'not_there' });
    await expect(migrating).rejects.toMatchObject(refused(/^MIGRATION_DATABASE_URL \(role runner .*\(42501\)/));
  });
});
