import path from 'node:path';
import { createCertificateAuthority, createSelfSignedLeaf, toPem } from '@vestibule/dev-pki';
import { createTestDatabase, startNtpStub } from '@vestibule/dev-stack';
import { runMigrations } from '@vestibule/persistence';
import { VERIFIER_DATABASE } from './adapters/postgres/database';
import { VERIFIER_CHECKS } from './checks';
import {
  accessCertificate,
  backend,
  CANARY,
  closedPort,
  closeInstallation,
  closers,
  DAY_MILLISECONDS,
  findings,
  folder,
  inDatabase,
  logger,
  nats,
  natsBinary,
  natsWith,
  openInstallation,
  other,
  portOf,
  read,
  sound,
  sql,
  troubles,
  trustOf,
  withFunction,
  withOption,
  write,
  type Environment,
} from './testing/installation.fixture-spec';

jest.setTimeout(180_000);

beforeAll(openInstallation);
afterAll(closeInstallation);

type Plant = readonly [
  what: string,
  plant: () => Environment | Promise<Environment>,
  found: readonly [check: string, code: string, remedy: RegExp, level?: string],
];

const [READ_ONLY, LOSING] = ['default_transaction_read_only=on', 'synchronous_commit=off'] as const;
const CONFIGURATION = ['configuration', 'configuration_invalid', /docs\/configuration\.md/] as const;

