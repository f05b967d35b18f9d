import { examine, natsFaults } from '@vestibule/process';
import { GATEWAY_CHECKS } from './checks';
import { gatewayConfiguration } from './config';

jest.setTimeout(60_000);

type Environment = Readonly<Record<string, string>>;

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test broker is
const natsUrl = process.env['TEST_NATS_URL'] ?? '';

async function resultsOf(environment: Environment) {
  const options = { configuration: gatewayConfiguration, findFaults: natsFaults, checks: GATEWAY_CHECKS };
  const all = { NATS_URL: natsUrl, BASE_URL: 'http://localhost:8080', ...environment };
  return examine(options, all, () => new Date());
}

describe('vestibule doctor, of a gateway', () => {
  it('finds each service that does not answer, and nothing else', async () => {
    const found = (await resultsOf({})).filter(({ level }) => level !== 'ok');
    expect(found.map(({ code, about }) => `${code} ${about}`)).toEqual(
      ['verifier', 'issuer', 'wallet-store'].map(
        (name) => `service_missing ${name} does not answer (service_unavailable)`,
      ),
    );
  });

  it('asks only for services that the installation has', async () => {
    const found = (await resultsOf({ SERVICES: 'issuer, verifier' })).filter(({ code }) => code === 'service_missing');
    expect(found.map(({ about }) => about.split(' ')[0])).toEqual(['verifier', 'issuer']);
  });

  it.each<[string, Environment, string, RegExp]>([
    ['a management listener for everyone', { MANAGEMENT_HOST: '0.0.0.0' }, 'management_open', /MANAGEMENT_KEY_DIGESTS/],
    ['half of a mutual TLS', { MANAGEMENT_TLS_KEY: 'x' }, 'management_tls_unusable', /MANAGEMENT_CLIENT_CA_FILE/],
    ['a proxy that is not known', { BASE_URL: 'https://wallets.example' }, 'proxies_unknown', /TRUSTED_PROXIES/],
    [
      'contacts that are over',
      { SECURITY_CONTACT: 'https://wallets.example/report', SECURITY_EXPIRES: '2020-01-01T00:00:00Z' },
      'security_text_ended',
      /set a new time/,
    ],
    [
      'contacts without an end',
      { SECURITY_CONTACT: 'https://wallets.example/report' },
      'security_text_incomplete',
      /SECURITY_EXPIRES/,
    ],
  ])('finds %s, and says what to do', async (_what, environment, code, remedy) => {
    const found = (await resultsOf(environment)).find((result) => result.code === code);
    expect(found?.remedy).toMatch(remedy);
  });

  it.each<[string, Environment]>([
    [
      'access tokens',
      {
        MANAGEMENT_TOKEN_ISSUER: 'https://login.example',
        MANAGEMENT_TOKEN_AUDIENCE: 'https://management.example',
        MANAGEMENT_TOKEN_JWKS_URL: 'https://login.example/jwks',
      },
    ],
    ['a key', { MANAGEMENT_KEY_DIGESTS: 'A'.repeat(43) }],
  ])('does not call a listener open that asks for %s', async (_what, environment) => {
    const found = await resultsOf({ MANAGEMENT_HOST: '0.0.0.0', ...environment });
    expect(found.map(({ code }) => code)).not.toContain('management_open');
  });

  it('reads the file of callers', async () => {
    const found = await resultsOf({ MANAGEMENT_HOST: '0.0.0.0', MANAGEMENT_CALLERS_FILE: '/nowhere' });
    expect(found.map(({ code }) => code)).toContain('management_callers_invalid');
  });
});
