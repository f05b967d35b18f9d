import { randomBytes } from 'node:crypto';
import { sealingKeyMark } from '@vestibule/crypto';
import { openRemoteKey } from './open-remote-key';
import { createSealingKeyDevices } from './sealing-keys';
import { startHttpDevice, type Answered, type Asked } from './testing/http-device.fixture-spec';
import { createStage, PLAIN, WRAPPED } from './testing/stand-ins.fixture-spec';

const { fileOf, remove } = createStage();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => remove());

const never = new AbortController().signal;
const { unwrap } = createSealingKeyDevices();
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const mark = sealingKeyMark(PLAIN);
const GCP_KEY = 'projects/p/locations/l/keyRings/r/cryptoKeys/sealing';
const isToken = ({ path: address }: Asked) => /token|computeMetadata/.test(address);

async function device(answer: (asked: Asked) => Answered | Promise<Answered>) {
  const started = await startHttpDevice(answer);
  stops.push(() => started.stop());
  return started;
}

/** A file for a wrapped key in `device`. */
const wrappedIn = (described: object, more: object = {}) =>
  fileOf(
    `${randomBytes(8).toString('hex')}.json`,
    JSON.stringify({ wrapped: base64(WRAPPED), mark, device: described, ...more }),
  );

const https = (url: string, more: object = {}) => ({ provider: 'https', url, key: 'sealing', attempts: 1, ...more });

interface Provider {
  readonly describe: (url: string) => object;
  readonly answer: (asked: Asked) => unknown;
  readonly wrapped?: string;
  /** What the device is asked. */
  readonly asks: readonly [address: string, body: object];
}

const providers: Readonly<Record<string, Provider>> = {
  https: {
    describe: https,
    answer: () => ({ plaintext: base64(PLAIN) }),
    asks: ['/unwrap', { key: 'sealing', ciphertext: base64(WRAPPED) }],
  },
  'vault-transit': {
    describe: (url) => ({ provider: 'vault-transit', url, key: 'sealing', tokenFile: fileOf('vault', 'hvs') }),
    answer: () => ({ data: { plaintext: base64(PLAIN) } }),
    wrapped: 'vault:v1:d3JhcHBlZA==',
    asks: ['/v1/transit/decrypt/sealing', { ciphertext: 'vault:v1:d3JhcHBlZA==' }],
  },
  'aws-kms': {
    describe: (url) => ({
      provider: 'aws-kms',
      region: 'eu-central-1',
      keyId: 'alias/sealing',
      url,
      credentialsFile: fileOf('aws', '{"accessKeyId":"a","secretAccessKey":"s"}'),
    }),
    answer: () => ({ Plaintext: base64(PLAIN) }),
    asks: ['/', { KeyId: 'alias/sealing', CiphertextBlob: base64(WRAPPED) }],
  },
  'gcp-kms': {
    describe: (url) => ({ provider: 'gcp-kms', key: GCP_KEY, url, metadataUrl: url }),
    answer: (asked) => (isToken(asked) ? { access_token: 'google', expires_in: 3600 } : { plaintext: base64(PLAIN) }),
    asks: [`/v1/${GCP_KEY}:decrypt`, { ciphertext: base64(WRAPPED) }],
  },
  'azure-key-vault': {
    describe: (url) => ({
      ...{ provider: 'azure-key-vault', url, loginUrl: url, key: 'sealing', version: 'a'.repeat(32) },
      ...{ tenantId: 'tenant', clientId: 'client', clientSecretFile: fileOf('azure', 'secret') },
    }),
    answer: (asked) =>
      isToken(asked) ? { access_token: 'azure', expires_in: 3600 } : { value: PLAIN.toString('base64url') },
    asks: [
      `/keys/sealing/${'a'.repeat(32)}/unwrapkey?api-version=7.4`,
      { alg: 'RSA-OAEP-256', value: WRAPPED.toString('base64url') },
    ],
  },
};

