import type { Answered, Asked } from '../testing/http-device.fixture-spec';
import { createStage, expectWhole, INPUT, patience, pem, PLAIN, raw, WRAPPED } from '../testing/stand-ins.fixture-spec';

const stage = createStage();
const { fileOf, open } = stage;
afterEach(() => stage.close());
afterAll(() => stage.remove());

const bodies = (asked: readonly Asked[]) => asked.map(({ body }) => (body === '' ? '' : (JSON.parse(body) as object)));

describe('a key of a signing service (https)', () => {
  const answer = ({ path: address }: Asked): Answered => {
    if (address === '/keys/sign') return { json: { signature: raw().toString('base64') } };
    if (address === '/keys/public-key') return { json: { public_key: pem } };
    return { json: { plaintext: PLAIN.toString('base64') } };
  };
  const describe_ = (url: string) => ({
    provider: 'https',
    url: `${url}/keys/`,
    key: 'issuer',
    authorizationFile: fileOf('authorization', 'Bearer secret\n'),
  });

  it('is asked as docs/keys.md says', async () => {
    const { key, asked } = await open(answer, describe_);
    await expectWhole(key);
    expect(asked.map(({ method, path: address, headers }) => [method, address, headers.authorization])).toEqual([
      ['POST', '/keys/sign', 'Bearer secret'],
      ['POST', '/keys/public-key', 'Bearer secret'],
      ['POST', '/keys/unwrap', 'Bearer secret'],
    ]);
    expect(bodies(asked)).toEqual([
      { key: 'issuer', algorithm: 'ES256', message: INPUT.toString('base64') },
      { key: 'issuer' },
      { key: 'issuer', ciphertext: WRAPPED.toString('base64') },
    ]);
  });

  it.each<[string, Answered, RegExp]>([
    ['a failure', { status: 500, text: 'canary' }, /answered 500/],
    ['a refusal', { status: 403, text: 'canary' }, /answered 403/],
    ['a redirect', { status: 302, text: 'canary' }, /answered 302/],
    ['no JSON', { text: 'canary' }, /not a JSON object/],
    ['no signature', { json: { canary: 1 } }, /no text signature/],
    ['no base64', { json: { signature: 'canary!' } }, /not base64/],
    ['too much', { text: `{"signature":"${'canary'.repeat(60_000)}"}` }, /too large/],
  ])('fails for %s, and says nothing of the answer', async (_what, answered, message) => {
    const { key } = await open(() => answered, describe_);
    const error = (await key.sign(INPUT, patience()).catch((cause: unknown) => cause)) as Error;
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('canary');
  });
});

describe('a key of Vault transit', () => {
  const answer = ({ path: address }: Asked): Answered => {
    if (address === '/v1/transit/sign/issuer')
      return { json: { data: { signature: `vault:v2:${raw().toString('base64url')}` } } };
    if (address === '/v1/transit/keys/issuer') return { json: { data: { keys: { 1: {}, 2: { public_key: pem } } } } };
    return { json: { data: { plaintext: PLAIN.toString('base64') } } };
  };
  const describe_ = (url: string) => ({
    provider: 'vault-transit',
    url,
    key: 'issuer',
    version: 2,
    namespace: 'team',
    tokenFile: fileOf('vault-token', 'hvs.secret'),
  });

  it('is asked for its version and for R and S', async () => {
    const { key, asked } = await open(answer, describe_);
    await expectWhole(key);
    expect(asked.map(({ method, path: address }) => [method, address])).toEqual([
      ['POST', '/v1/transit/sign/issuer'],
      ['GET', '/v1/transit/keys/issuer'],
      ['POST', '/v1/transit/decrypt/issuer'],
    ]);
    for (const { headers } of asked)
      expect([headers['x-vault-token'], headers['x-vault-namespace']]).toEqual(['hvs.secret', 'team']);
    expect(bodies(asked)).toEqual([
      { input: INPUT.toString('base64'), hash_algorithm: 'sha2-256', marshaling_algorithm: 'jws', key_version: 2 },
      '',
      { ciphertext: 'wrapped' },
    ]);
  });

  it('refuses a signature of another version: its certificate is of this one', async () => {
    const other = () => ({ json: { data: { signature: `vault:v3:${raw().toString('base64url')}` } } });
    const { key } = await open(other, describe_);
    await expect(key.sign(INPUT, patience())).rejects.toThrow(/version/);
  });
});
