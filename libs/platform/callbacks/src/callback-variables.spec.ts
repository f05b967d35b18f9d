import { hostileUrls } from '@vestibule/testkit';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defineConfiguration, loadConfiguration } from '@vestibule/process';
import { callbackLimitsOf, callbackTargetOf, callbackVariables } from './callback-variables';

const definition = defineConfiguration(callbackVariables);
const CALLBACK_URL = 'http://backend.example:8090/hooks?tenant=1';
const secret = (fill: number, bytes = 32) => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
const load = (environment: Record<string, string>) => loadConfiguration(definition, { CALLBACK_URL, ...environment });

/** The names of the variables that are refused. */
function refused(environment: Record<string, string>): string[] {
  try {
    load(environment);
    return [];
  } catch (error) {
    return (error as { faults: { path: string }[] }).faults.map(({ path }) => path);
  }
}

describe('the callback variables', () => {
  it('need the URL alone: plain http with a port and a query is fine on an internal network', () => {
    const configuration = load({});
    expect(configuration).toMatchObject({ callbackLifetimeSeconds: 86_400, callbackConcurrency: 16 });
    expect(callbackTargetOf(configuration)).toEqual({ url: CALLBACK_URL, keys: [], origins: [] });
    expect(callbackLimitsOf(configuration)).toEqual({ concurrency: 16, ratePerSecond: 500 });
    expect(refused({ CALLBACK_URL: '' })).toEqual(['CALLBACK_URL']);
  });

  it('make a target of URL, authorization, every key in its order, and origins', () => {
    const configuration = load({
      CALLBACK_AUTHORIZATION: 'Bearer abc',
      CALLBACK_SECRETS: `${secret(1)}, whsk_${Buffer.alloc(32, 2).toString('base64')},${secret(3, 64)}`,
      CALLBACK_ORIGINS: 'https://b.example, http://c.example:8090/, https://b.example',
    });
    expect(callbackTargetOf(configuration)).toMatchObject({
      url: CALLBACK_URL,
      authorization: 'Bearer abc',
      keys: [
        { scheme: 'v1', secret: Buffer.alloc(32, 1) },
        { scheme: 'v1a' },
        { scheme: 'v1', secret: Buffer.alloc(64, 3) },
      ],
      origins: ['https://b.example', 'http://c.example:8090'],
    });
  });

  it('have a proxy for each origin or for some, and refuse one for an origin where nothing is sent', () => {
    const proxy = 'http://user:canary@proxy.internal:3128';
    const targetOf = (proxies: string) =>
      callbackTargetOf(load({ CALLBACK_ORIGINS: 'https://b.example', CALLBACK_PROXY: proxies }));
    expect(targetOf(proxy).proxies).toEqual(new Map([['*', proxy]]));
    expect(targetOf(`https://b.example=${proxy}`).proxies).toEqual(new Map([['https://b.example', proxy]]));
    expect(targetOf(`http://backend.example:8090=${proxy}`).proxies?.size).toBe(1);
    const misspelt = () => targetOf(`https://c.example=${proxy}`);
    expect(misspelt).toThrow('CALLBACK_PROXY must only name the origins of CALLBACK_URL and CALLBACK_ORIGINS');
    expect(misspelt).not.toThrow('canary');
  });

  it('read the authorities of https receivers from a file, or end the start', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-callbacks-'));
    const file = path.join(folder, 'ca.pem');
    writeFileSync(file, 'the certificates');
    expect(callbackTargetOf(load({ CALLBACK_CA_FILE: file })).authorities).toBe('the certificates');
    rmSync(folder, { recursive: true });
    expect(() => callbackTargetOf(load({ CALLBACK_CA_FILE: file }))).toThrow(
      `CALLBACK_CA_FILE ${file} cannot be read (ENOENT)`,
    );
  });

  it.each([
    'https://b.example/path',
    'https://b.example/?q',
    'https://b.example?',
    'https://b.example#',
    'b.example',
    'ftp://b.example',
    'https://u@b.example',
    'https://B.example',
    'https://b.example:443',
    'https:b.example',
    'https:\\\\b.example',
    'https://b.exa\tmple',
  ])('refuse %j as an origin', (text) => {
    expect(refused({ CALLBACK_ORIGINS: `https://good.example,${text}` })).toEqual(['CALLBACK_ORIGINS']);
  });

  it.each(hostileUrls('b.example'))('refuse a URL with %s', (_what, url) => {
    expect(refused({ CALLBACK_URL: url })).toEqual(['CALLBACK_URL']);
  });

  it.each([
    'backend.example/hooks',
    'ftp://backend.example',
    'https://user:pw@backend.example',
    'https://b.example/#x',
  ])('refuse the URL %s', (url) => {
    expect(refused({ CALLBACK_URL: url })).toEqual(['CALLBACK_URL']);
  });

  it.each<[string, string]>([
    ['without its prefix', secret(1).slice('whsec_'.length)],
    ['of 23 bytes', secret(1, 23)],
    ['of 65 bytes', secret(1, 65)],
    ['that is no base64', `whsec_${'*'.repeat(44)}`],
    ['that is bad among good ones', `${secret(1)},whsec_short,${secret(2)}`],
    ['that is empty', `${secret(1)},`],
  ])('refuse a secret %s, and never show it', (_what, text) => {
    expect(refused({ CALLBACK_SECRETS: text })).toEqual(['CALLBACK_SECRETS']);
    expect(() => load({ CALLBACK_SECRETS: text })).not.toThrow(text);
  });

  it.each<[string, string]>([
    ['CALLBACK_LIFETIME_SECONDS', '0'],
    ['CALLBACK_LIFETIME_SECONDS', '2592001'],
    ['CALLBACK_LIFETIME_SECONDS', '1h'],
    ['CALLBACK_CONCURRENCY', '0'],
    ['CALLBACK_CONCURRENCY', '1001'],
    ['CALLBACK_RATE_PER_SECOND', '0'],
    ['CALLBACK_RATE_PER_SECOND', '100001'],
  ])('refuse %s=%s', (name, value) => {
    expect(refused({ [name]: value })).toEqual([name]);
  });

  it('report every fault together', () => {
    const environment = { CALLBACK_URL: 'x', CALLBACK_SECRETS: 'y', CALLBACK_CONCURRENCY: 'z' };
    expect(refused(environment).sort()).toEqual(Object.keys(environment).sort());
  });

  it('let the two secrets come from files', () => {
    const files = { CALLBACK_SECRETS_FILE: '/nonexistent/a', CALLBACK_AUTHORIZATION_FILE: '/nonexistent/b' };
    expect(refused(files).sort()).toEqual(['CALLBACK_AUTHORIZATION', 'CALLBACK_SECRETS']);
    expect(refused({ CALLBACK_URL_FILE: '/nonexistent/c' })).toEqual([]);
  });
});
