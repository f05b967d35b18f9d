import { createHmac, randomBytes } from 'node:crypto';
import { createCallbackLog } from './callback-log';

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;

function callbackOf(body: object, signer = key) {
  const text = JSON.stringify(body);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', signer).update(`msg.${timestamp}.${text}`).digest('base64');
  const headers = { 'webhook-id': 'msg', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  return { receivedAt: new Date(), headers, text, body };
}

describe('21.1 the callbacks of the console', () => {
  it('say whether their signature is valid, and why not', () => {
    const log = createCallbackLog([secret]);
    const event = { status: 'EXPIRED', state: 'one' };
    log.add(callbackOf(event));
    log.add(callbackOf(event, randomBytes(32)));
    log.add({ ...callbackOf(event), headers: {} });
    expect(log.list().map(({ signature }) => signature)).toEqual(['valid', 'signature_mismatch', 'header_missing']);
  });

  it('are found by their request or offer, and only the last 200 are kept', () => {
    const log = createCallbackLog([secret]);
    for (let count = 0; count < 205; count += 1) log.add(callbackOf({ status: 'ISSUED', offerId: `offer-${count}` }));
    expect(log.list()).toHaveLength(200);
    expect(log.list('offer-3')).toEqual([]);
    expect(log.list('offer-204')).toEqual([expect.objectContaining({ subject: 'offer-204', status: 'ISSUED' })]);
  });
});
