import { loadConfiguration } from './load-configuration';
import { natsFaults, natsVariables, readUrlLogin } from './nats-variables';

const faultsOf = (environment: Readonly<Record<string, string>>) =>
  natsFaults(loadConfiguration(natsVariables, environment)).map(({ path }) => path);

describe('the variables of NATS together', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['nothing but an address', { NATS_URL: 'nats://nats:4222' }],
    [
      'TLS with its files',
      { NATS_URL: 'tls://nats', NATS_CA_FILE: 'a', NATS_CERTIFICATE_FILE: 'b', NATS_KEY_FILE: 'c' },
    ],
    ['a user and password', { NATS_URL: 'nats://nats', NATS_USER: 'a', NATS_PASSWORD: 'b' }],
    ['the same user in each URL', { NATS_URL: 'nats://a:b@one,nats://a:b@two' }],
    ['a user in one URL of a cluster', { NATS_URL: 'nats://a:b@one,nats://two' }],
  ])('may be %s', (_, environment) => {
    expect(faultsOf(environment)).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['a user without a password', { NATS_USER: 'a' }, ['NATS_PASSWORD']],
    ['a password without a user', { NATS_PASSWORD: 'a' }, ['NATS_USER']],
    ['a certificate without its key', { NATS_URL: 'tls://n', NATS_CERTIFICATE_FILE: 'a' }, ['NATS_KEY_FILE']],
    ['a key without its certificate', { NATS_URL: 'tls://n', NATS_KEY_FILE: 'a' }, ['NATS_CERTIFICATE_FILE']],
    ['an authority without TLS', { NATS_CA_FILE: 'a' }, ['NATS_CA_FILE']],
    ['a user and a token', { NATS_USER: 'a', NATS_PASSWORD: 'b', NATS_TOKEN: 'c' }, ['NATS_TOKEN']],
    ['a user in the URL and a file', { NATS_URL: 'nats://a:b@n', NATS_CREDS_FILE: 'c' }, ['NATS_CREDS_FILE']],
    ['different users in the URLs', { NATS_URL: 'nats://a:b@one,nats://a:c@two' }, ['NATS_URL']],
  ])('may not be %s', (_, environment, paths) => {
    expect(faultsOf({ NATS_URL: 'nats://nats', ...environment })).toEqual(paths);
  });

  it('never say a secret', () => {
    const seed = `SU${'A'.repeat(55)}`;
    expect(() => loadConfiguration(natsVariables, { NATS_URL: 'nats://n', NATS_NKEY_SEED: seed })).toThrow(
      expect.objectContaining({ detail: expect.not.stringContaining(seed) as string }),
    );
    const faults = natsFaults(loadConfiguration(natsVariables, { NATS_URL: 'nats://canary:canary@n,nats://canary@m' }));
    expect(faults).toHaveLength(1);
    expect(JSON.stringify(faults)).not.toContain('canary');
  });
});

describe('the login in a NATS URL', () => {
  it.each([
    ['nats://host', undefined],
    ['nats://user:p%40ss@host', { user: 'user', password: 'p@ss' }],
    ['tls://t%2Fken@host', { token: 't/ken' }],
  ])('of %s', (url, login) => {
    expect(readUrlLogin(url)).toEqual(login);
  });
});
