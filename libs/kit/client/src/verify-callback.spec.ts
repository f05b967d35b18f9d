import { createHmac, generateKeyPairSync } from 'node:crypto';
import { parseWebhookKey, webhookHeaders, type WebhookKey } from '@vestibule/callbacks';
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { CallbackError, verifyCallback, type VerifiedCallback } from './index';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const SECRET = `whsec_${base64(Buffer.alloc(32, 7))}`;
const OTHER_SECRET = `whsec_${base64(Buffer.alloc(24, 9))}`;
const NOW = new Date('2026-03-01T12:00:00Z');
const TIMESTAMP = String(NOW.getTime() / 1000);

function edwardsKeys() {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  return { privateKey: `whsk_${base64(bytes(jwk.d))}`, publicKey: `whpk_${base64(bytes(jwk.x))}` };
}
const EDWARDS = edwardsKeys();

const keysOf = (...texts: string[]): WebhookKey[] => texts.map((text) => parseWebhookKey(text) as WebhookKey);

const EVENT = { status: 'REJECTED', state: 'VfIQd2nGkzqOCRAkcPDh9Q', errorDetails: 'access_denied' };

/** What Vestibule sends. */
function sent(body: unknown, keys: readonly string[] = [SECRET], id = 'awJKolj9ljVgGg3kIHrjyg') {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return { body: bytes, headers: webhookHeaders({ id, sentAt: NOW, body: bytes }, keysOf(...keys)) };
}

const verify = (
  { body, headers }: { body: Uint8Array | string; headers: Record<string, string> },
  secrets: string | readonly string[] = SECRET,
): VerifiedCallback => verifyCallback(body, headers, secrets, { now: NOW });

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CallbackError) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('17.11 verifyCallback accepts what Vestibule signs', () => {
  it.each([
    ['v1', [SECRET], SECRET],
    ['v1a', [EDWARDS.privateKey], EDWARDS.publicKey],
    ['both, with the secret', [SECRET, EDWARDS.privateKey], SECRET],
    ['both, with the public key', [SECRET, EDWARDS.privateKey], EDWARDS.publicKey],
    ['the old and the new secret, with the new', [OTHER_SECRET, SECRET], SECRET],
    ['the new secret, with the old and the new', [SECRET], [OTHER_SECRET, SECRET]],
    ['v1a, with a secret beside the public key', [EDWARDS.privateKey], [SECRET, EDWARDS.publicKey]],
  ])('%s', (_what, keys, secrets) => {
    expect(verify(sent(EVENT, keys), secrets)).toEqual({
      id: 'awJKolj9ljVgGg3kIHrjyg',
      sentAt: NOW,
      type: 'presentedCredentials',
      event: EVENT,
    });
  });

  it('and what the reference implementation of Standard Webhooks signs', () => {
    const body = JSON.stringify(EVENT);
    const signature = new Webhook(SECRET).sign('msg_1', NOW, body);
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': TIMESTAMP, 'webhook-signature': signature };
    expect(verify({ body, headers }).event).toEqual(EVENT);
  });

  it('with headers of any case, as Node.js has them, as pairs of one value, and as Headers', () => {
    const { body, headers } = sent(EVENT);
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [headers, upper, lists, new Headers(headers)])
      expect(verifyCallback(body, form, SECRET, { now: NOW }).type).toBe('presentedCredentials');
  });

  it('and beside signatures of schemes that it does not know', () => {
    const { body, headers } = sent(EVENT);
    const more = { ...headers, 'webhook-signature': `v2,AAAA v1 v1, ${headers['webhook-signature']}` };
    expect(verify({ body, headers: more }).event).toEqual(EVENT);
  });
});

