import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describeWebhookKey, parseWebhookKey, webhookHeaders, type WebhookKey } from './webhook-signature';

/** The key of a text that is known to be one. */
function keyOf(text: string): WebhookKey {
  const key = parseWebhookKey(text);
  if (!key) throw new Error('the text is no key');
  return key;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = `whsec_${base64(Buffer.alloc(32, 7))}`;
const message = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  sentAt: new Date(1614265330_000),
  body: Buffer.from('{"test": 2432232314}'),
};

/** An Ed25519 key of Node's own making: seed, public key as bytes, and as Node knows it. */
function edwardsKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
  return { seed: bytes(jwk.d), publicBytes: bytes(jwk.x), publicKey };
}

describe('the headers of Standard Webhooks', () => {
  it('sign id, timestamp and body: the example of the reference implementation', () => {
    expect(webhookHeaders(message, [keyOf(SECRET)])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('are absent without a key', () => {
    expect(webhookHeaders(message, [])).toEqual({});
  });
});

describe('a third party', () => {
  const { seed, publicBytes, publicKey } = edwardsKey();
  const body = '{"status":"FULFILLED","name":"Zoë"}';
  const event = { id: 'event-1', sentAt: new Date(), body: Buffer.from(body) };
  const keys = [keyOf(OTHER_SECRET), keyOf(`whsk_${base64(seed)}`), keyOf(SECRET)];
  const headers = webhookHeaders(event, keys);

  it.each([SECRET, OTHER_SECRET])('accepts the callback with either secret of a rotation', (secret) => {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('refuses it with a foreign secret, another body, another id and another time', () => {
    const judge = new Webhook(SECRET);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    const wrong = [
      () => new Webhook(`whsec_${base64(Buffer.alloc(32, 9))}`).verify(body, headers),
      () => judge.verify(`${body} `, headers),
      () => judge.verify(body, { ...headers, 'webhook-id': 'event-2' }),
      () => judge.verify(body, { ...headers, 'webhook-timestamp': later }),
    ];
    for (const attempt of wrong) expect(attempt).toThrow('No matching signature found');
  });

  it('verifies the v1a signature with the public key alone', () => {
    const signatures = (headers['webhook-signature'] ?? '').split(' ').map((one) => one.split(','));
    expect(signatures.map(([scheme]) => scheme)).toEqual(['v1', 'v1a', 'v1']);
    const signature = Buffer.from(signatures[1]?.[1] ?? '', 'base64');
    const signed = (text: string) => Buffer.from(`event-1.${headers['webhook-timestamp']}.${text}`);
    expect(verify(null, signed(body), publicKey, signature)).toBe(true);
    expect(verify(null, signed(`${body} `), publicKey, signature)).toBe(false);
  });

  it('gets that public key as whpk_', () => {
    const key = keyOf(`whsk_${base64(seed)}`);
    expect(key).toMatchObject({ scheme: 'v1a', publicKey: `whpk_${base64(publicBytes)}` });
    expect(key.scheme === 'v1a' && createPublicKey(key.privateKey).equals(publicKey)).toBe(true);
  });

  it('accepts a key with its public half behind it, as some tools write it', () => {
    const both = base64(Buffer.concat([seed, publicBytes]));
    expect(parseWebhookKey(`whsk_${both}`)).toMatchObject({ publicKey: `whpk_${base64(publicBytes)}` });
    const wrong = base64(Buffer.concat([seed, Buffer.alloc(32, 1)]));
    expect(parseWebhookKey(`whsk_${wrong}`)).toBeUndefined();
  });
});

describe('a webhook key', () => {
  const of = (prefix: string, bytes: number): WebhookKey | undefined =>
    parseWebhookKey(`${prefix}${base64(Buffer.alloc(bytes, 1))}`);

  it('that is shared has 24 to 64 bytes', () => {
    expect([24, 64].map((bytes) => of('whsec_', bytes)?.scheme)).toEqual(['v1', 'v1']);
    expect([23, 65].map((bytes) => of('whsec_', bytes))).toEqual([undefined, undefined]);
  });

  it('that is private has 32 bytes', () => {
    expect(of('whsk_', 32)?.scheme).toBe('v1a');
    expect([31, 33, 63, 65].map((bytes) => of('whsk_', bytes))).toEqual(Array(4).fill(undefined));
  });

  it('begins with whsec_ or whsk_ and is base64', () => {
    for (const text of [base64(Buffer.alloc(32)), `whpk_${base64(Buffer.alloc(32))}`, 'whsec_not base64 at all']) {
      expect(parseWebhookKey(text)).toBeUndefined();
    }
  });
});

describe('the description of a key', () => {
  it('shows the public key of an Ed25519 key, however the private one is written, and nothing of a secret', () => {
    const { seed, publicBytes } = edwardsKey();
    const shown = { scheme: 'v1a', public_key: `whpk_${base64(publicBytes)}` };
    expect(describeWebhookKey(keyOf(`whsk_${base64(seed)}`))).toEqual(shown);
    expect(describeWebhookKey(keyOf(`whsk_${base64(Buffer.concat([seed, publicBytes]))}`))).toEqual(shown);
    expect(describeWebhookKey(keyOf(SECRET))).toEqual({ scheme: 'v1' });
  });
});
