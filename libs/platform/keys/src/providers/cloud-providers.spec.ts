import { createVerify, generateKeyPairSync } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Answered, Asked } from '../testing/http-device.fixture-spec';
import {
  createStage,
  der,
  DIGEST,
  expectWhole,
  INPUT,
  patience,
  pem,
  PLAIN,
  publicKey,
  raw,
  spki,
  WRAPPED,
} from '../testing/stand-ins.fixture-spec';
import { signAwsRequest } from './sigv4';

const stage = createStage();
const { fileOf, open } = stage;
afterEach(() => stage.close());
afterAll(() => stage.remove());

const bodies = (asked: readonly Asked[]) => asked.map(({ body }) => (body === '' ? '' : (JSON.parse(body) as object)));

describe('a key of AWS KMS', () => {
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'session' };
  const answer = ({ headers }: Asked): Answered => {
    if (headers['x-amz-target'] === 'TrentService.Sign') return { json: { Signature: der().toString('base64') } };
    if (headers['x-amz-target'] === 'TrentService.GetPublicKey') return { json: { PublicKey: spki } };
    return { json: { Plaintext: PLAIN.toString('base64') } };
  };
  const describe_ = (url: string) => ({
    provider: 'aws-kms',
    region: 'eu-central-1',
    keyId: 'alias/issuer',
    url,
    credentialsFile: fileOf('aws.json', JSON.stringify(credentials)),
  });

  it('is asked with the digest, signed with Signature Version 4, and its DER is converted', async () => {
    const { key, asked } = await open(answer, describe_);
    await expectWhole(key);
    expect(bodies(asked)).toEqual([
      {
        KeyId: 'alias/issuer',
        Message: DIGEST.toString('base64'),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      },
      { KeyId: 'alias/issuer' },
      { KeyId: 'alias/issuer', CiphertextBlob: WRAPPED.toString('base64') },
    ]);
    for (const { headers, body } of asked) {
      const stamp = String(headers['x-amz-date']).replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5');
      const order = {
        method: 'POST',
        url: new URL(`http://${headers.host}/`),
        headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': String(headers['x-amz-target']) },
        body,
        region: 'eu-central-1',
        service: 'kms',
        now: new Date(stamp),
      };
      const expected = signAwsRequest(order, credentials);
      expect(headers).toMatchObject(expected);
      expect(headers['x-amz-security-token']).toBe('session');
    }
  });

  it('needs credentials that are some', async () => {
    const { key } = await open(answer, (url) => ({ ...describe_(url), credentialsFile: fileOf('none.json', '{}') }));
    await expect(key.sign(INPUT, patience())).rejects.toMatchObject({ code: 'key_description_invalid' });
  });
});

const account = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const VERSION = 'projects/p/locations/europe-west3/keyRings/r/cryptoKeys/issuer/cryptoKeyVersions/1';