describe('17.11 verifyCallback refuses', () => {
  const { body, headers } = sent(EVENT, [SECRET, EDWARDS.privateKey]);
  const attempt = (changed: Record<string, unknown>, secrets: string | readonly string[] = SECRET) =>
    codeOf(() => verifyCallback(body, { ...headers, ...changed } as never, secrets, { now: NOW }));

  it.each([
    ['a foreign secret', {}, `whsec_${base64(Buffer.alloc(32, 1))}`, 'signature_mismatch'],
    ['a foreign public key', {}, edwardsKeys().publicKey, 'signature_mismatch'],
    ['another id', { 'webhook-id': 'other' }, SECRET, 'signature_mismatch'],
    ['another time', { 'webhook-timestamp': String(Number(TIMESTAMP) - 1) }, SECRET, 'signature_mismatch'],
    ['no signature', { 'webhook-signature': undefined }, SECRET, 'header_missing'],
    ['an empty id', { 'webhook-id': '' }, SECRET, 'header_missing'],
    ['two ids', { 'webhook-id': ['a', 'b'] }, SECRET, 'header_malformed'],
    ['a time with a sign', { 'webhook-timestamp': `+${TIMESTAMP}` }, SECRET, 'header_malformed'],
    ['a time in exponents', { 'webhook-timestamp': '1e9' }, SECRET, 'header_malformed'],
    ['a time that is no number', { 'webhook-timestamp': 'NaN' }, SECRET, 'header_malformed'],
    ['endless signatures', { 'webhook-signature': 'v1,AAAA '.repeat(100_000) }, SECRET, 'signature_mismatch'],
    ['no secret', {}, [], 'secret_missing'],
    ['an empty secret', {}, '', 'secret_invalid'],
    ['a short secret', {}, `whsec_${base64(Buffer.alloc(23))}`, 'secret_invalid'],
    ['a secret without prefix', {}, base64(Buffer.alloc(32, 7)), 'secret_invalid'],
  ])('%s', (_what, changed, secrets, code) => {
    expect(attempt(changed, secrets)).toBe(code);
  });

  it.each([
    [-301, 'timestamp_out_of_tolerance'],
    [-300, 'accepted'],
    [300, 'accepted'],
    [301, 'timestamp_out_of_tolerance'],
  ])('or accepts a time %s seconds from now: %s', (seconds, code) => {
    const now = new Date(NOW.getTime() + seconds * 1000);
    expect(codeOf(() => verifyCallback(body, headers, SECRET, { now }))).toBe(code);
  });

  it('everything when the tolerance or the time is not a number', () => {
    for (const options of [{ now: NOW, toleranceSeconds: Number.NaN }, { now: new Date(Number.NaN) }])
      expect(codeOf(() => verifyCallback(body, headers, SECRET, options))).toBe('timestamp_out_of_tolerance');
  });

  it('a private key, and does not repeat it', () => {
    expect(() => verify({ body, headers }, EDWARDS.privateKey)).toThrow(CallbackError);
    expect(() => verify({ body, headers }, EDWARDS.privateKey)).not.toThrow(EDWARDS.privateKey.slice(5));
  });

  it('parsed JSON instead of the bytes', () => {
    expect(codeOf(() => verifyCallback(EVENT as never, headers, SECRET, { now: NOW }))).toBe('body_not_raw');
  });

  it('a signature that anyone can make with the public key as a shared secret', () => {
    const secret = Buffer.from(EDWARDS.publicKey.slice(5), 'base64');
    const mac = createHmac('sha256', secret).update(`x.${TIMESTAMP}.`).update(body).digest('base64');
    for (const scheme of ['v1', 'v1a']) {
      const forged = { 'webhook-id': 'x', 'webhook-timestamp': TIMESTAMP, 'webhook-signature': `${scheme},${mac}` };
      expect(codeOf(() => verify({ body, headers: forged }, EDWARDS.publicKey))).toBe('signature_mismatch');
    }
  });

  it('a genuine signature under the name of another scheme', () => {
    const relabelled = (from: string, to: string) => {
      const signatures = String(headers['webhook-signature']).split(' ');
      const [signature = ''] = signatures.filter((one) => one.startsWith(`${from},`));
      return { 'webhook-signature': signature.replace(`${from},`, `${to},`) };
    };
    const secrets = [SECRET, EDWARDS.publicKey];
    expect(attempt(relabelled('v1', 'v1'), secrets)).toBe('accepted');
    expect(attempt(relabelled('v1a', 'v1a'), secrets)).toBe('accepted');
    for (const [from, to] of [
      ['v1', 'v1a'],
      ['v1a', 'v1'],
      ['v1', 'v2'],
      ['v1', ''],
    ] as const)
      expect(attempt(relabelled(from, to), secrets)).toBe('signature_mismatch');
  });

  it('a genuine signature over other parts: what a wallet wrote cannot become the body', () => {
    const planted = `.${TIMESTAMP}.{"status":"FULFILLED"}`;
    const genuine = sent(Buffer.from(`{"status":"REJECTED","errorDescription":"${planted}`), [SECRET], 'a');
    const [before, after] = genuine.body.toString().split(`.${TIMESTAMP}.`) as [string, string];
    const id = `a.${TIMESTAMP}.${before}`;
    const moved = { body: after, headers: { ...genuine.headers, 'webhook-id': id } };
    const signedBytes = (given: string, text: string) => `${given}.${TIMESTAMP}.${text}`;
    expect(signedBytes(id, after)).toBe(signedBytes('a', genuine.body.toString()));
    expect(codeOf(() => verify(moved))).toBe('header_malformed');
  });
});

