import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DomainError } from '@vestibule/foundation';
import { blamedVariables } from './blamed-variables';
import { defineConfiguration, optionalVariable, variable } from './configuration';
import { portSetting, textSetting } from './settings';

const inCategory = { category: 'Test', description: '' };
const definition = defineConfiguration({
  host: variable('PUBLIC_HOST', textSetting(), { ...inCategory, default: '127.0.0.1' }),
  port: variable('PUBLIC_PORT', portSetting(), inCategory),
  healthPort: optionalVariable('HEALTH_PORT', portSetting(), inCategory),
  folder: optionalVariable('KEYS_FOLDER', textSetting(), inCategory),
  trust: optionalVariable('TRUST_FILE', textSetting(), inCategory),
  key: optionalVariable('SIGNING_KEY', textSetting(), { ...inCategory, secret: true }),
  address: optionalVariable('BASE_URL', textSetting(), inCategory),
});
const invalid = (detail: string) => new DomainError({ kind: 'internal', code: 'trust_file_invalid', detail });
const blame = (error: unknown, environment: Record<string, string>) => blamedVariables(error, definition, environment);

describe('the variables behind a failed start', () => {
  it('are those that name the file', () => {
    const error = invalid('/etc/vestibule/trust.json: file cannot be read (ENOENT)');
    const environment = { TRUST_FILE: '/etc/vestibule/trust.json', KEYS_FOLDER: '/etc/vestibule' };
    expect(blame(error, environment)).toEqual({ variables: 'TRUST_FILE' });
  });

  it('are those that name the folder of the file', () => {
    const error = invalid('the file does not contain a readable certificate (/etc/keys/next.pem cannot be read)');
    expect(blame(error, { KEYS_FOLDER: '/etc/keys' })).toEqual({ variables: 'KEYS_FOLDER' });
  });

  it('may be several for one file', () => {
    const error = invalid('config/both.pem cannot be read');
    const environment = { TRUST_FILE: 'config/both.pem', SIGNING_KEY_FILE: 'config/both.pem' };
    expect(blame(error, environment)).toEqual({ variables: 'TRUST_FILE, SIGNING_KEY_FILE' });
  });

  it.each([
    [
      'a file whose name begins like the folder',
      '/etc/keys-of-others.pem cannot be read',
      { KEYS_FOLDER: '/etc/keys' },
    ],
    ['an address', 'https://shop.example/x is wrong', { BASE_URL: 'https://shop.example' }],
    ['a secret in the environment itself', 'config/key is wrong', { SIGNING_KEY: 'config/key' }],
    ['a word', 'trust is missing', { TRUST_FILE: 'trust' }],
  ])('are unknown for %s', (_what, detail, environment) => {
    expect(blame(invalid(detail), environment)).toEqual({});
  });

  it('name the port that is taken', async () => {
    const [first, second] = [createServer(), createServer()];
    await once(first.listen(0, '127.0.0.1'), 'listening');
    const { port } = first.address() as AddressInfo;
    const failed = once(second, 'error');
    second.listen(port, '127.0.0.1');
    const [error] = (await failed) as [unknown];
    const environment = { PUBLIC_PORT: String(port), HEALTH_PORT: String(port + 1) };
    expect(blame(error, environment)).toEqual({ variables: 'PUBLIC_PORT', address: `127.0.0.1:${port}` });
    first.close();
  });

  it('name the host that this machine does not have', () => {
    const unknown = Object.assign(new Error('canary'), {
      code: 'ENOTFOUND',
      syscall: 'getaddrinfo',
      hostname: 'garbage',
    });
    expect(blame(unknown, { PUBLIC_HOST: 'garbage' })).toEqual({ variables: 'PUBLIC_HOST', address: 'garbage' });
    const elsewhere = { code: 'EADDRNOTAVAIL', syscall: 'listen', address: '203.0.113.1', port: 80 };
    const error = Object.assign(new Error('canary'), elsewhere);
    expect(blame(error, { PUBLIC_HOST: '203.0.113.1' })).toMatchObject({ variables: 'PUBLIC_HOST' });
  });

  it('are unknown for what is not about a file or a listener', () => {
    const refused = Object.assign(new Error('canary'), { code: 'ECONNREFUSED', syscall: 'connect', port: 5432 });
    expect([blame(refused, { PUBLIC_PORT: '5432' }), blame('canary', {})]).toEqual([{}, {}]);
  });
});
