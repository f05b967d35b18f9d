import { createHmac } from 'node:crypto';
import { parseWebhookSecret, webhookHeaders } from './webhook-signature';

const message = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  sentAt: new Date(1614265330_000),
  body: Buffer.from('{"test": 2432232314}'),
};
const secret = parseWebhookSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') as Uint8Array;

describe('the headers of Standard Webhooks', () => {
  it('sign id, timestamp and body: the example of the reference implementation', () => {
    expect(webhookHeaders(message, [secret])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('hold one signature for each secret, so that a secret can be rotated', () => {
    const other = Buffer.alloc(32, 7);
    const [first, second] = (webhookHeaders(message, [secret, other])['webhook-signature'] ?? '').split(' ');
    const signed = `${message.id}.1614265330.${message.body.toString()}`;
    expect(first).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(second).toBe(`v1,${createHmac('sha256', other).update(signed).digest('base64')}`);
  });

  it('are absent without a secret', () => {
    expect(webhookHeaders(message, [])).toEqual({});
  });
});

describe('a webhook secret', () => {
  it('has 24 to 64 bytes', () => {
    const of = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;
    expect(parseWebhookSecret(of(24))).toHaveLength(24);
    expect(parseWebhookSecret(of(64))).toHaveLength(64);
    expect(parseWebhookSecret(of(23))).toBeUndefined();
    expect(parseWebhookSecret(of(65))).toBeUndefined();
  });

  it('begins with whsec_ and is base64', () => {
    expect(parseWebhookSecret(Buffer.alloc(32).toString('base64'))).toBeUndefined();
    expect(parseWebhookSecret('whsec_not base64 at all, by no means')).toBeUndefined();
  });
});