describe('17.11 a genuine body', () => {
  it.each([
    ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'body_malformed'],
    ['that is not JSON', Buffer.from('{'), 'body_malformed'],
    ['that is an array', [EVENT], 'body_malformed'],
    ['that is null', null, 'body_malformed'],
    ['with an unknown status', { ...EVENT, status: 'WITHDRAWN' }, 'event_unknown'],
    ['with a status from the prototype', { ...EVENT, status: 'constructor' }, 'event_unknown'],
    ['with a list as status', { ...EVENT, status: ['REJECTED'] }, 'event_unknown'],
    ['of the other service', { ...EVENT, status: 'ISSUED' }, 'event_unknown'],
    ['without its details', { status: 'REJECTED', state: 'a' }, 'event_unknown'],
    ['that is FULFILLED without credentials', { status: 'FULFILLED', state: 'a' }, 'event_unknown'],
    [
      'that is FULFILLED with a credential that is not an object',
      { status: 'FULFILLED', state: 'a', credentials: { card: [null] }, credentialsRaw: {} },
      'event_unknown',
    ],
    [
      'that is FULFILLED with raw credentials that are not lists',
      { status: 'FULFILLED', state: 'a', credentials: {}, credentialsRaw: { card: {} } },
      'event_unknown',
    ],
    ['without anything', {}, 'event_unknown'],
  ])('%s is refused', (_what, body, code) => {
    expect(codeOf(() => verify(sent(body)))).toBe(code);
  });

  it.each([null, '', ['a'], 5])('that is FULFILLED with the response code %j is refused', (responseCode) => {
    const body = { status: 'FULFILLED', state: 'a', credentials: {}, responseCode };
    expect(codeOf(() => verify(sent(body)))).toBe('event_unknown');
  });

  const OFFER = { eventId: 'o', offerId: 'o' };
  it.each([
    [
      { status: 'FULFILLED', state: 's', credentials: { card: [{ claims: {} }] }, credentialsRaw: {} },
      'presentedCredentials',
    ],
    [{ status: 'FULFILLED', state: 's', credentials: { card: [{ claims: {} }] } }, 'presentedCredentials'],
    [{ status: 'EXPIRED', state: 's' }, 'presentedCredentials'],
    [{ status: 'PROCESSING_ERROR', state: 's', errorDetails: 'x' }, 'presentedCredentials'],
    [{ status: 'VERIFICATION_FAILED', state: 's', errorDetails: 'x' }, 'presentedCredentials'],
    [{ ...OFFER, status: 'OFFER_CREATED' }, 'issuance'],
    [{ ...OFFER, status: 'ISSUED' }, 'issuance'],
    [{ ...OFFER, status: 'EXPIRED' }, 'issuance'],
    [{ ...OFFER, status: 'FAILED', errorDetails: 'x', later: 'a member of a newer version' }, 'issuance'],
    [{ status: 'TEST', eventId: 'e' }, 'test'],
  ])('%j is an event of type %s', (body, type) => {
    expect(verify(sent(body))).toMatchObject({ type, event: body });
  });

  it('narrows by type and status', () => {
    const describeEvent = (callback: VerifiedCallback): string => {
      switch (callback.type) {
        case 'presentedCredentials':
          return callback.event.status === 'FULFILLED'
            ? Object.keys(callback.event.credentials).join()
            : callback.event.status === 'EXPIRED'
              ? callback.event.state
              : callback.event.errorDetails;
        case 'issuance':
          return callback.event.status === 'FAILED' ? callback.event.errorDetails : callback.event.offerId;
        case 'test':
          return callback.event.eventId;
      }
    };
    expect(describeEvent(verify(sent(EVENT)))).toBe('access_denied');
    expect(describeEvent(verify(sent({ ...OFFER, status: 'ISSUED' })))).toBe('o');
    expect(describeEvent(verify(sent({ status: 'TEST', eventId: 'e' })))).toBe('e');
  });
});

describe('17.11 whatever arrives', () => {
  const genuine = sent(EVENT, [SECRET, EDWARDS.privateKey]);
  const secrets = [SECRET, EDWARDS.publicKey];

  it('is refused with a CallbackError if it is not what was signed', () => {
    const text = fc.string({ maxLength: 200 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), text, text, text, (body, id, timestamp, signature) => {
        const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
        expect(codeOf(() => verifyCallback(body, headers, secrets, { now: NOW }))).not.toBe('accepted');
      }),
    );
  });

  it('is refused if one byte of the body differs', () => {
    const places = fc.nat({ max: genuine.body.length - 1 });
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 255 }), (place, difference) => {
        const body = Buffer.from(genuine.body);
        body[place] = (body[place] as number) ^ difference;
        expect(codeOf(() => verify({ body, headers: genuine.headers }, secrets))).toBe('signature_mismatch');
      }),
    );
  });
});