describe('a wrapped sealing key', () => {
  it.each(Object.entries(providers))('is unwrapped by %s', async (_name, { describe: describe_, ...provider }) => {
    const { url, asked } = await device((one) => ({ json: provider.answer(one) }));
    const { wrapped = base64(WRAPPED) } = provider;
    const key = await unwrap(wrappedIn(describe_(url), { wrapped }), never);
    expect(Buffer.from(key)).toEqual(PLAIN);
    const last = asked.at(-1);
    expect([last?.path, JSON.parse(last?.body ?? '')]).toEqual(provider.asks);
  });

  it.each<[string, Answered, string, RegExp]>([
    ['fails', { status: 500, text: 'canary' }, 'sealing_key_unavailable', /https sealing.*answered 500/],
    ['refuses', { status: 403, text: 'canary' }, 'sealing_key_unavailable', /answered 403/],
    ['talks nonsense', { text: 'canary' }, 'sealing_key_unavailable', /not a JSON object/],
    ['returns no base64', { json: { plaintext: 'canary!' } }, 'sealing_key_unavailable', /not base64/],
    ['returns too much', { text: 'canary'.repeat(60_000) }, 'sealing_key_unavailable', /too large/],
    ['returns a short key', { json: { plaintext: base64(PLAIN.subarray(1)) } }, 'sealing_key_wrong', /32 bytes/],
    ['returns a long key', { json: { plaintext: base64(Buffer.alloc(64, 7)) } }, 'sealing_key_wrong', /32 bytes/],
    ['returns another key', { json: { plaintext: base64(Buffer.alloc(32, 8)) } }, 'sealing_key_wrong', /another mark/],
  ])('is not used when its device %s, and nothing of the answer is shown', async (_what, answered, code, detail) => {
    const { url } = await device(() => answered);
    const failed = unwrap(wrappedIn(https(url)), never);
    await expect(failed).rejects.toMatchObject({ code, detail: expect.stringMatching(detail) as string });
    await expect(failed).rejects.toMatchObject({ detail: expect.not.stringContaining('canary') as string });
  });

  it('is not waited for longer than its device may take, nor asked for when the time is over', async () => {
    const { url, asked } = await device(() => new Promise<Answered>(() => undefined));
    const slow = wrappedIn(https(url, { timeoutMilliseconds: 50, attempts: 2 }));
    const late = { code: 'sealing_key_unavailable', detail: expect.stringMatching(/did not answer in time/) as string };
    await expect(unwrap(slow, never)).rejects.toMatchObject(late);
    expect(asked).toHaveLength(2);
    const patient = wrappedIn(https(url, { timeoutMilliseconds: 10_000, attempts: 5 }));
    await expect(unwrap(patient, AbortSignal.timeout(50))).rejects.toMatchObject(late);
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('is asked for again after a failure that may pass, and not after a refusal', async () => {
    const answers: Answered[] = [{ status: 503, text: '' }, { json: { plaintext: base64(PLAIN) } }];
    const { url, asked } = await device(() => answers.shift() ?? { status: 403, text: '' });
    const file = wrappedIn(https(url, { attempts: 3 }));
    expect(Buffer.from(await unwrap(file, never))).toEqual(PLAIN);
    await expect(unwrap(file, never)).rejects.toMatchObject({ code: 'sealing_key_unavailable' });
    expect(asked).toHaveLength(3);
  });

  it('a device that cannot be reached is named, and the connection is closed', async () => {
    let closed = 0;
    const open: typeof openRemoteKey = (described) => {
      const key = openRemoteKey(described);
      return { ...key, close: () => ((closed += 1), key.close()) };
    };
    const file = wrappedIn(https('http://127.0.0.1:1'));
    await expect(createSealingKeyDevices(open).unwrap(file, never)).rejects.toMatchObject({
      code: 'sealing_key_unavailable',
      detail: 'https sealing does not unwrap it: it cannot be reached (ECONNREFUSED)',
    });
    expect(closed).toBe(1);
  });

  it.each<[string, object, string]>([
    ['without a mark', { mark: undefined }, 'mark'],
    ['with a mark that is a key', { mark: 'canary' }, 'mark'],
    ['with a raw key beside it', { key: 'canary' }, 'key'],
    ['that is no base64', { wrapped: 'canary!' }, 'wrapped'],
    ['with an incomplete device', { device: { provider: 'https', key: 'canary' } }, 'url'],
    ['without a device', { device: undefined }, 'device'],
    ['in a file', { device: { provider: 'file', file: '/canary' } }, 'provider file'],
  ])('%s is refused by the name of the member, and shows no value', async (_what, more, member) => {
    const failed = unwrap(wrappedIn(https('https://canary.example'), more), never);
    await expect(failed).rejects.toMatchObject({
      code: 'key_description_invalid',
      detail: expect.stringMatching(new RegExp(`^(?!.*canary).*${member}`)) as string,
    });
  });
});

it('does not say what stands in place of a file: it may be the key', async () => {
  const raw = randomBytes(32).toString('base64url');
  const error: unknown = await unwrap(raw, never).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'key_description_invalid', detail: expect.stringContaining('ENOENT') });
  expect((error as Error).message).not.toContain(raw);
  expect((error as { detail: string }).detail).not.toContain(raw);
});