describe('a key of Google Cloud KMS', () => {
  const answer = ({ path: address, headers }: Asked): Answered => {
    if (address === '/token' || address.startsWith('/computeMetadata'))
      return { json: { access_token: 'google', expires_in: 3600 } };
    if (headers.authorization !== 'Bearer google') return { status: 401, text: '{}' };
    if (address === `/v1/${VERSION}:asymmetricSign`) return { json: { signature: der().toString('base64') } };
    if (address === `/v1/${VERSION}/publicKey`) return { json: { pem } };
    return { json: { plaintext: PLAIN.toString('base64') } };
  };
  const describe_ = (url: string) => ({ provider: 'gcp-kms', key: VERSION, url, metadataUrl: url });

  it('is asked with the digest, and with a token of a service account that is fetched once', async () => {
    const { key, asked } = await open(answer, (url) => ({
      ...describe_(url),
      credentialsFile: fileOf(
        'google.json',
        JSON.stringify({
          client_email: 'vestibule@p.iam.gserviceaccount.com',
          private_key_id: 'k1',
          private_key: account.privateKey.export({ format: 'pem', type: 'pkcs8' }),
          token_uri: `${url}/token`,
        }),
      ),
    }));
    await expectWhole(key);
    expect(asked.map(({ path: address }) => address)).toEqual([
      '/token',
      `/v1/${VERSION}:asymmetricSign`,
      `/v1/${VERSION}/publicKey`,
      `/v1/${VERSION}:decrypt`,
    ]);
    expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ digest: { sha256: DIGEST.toString('base64') } });
    const form = new URLSearchParams(asked[0]?.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const json = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    expect(json(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    expect(json(claims)).toMatchObject({
      iss: 'vestibule@p.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloudkms',
      aud: expect.stringMatching(/\/token$/),
    });
    const verifying = createVerify('sha256').update(`${header}.${claims}`);
    expect(verifying.verify(account.publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('asks the metadata server of the machine without a file', async () => {
    const { key, asked } = await open(answer, describe_);
    await expectWhole(key);
    const [first] = asked;
    expect([first?.path, first?.headers['metadata-flavor']]).toEqual([
      '/computeMetadata/v1/instance/service-accounts/default/token',
      'Google',
    ]);
  });
});

describe('a key of Azure Key Vault', () => {
  const version = 'a'.repeat(32);
  const tokens = { current: 'azure' };
  const answer = ({ path: address, headers }: Asked): Answered => {
    if (address === '/tenant/oauth2/v2.0/token') return { json: { access_token: tokens.current, expires_in: 3599 } };
    if (headers.authorization !== `Bearer ${tokens.current}`) return { status: 401, text: '{}' };
    if (address.startsWith(`/keys/issuer/${version}/sign?`)) return { json: { value: raw().toString('base64url') } };
    if (address.startsWith(`/keys/issuer/${version}?`))
      return { json: { key: { ...publicKey.export({ format: 'jwk' }), kty: 'EC-HSM', key_ops: ['sign'] } } };
    return { json: { value: PLAIN.toString('base64url') } };
  };
  const describe_ = (url: string) => ({
    provider: 'azure-key-vault',
    url,
    loginUrl: url,
    key: 'issuer',
    version,
    tenantId: 'tenant',
    clientId: 'client',
    clientSecretFile: fileOf('azure', 'secret'),
  });

  it('is asked with the digest in base64url, and with a token that is fetched once', async () => {
    const { key, asked } = await open(answer, describe_);
    await expectWhole(key);
    expect(asked.map(({ method, path: address }) => [method, address])).toEqual([
      ['POST', '/tenant/oauth2/v2.0/token'],
      ['POST', `/keys/issuer/${version}/sign?api-version=7.4`],
      ['GET', `/keys/issuer/${version}?api-version=7.4`],
      ['POST', `/keys/issuer/${version}/unwrapkey?api-version=7.4`],
    ]);
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client',
      client_secret: 'secret',
      scope: 'https://vault.azure.net/.default',
    });
    expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ alg: 'ES256', value: DIGEST.toString('base64url') });
  });

  it('fetches another token when its own is refused', async () => {
    const { key, asked } = await open(answer, describe_);
    await key.sign(INPUT, patience());
    tokens.current = 'renewed';
    await expectWhole(key);
    expect(asked.filter(({ path: address }) => address.includes('token'))).toHaveLength(2);
  });

  it('signs again when the file of its secret, which was away during a rotation, is back', async () => {
    const { key } = await open(answer, describe_);
    rmSync(fileOf('azure', ''));
    await expect(key.sign(INPUT, patience())).rejects.toMatchObject({ code: 'key_description_invalid' });
    fileOf('azure', 'renewed');
    await expectWhole(key);
  });

  it('waits for a token that another call fetches, and fetches its own when the time of that call is over', async () => {
    const { key, asked } = await open(answer, describe_);
    const other = new AbortController();
    const ended = key.sign(INPUT, other.signal);
    const whole = expectWhole(key);
    other.abort();
    await expect(ended).rejects.toThrow();
    await whole;
    expect(asked.filter(({ path: address }) => address.includes('token')).length).toBeLessThanOrEqual(2);
  });
});
