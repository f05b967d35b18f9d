import { startConnectProxy } from '@vestibule/testkit';
import {
  accessCertificate,
  CANARY,
  closedPort,
  closeInstallation,
  closers,
  findings,
  openInstallation,
  sound,
  sql,
  troubles,
  withFunction,
  write,
  type Environment,
} from './testing/installation.fixture-spec';

jest.setTimeout(180_000);

beforeAll(openInstallation);
afterAll(closeInstallation);

type Plant = readonly [
  what: string,
  plant: () => Environment | Promise<Environment>,
  found: readonly [check: string, code: string, remedy: RegExp],
];

const PLANTED: readonly Plant[] = [
  [
    'the file of relying parties names a file that is not there',
    () => ({
      RELYING_PARTIES_FILE: write('parties.json', '{"relyingParties":[{"name":"shop","registrations":"none.json"}]}'),
    }),
    ['relying parties', 'relying_parties_file_invalid', /places that the message names/],
  ],
  [
    'the access certificate of a relying party has expired',
    async () => {
      await accessCertificate('shop', -1);
      const pair = { certificate: 'shop.pem', key: 'shop-key.pem' };
      return {
        RELYING_PARTIES_FILE: write(
          'shop.json',
          JSON.stringify({ relyingParties: [{ name: 'shop', accessCertificates: [pair] }] }),
        ),
      };
    },
    ['relying parties', 'relying_party_certificate_ended', /renew its certificate/],
  ],
  [
    'the outbound proxy does not listen',
    async () => ({ EGRESS_PROXY: `http://verifier:${CANARY}@127.0.0.1:${await closedPort()}` }),
    ['outbound proxies', 'egress_proxy_failed', /outbound-proxy\.md/],
  ],
  [
    'the outbound proxy does not know the login of callbacks',
    async () => {
      const proxy = await startConnectProxy({ port: 1, answer: 'HTTP/1.1 407 No\r\n\r\n' });
      closers.push(() => proxy.close());
      const url = new URL(proxy.url);
      url.password = CANARY;
      return { CALLBACK_PROXY: url.href };
    },
    ['callbacks', 'callback_proxy_failed', /outbound-proxy\.md/],
  ],
];

describe('vestibule doctor, of a verifier with relying parties, proxies and a standby', () => {
  it.each(PLANTED)('finds that %s, and says what to do', async (_what, plant, [check, code, remedy]) => {
    const found = (await findings({ ...sound, ...(await plant()) })).filter((result) => result.code === code);
    expect(found).toEqual([
      expect.objectContaining({ check, level: 'error', remedy: expect.stringMatching(remedy) as string }),
    ]);
  });

  it('has nothing to say about a proxy that refuses a name that nobody has', async () => {
    const proxy = await startConnectProxy({ port: 1, answer: 'HTTP/1.1 503 No\r\n\r\n' });
    closers.push(() => proxy.close());
    const results = await findings({ ...sound, EGRESS_PROXY: `crl=${proxy.url},trust-lists=${proxy.url}` });
    expect(results.find(({ check }) => check === 'outbound proxies')).toMatchObject({ level: 'ok' });
    const own = `127.0.0.1:${new URL(proxy.url).port}`;
    const targets = proxy.asked.map((line) => line.split(' ')[0]);
    expect(targets).toEqual(['vestibule-doctor.invalid:443', own, '169.254.169.254:80']);
  });

  it('finds that a standby is one, also where its schema would end the start', async () => {
    const planted = await withFunction(
      'pg_is_in_recovery() RETURNS boolean',
      'true',
      'default_transaction_read_only=on',
    );
    const newer = `INSERT INTO verifier.migrations (timestamp, name) VALUES (9999999999999, 'Newer9999999999999')`;
    await sql(newer);
    try {
      const results = troubles(await findings({ ...sound, ...planted })).filter(({ check }) => check === 'postgres');
      expect(results).toEqual([
        expect.objectContaining({ code: 'database_read_only', about: 'it is a standby' }),
        expect.objectContaining({
          code: 'database_schema_newer',
          remedy: expect.stringMatching(/newer version/) as string,
        }),
      ]);
    } finally {
      await sql('DELETE FROM verifier.migrations WHERE timestamp = 9999999999999');
    }
  });
});
