import { printedJson } from '@vestibule/testkit';
import { parseKeyDescription } from './description';

const fault = (members: string) =>
  expect.objectContaining({ code: 'key_description_invalid', detail: expect.stringContaining(members) });
const parse = (value: object) => parseKeyDescription(JSON.stringify(value));

describe('a key description', () => {
  const vault = { provider: 'vault-transit', url: 'https://vault.example', tokenFile: '/run/token', key: 'issuer' };

  it('may be the one that docs/keys.md prints', () => {
    const [first = '', wrapped = '{}'] = printedJson('keys.md');
    const { device } = JSON.parse(wrapped) as { readonly device: object };
    expect([parseKeyDescription(first).provider, parse(device).provider]).toEqual(['pkcs11', 'vault-transit']);
  });

  it('has limits without being asked for them', () => {
    expect(parse(vault)).toEqual({
      ...vault,
      mount: 'transit',
      version: 1,
      timeoutMilliseconds: 3_000,
      attempts: 3,
      concurrency: 16,
    });
  });

  it.each<[string, object, string]>([
    ['without provider', { key: 'canary' }, 'provider'],
    ['of an unknown provider', { ...vault, provider: 'canary' }, 'provider'],
    ['with a secret in it', { ...vault, token: 'canary' }, 'token'],
    ['without what its provider needs', { provider: 'vault-transit', url: vault.url, key: 'canary' }, 'tokenFile'],
    ['over http to another machine', { ...vault, url: 'http://vault.example' }, 'url'],
    ['with an endless time limit', { ...vault, timeoutMilliseconds: 60_000 }, 'timeoutMilliseconds'],
    [
      'without a name in the device',
      { provider: 'pkcs11', module: '/x.so', token: 't', pinFile: '/pin' },
      'object or id',
    ],
    [
      'with a key that is a path elsewhere',
      { provider: 'gcp-kms', key: 'projects/p/locations/l/keyRings/r/cryptoKeys/../../canary' },
      'key',
    ],
  ])('%s is refused by the name of the member, and shows no value', (_what, value, members) => {
    expect(() => parse(value)).toThrow(fault(members) as Error);
    expect(() => parse(value)).toThrow(
      expect.objectContaining({ detail: expect.not.stringContaining('canary') }) as Error,
    );
  });

  it.each(['', '[]', 'null', '{', '"canary"'])('%j is refused', (text) => {
    expect(() => parseKeyDescription(text)).toThrow(fault('') as Error);
  });

  it('over http is for this machine', () => {
    expect(parse({ ...vault, url: 'http://127.0.0.1:8200' })).toMatchObject({ url: 'http://127.0.0.1:8200' });
  });
});
