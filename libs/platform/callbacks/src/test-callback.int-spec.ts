import { createHmac, randomBytes } from 'node:crypto';
import { DELIVERY_LIMITS } from './delivery-policy';
import { openReceiver, status, type Posted, type Reply } from './outbox.stage';
import { createCallbackTest } from './test-callback';

const log = (): void => undefined;
const logger = { debug: log, info: log, warn: log, error: log };
const clock = () => new Date();
const limits = { ...DELIVERY_LIMITS, timeoutMilliseconds: 2_000 };

async function withReceiver(reply: Reply, run: (url: string, posted: readonly Posted[]) => Promise<void>) {
  const posted: Posted[] = [];
  const receiver = await openReceiver((post, response) => {
    posted.push(post);
    reply(post, response);
  });
  try {
    await run(receiver.url, posted);
  } finally {
    await receiver.close();
  }
}

const tester = (target: Parameters<typeof createCallbackTest>[0]['target']) =>
  createCallbackTest({ service: 'issuer', target, limits, clock, random: randomBytes, logger });

describe('a test event', () => {
  it('is posted as a real one is: signed, with authorization, to the configured URL', async () => {
    const secret = randomBytes(32);
    await withReceiver(status(204), async (url, posted) => {
      const target = { url, authorization: 'Bearer backend', keys: [{ scheme: 'v1', secret }] as const };
      const answer = await tester(target)({});
      expect(answer).toMatchObject({ service: 'issuer', delivered: true, result: 'http_204', signatures: ['v1'] });
      const [post] = posted;
      const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = post?.headers ?? {};
      expect(JSON.parse(post?.body ?? '')).toEqual({ status: 'TEST', eventId: answer.webhook_id });
      expect([id, post?.headers.authorization]).toEqual([answer.webhook_id, 'Bearer backend']);
      const expected = createHmac('sha256', secret).update(`${String(id)}.${String(time)}.${post?.body ?? ''}`);
      expect(signature).toBe(`v1,${expected.digest('base64')}`);
    });
  });

  it('says what a receiver answers that does not want it', async () => {
    await withReceiver(status(401), async (url, posted) => {
      const answer = await tester({ url })({});
      expect(answer).toMatchObject({ delivered: false, result: 'http_401', signatures: [] });
      expect(posted).toHaveLength(1);
    });
  });

  it('says what became of it where nobody answers', async () => {
    await withReceiver(
      () => undefined,
      async (url) => {
        expect(await tester({ url })({})).toMatchObject({ delivered: false, result: 'timeout' });
      },
    );
  });

  it('goes to an allowed origin where the caller names one, without the authorization, and to no other', async () => {
    await withReceiver(status(204), async (url, posted) => {
      const { origin } = new URL(url);
      const target = { url: 'http://127.0.0.1:9/hook', authorization: 'Bearer backend', origins: [origin] };
      expect(await tester(target)({ url: `${origin}/other` })).toMatchObject({ delivered: true });
      expect(posted).toMatchObject([{ path: '/other' }]);
      expect(posted[0]?.headers.authorization).toBeUndefined();
      for (const strange of ['http://169.254.169.254/latest', 'file:///etc/passwd', `${origin}.example/x`, 'x']) {
        await expect(tester(target)({ url: strange })).rejects.toMatchObject({ code: 'invalid_request' });
      }
      expect(posted).toHaveLength(1);
    });
  });
});