const PLANTED: readonly Plant[] = [
  ['a required variable is missing', () => ({ NATS_URL: '' }), CONFIGURATION],
  ['a value has the wrong form', () => ({ RETENTION_SECONDS: 'a week' }), CONFIGURATION],
  [
    'a secret is in a file that is not there',
    () => ({ ACCESS_KEY_FILE: path.join(folder, 'none.pem') }),
    CONFIGURATION,
  ],
  ['NATS has two logins', () => ({ NATS_USER: 'a', NATS_PASSWORD: CANARY, NATS_TOKEN: CANARY }), CONFIGURATION],
  [
    'a variable is misspelt',
    () => ({ CALLBACK_CONCURENCY: '8' }),
    ['configuration', 'variable_unknown', /correct its name/, 'warning'],
  ],
  [
    'the access certificate is another file',
    () => ({ ACCESS_CERTIFICATE_FILE: write('text.pem', 'not a certificate') }),
    ['access certificate', 'certificate_file_invalid', /PEM blocks/],
  ],
  [
    'the key is that of another certificate',
    () => ({ ACCESS_KEY_FILE: path.join(folder, 'issuer-key.pem') }),
    ['access certificate', 'signing_key_mismatch', /leaf certificate first/],
  ],
  [
    'the access certificate has expired',
    () => accessCertificate('ended', -1),
    ['access certificate', 'signing_certificate_expired', /renew the certificate/],
  ],
  [
    'the access certificate ends in ten days',
    () => accessCertificate('ending', 10),
    ['access certificate', 'certificate_ends_soon', /renew it/, 'warning'],
  ],
  [
    'the access certificate is self-signed, for a public address',
    async () => {
      const leaf = await createSelfSignedLeaf({
        name: 'self',
        now: new Date(),
        dnsNames: ['connector.example'],
        keyUsages: ['digitalSignature'],
      });
      return {
        ACCESS_CERTIFICATE_FILE: write('self.pem', toPem(leaf.certificate)),
        ACCESS_KEY_FILE: write('self-key.pem', toPem(leaf.privateKey)),
        ALLOW_SELF_SIGNED_ACCESS_CERTIFICATE: 'true',
      };
    },
    ['settings', 'development_setting', /remove it/],
  ],
  [
    'the trust file is not JSON',
    () => ({ TRUST_FILE: write('broken.json', '{"anchors": [') }),
    ['trust', 'trust_file_invalid', /docs\/trust\.md/],
  ],
  [
    'the trust file has a member that does not exist',
    () => trustOf('member.json', { anchors: [], policies: 'auto' }),
    ['trust', 'trust_file_invalid', /docs\/trust\.md/],
  ],
  [
    'nobody is trusted',
    () => trustOf('nobody.json', { anchors: [] }),
    ['trust', 'trust_without_anchors', /enforce/, 'warning'],
  ],
  [
    'a trust anchor has expired',
    async () => {
      const ended = new Date(Date.now() - DAY_MILLISECONDS);
      const old = await createCertificateAuthority({
        name: 'Old',
        now: new Date(),
        notBefore: new Date(0),
        notAfter: ended,
      });
      write('old.pem', toPem(old.certificate));
      return trustOf('old.json', { anchors: [{ file: 'root.pem' }, { file: 'old.pem' }] });
    },
    ['trust', 'trust_anchor_ended', /replace its file/],
  ],
  [
    'the binding of issuers is switched off',
    () => trustOf('none.json', { anchors: [{ file: 'root.pem' }], issuerBinding: { policy: 'none' } }),
    ['trust', 'start_warning', /docs\/log-events\.md/, 'warning'],
  ],
  [
    'no Postgres listens there',
    async () => ({ DATABASE_URL: `postgres://verifier:${CANARY}@127.0.0.1:${await closedPort()}/verifier` }),
    ['postgres', 'database_unavailable', /check Postgres/],
  ],
  [
    'the password of Postgres is wrong',
    () => inDatabase('password', CANARY),
    ['postgres', 'database_refused', /docs\/database\.md/],
  ],
  [
    'the schema has not been migrated',
    () => ({ DATABASE_URL: other.urls.verifier }),
    ['postgres', 'migrations_pending', /vestibule migrate/, 'warning'],
  ],
  [
    'a newer version has migrated the schema',
    async () => {
      const newer = await createTestDatabase();
      closers.push(() => newer.drop());
      await runMigrations({ ...VERIFIER_DATABASE, url: newer.urls.verifier, applicationName: 'doctor test', logger });
      await sql(
        `INSERT INTO verifier.migrations (timestamp, name) VALUES (9999999999999, 'Newer9999999999999')`,
        newer,
      );
      return { DATABASE_URL: newer.urls.verifier };
    },
    ['postgres', 'database_schema_newer', /run the newer version/],
  ],
  [
    'the clock of Postgres differs',
    () => withFunction('clock_timestamp() RETURNS timestamptz', `pg_catalog.clock_timestamp() + interval '90 s'`),
    ['postgres', 'clock_differs_from_postgres', /NTP/],
  ],
  ['it takes no writes', () => withOption(READ_ONLY), ['postgres', 'database_read_only', /to the primary/]],
  ['commits are not on disk', () => withOption(LOSING), ['postgres', 'database_not_durable', /switch them on/]],
  [
    'a pooler gives sessions settings of its own',
    () => inDatabase('search', '?options='),
    ['postgres', 'database_reads_whole_tables', /database\.md#plans/, 'warning'],
  ],
  [
    'transactions are strict',
    () => withOption('default_transaction_isolation=serializable'),
    ['postgres', 'database_isolation_strict', /pooler/],
  ],
  [
    'the database cannot hold all characters',
    () => withFunction('getdatabaseencoding() RETURNS name', `'LATIN1'::name`),
    ['postgres', 'database_encoding_unsuited', /UTF8/],
  ],
  [
    'the pool is larger than what Postgres allows',
    () => withFunction('current_setting(text) RETURNS text', `'5'`),
    ['postgres', 'database_connections_short', /max_connections/, 'warning'],
  ],
  [
    'records are sealed under a key that is gone',
    async () => {
      await sql(`INSERT INTO verifier.presentation_request (state, session, created_at, expires_at)
        VALUES (decode(repeat('ab', 24), 'hex'), decode('01' || repeat('cd', 100), 'hex'), now(), now() + interval '1 day')`);
      return {};
    },
    ['postgres', 'sealing_key_missing', /docs\/backup\.md/],
  ],
  [
    'nothing deletes what has to be deleted',
    async () => {
      await sql(
        `UPDATE verifier.presentation_request SET created_at = now() - interval '3 days', expires_at = now() - interval '2 days'`,
      );
      return {};
    },
    ['postgres', 'purge_behind', /log of the service/],
  ],
  [
    'no NATS listens there',
    async () => ({ NATS_URL: `nats://127.0.0.1:${await closedPort()}` }),
    ['nats', 'nats_unreachable', /start NATS/],
  ],
  [
    'NATS does not know the password',
    () => natsWith(`max_payload: 2MB\nauthorization { user: verifier, password: right }`, `verifier:${CANARY}@`),
    ['nats', 'nats_login_refused', /docs\/bus\.md/],
  ],
  ['NATS accepts small messages only', () => natsWith(''), ['nats', 'nats_payload_too_small', /2 MB/]],
  [
    'NATS does not let the verifier answer',
    () =>
      natsWith(
        `max_payload: 2MB\nauthorization { users: [{ user: verifier, password: right, permissions: {
        subscribe: { allow: ["verifier.health.check verifier"] } } }] }`,
        'verifier:right@',
      ),
    ['nats', 'nats_permission_missing', /deploy\/nats\.conf/],
  ],
  [
    'NATS has no TLS',
    () => ({ NATS_URL: `tls://localhost:${new URL(nats.url).port}` }),
    ['nats', 'nats_without_tls', /TLS on the server/],
  ],
  [
    'the backend does not listen',
    async () => ({ CALLBACK_URL: `http://127.0.0.1:${await closedPort()}/callbacks` }),
    ['callbacks', 'callback_unreachable', /callbacks test/],
  ],
  [
    'a further receiver does not listen',
    async () => ({ CALLBACK_ORIGINS: `http://127.0.0.1:${await closedPort()}` }),
    ['callbacks', 'callback_unreachable', /CALLBACK_ORIGINS/],
  ],
  [
    'the backend speaks no TLS',
    () => ({ CALLBACK_URL: `https://127.0.0.1:${portOf(backend)}/callbacks` }),
    ['callbacks', 'callback_certificate_refused', /CALLBACK_CA_FILE/],
  ],
  [
    'callbacks are not signed',
    () => ({ CALLBACK_SECRETS: '' }),
    ['callbacks', 'callback_unsigned', /keys new callback-key/, 'warning'],
  ],
  [
    'the clock of this machine differs',
    async () => {
      const stub = await startNtpStub({ aheadMilliseconds: 60_000 });
      closers.push(() => stub.stop());
      return { NTP_SERVER: stub.server };
    },
    ['clock and NTP', 'clock_differs_from_ntp', /NTP client/],
  ],
  [
    'the NTP server has no time itself',
    async () => {
      const stub = await startNtpStub({ stratum: 16 });
      closers.push(() => stub.stop());
      return { NTP_SERVER: stub.server };
    },
    ['clock and NTP', 'ntp_unanswered', /port 123/, 'warning'],
  ],
];

(natsBinary === undefined ? describe.skip : describe)('vestibule doctor, of a verifier', () => {
  it('finds nothing in a sound installation, and says what it looked at', async () => {
    const results = await findings(sound);
    expect(troubles(results)).toEqual([]);
    const checks = ['configuration', ...VERIFIER_CHECKS.map(({ name }) => name), 'clock and NTP', 'disk'];
    expect([...new Set(results.map(({ check }) => check))]).toEqual(checks);
  });

  it.each(PLANTED)(
    'finds that %s, and says what to do',
    async (_what, plant, [check, code, remedy, level = 'error']) => {
      const results = await findings({ ...sound, ...(await plant()) });
      const found = results.filter((result) => result.code === code);
      expect(found).toEqual([
        expect.objectContaining({ check, level, remedy: expect.stringMatching(remedy) as string }),
      ]);
    },
  );

  it('knows at least 25 ways to be misconfigured', () => {
    expect(new Set(PLANTED.map(([, , [, code]]) => code)).size).toBeGreaterThanOrEqual(25);
    expect(read('trust.json')).toContain('root.pem');
  });
});
