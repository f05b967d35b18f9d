import { loadConfiguration } from '@vestibule/process';
import { walletStoreConfiguration } from './config';

const environment = {
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgres://127.0.0.1/vestibule',
  BASE_URL: 'https://wallets.example',
  SEALING_KEYS: Buffer.alloc(32, 1).toString('base64url'),
};

describe('the configuration of the wallet store', () => {
  it('needs no first API key', () => {
    expect(loadConfiguration(walletStoreConfiguration, environment).firstApiKey).toBeUndefined();
  });

  it('takes an API key as a header carries it', () => {
    const key = `${'k'.repeat(31)}~`;
    expect(loadConfiguration(walletStoreConfiguration, { ...environment, FIRST_API_KEY: key }).firstApiKey).toBe(key);
  });

  it.each(['k'.repeat(31), 'k'.repeat(513), `${'k'.repeat(32)} x`, `${'k'.repeat(32)}é`])(
    'refuses a key that can be guessed or sent by no client (%s), by name and never by value',
    (key) => {
      const load = () => loadConfiguration(walletStoreConfiguration, { ...environment, FIRST_API_KEY: key });
      expect(load).toThrow(expect.objectContaining({ faults: [expect.objectContaining({ path: 'FIRST_API_KEY' })] }));
      expect(load).not.toThrow(key);
    },
  );

  it.each<[string, string]>([
    ['CREDENTIAL_STATUS_HOSTS', 'https://status.example'],
    ['CREDENTIAL_STATUS_HOSTS', 'status.example/lists'],
    ['CREDENTIAL_STATUS_ISSUERS', 'https://issuer.example'],
    ['CREDENTIAL_STATUS_ISSUERS', 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'],
  ])('refuses %s=%s, which would match nothing', (name, value) => {
    expect(() => loadConfiguration(walletStoreConfiguration, { ...environment, [name]: value })).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ path: name })] }),
    );
  });
});
