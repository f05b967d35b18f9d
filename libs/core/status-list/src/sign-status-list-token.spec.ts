import { generateKeyPairSync } from 'node:crypto';
import { compactVerify } from 'jose';
import { signEs256 } from '@vestibule/crypto';
import {
  freshness,
  packStatuses,
  signStatusListToken,
  verifyStatus,
  verifyStatusListToken,
  type StatusListTokenOrder,
} from './index';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const issuedAt = new Date('2026-06-01T12:00:00.900Z');
const order: StatusListTokenOrder = {
  uri: 'https://issuer.example/status-lists/1',
  issuedAt,
  expiresAt: new Date('2026-06-02T12:00:00Z'),
  ttlSeconds: 300,
  list: packStatuses(1024, 2, [
    { idx: 3, status: 1 },
    { idx: 1023, status: 2 },
  ]),
  x5c: ['MIIB'],
  signer: (input) => signEs256(privateKey, input),
};

describe('signing a status list token', () => {
  it('VCI:Z1 writes typ, x5c, sub, iat, exp, ttl and the list, and nothing else', async () => {
    const { protectedHeader, payload } = await compactVerify(await signStatusListToken(order), publicKey);
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'statuslist+jwt', x5c: ['MIIB'] });
    expect(JSON.parse(Buffer.from(payload).toString('utf8'))).toEqual({
      sub: order.uri,
      iat: 1780315200,
      exp: 1780401600,
      ttl: 300,
      status_list: { bits: 2, lst: expect.stringMatching(/^eN/) as string },
    });
  });

  it('VCI:Z1 makes what this verifier accepts, at every compression level', async () => {
    for (const compressionLevel of [1, 6, 9]) {
      const signer: StatusListTokenOrder['signer'] = async (input) => signEs256(privateKey, input);
      const text = await signStatusListToken({ ...order, signer, compressionLevel });
      const options = { uri: order.uri, now: issuedAt, skewSeconds: 0, signerKeys: () => [publicKey] };
      const list = await verifyStatusListToken(text, options);
      expect(() => verifyStatus(list, 0)).not.toThrow();
      expect(() => verifyStatus(list, 3)).toThrow(expect.objectContaining({ code: 'credential_revoked' }));
      expect(() => verifyStatus(list, 1023)).toThrow(expect.objectContaining({ code: 'credential_suspended' }));
    }
  });

  it('VP:O10 makes what is read up to 16 MiB and, by default, not beyond', async () => {
    const listOf = async (byteLength: number) => {
      const list = { bits: 1, bytes: new Uint8Array(byteLength) } as const;
      const text = await signStatusListToken({ ...order, list, compressionLevel: 1 });
      const options = { uri: order.uri, now: issuedAt, skewSeconds: 0, signerKeys: () => [publicKey] };
      return verifyStatusListToken(text, options);
    };
    const most = 16_777_216;
    expect((await listOf(most)).bytes).toHaveLength(most);
    await expect(listOf(most + 1)).rejects.toThrow(expect.objectContaining({ code: 'status_list_too_large' }));
  });

  it.each<[string, Partial<StatusListTokenOrder>]>([
    ['no chain', { x5c: [] }],
    ['a chain that is no base64', { x5c: ['MIIB\n'] }],
    ['an empty certificate', { x5c: [''] }],
    ['a chain whose last certificate is empty', { x5c: ['MIIB', ''] }],
    ['a ttl of 0', { ttlSeconds: 0 }],
    ['an infinite ttl', { ttlSeconds: Infinity }],
    ['an exp that is not after iat', { expiresAt: issuedAt }],
    ['a signer of DER', { signer: () => new Uint8Array(71) }],
  ])('VCI:Z1 refuses %s', async (_, change) => {
    await expect(signStatusListToken({ ...order, ...change })).rejects.toThrow(RangeError);
  });
});

describe('the freshness of a list', () => {
  const resolvedAt = new Date('2026-06-01T12:00:00Z');
  const bounds = { minSeconds: 30, maxSeconds: 3600 };
  const after = (seconds: number) => new Date(resolvedAt.getTime() + seconds * 1000);
  const until = (ttlSeconds?: number, expiresAt?: Date) => freshness({ ttlSeconds, expiresAt }, resolvedAt, bounds);

  it('VP:O16 is its ttl, counted from when it was resolved', () => {
    expect(until(300)).toEqual(after(300));
  });

  it('VP:O16 is clamped from both sides (sl:sl-ttl-huge)', () => {
    expect(until(1e15)).toEqual(after(3600));
    expect(until(0.001)).toEqual(after(30));
  });

  it('VP:O16 is the largest bound when the token says nothing', () => {
    expect(until()).toEqual(after(3600));
    expect(freshness({ ttlSeconds: undefined, expiresAt: undefined }, resolvedAt)).toEqual(after(3600));
    expect(freshness({ ttlSeconds: 1, expiresAt: undefined }, resolvedAt)).toEqual(after(30));
  });

  it('VP:O16 never ends after exp, not even for the smallest bound', () => {
    expect(until(300, after(100))).toEqual(after(100));
    expect(until(undefined, after(10))).toEqual(after(10));
    expect(until(300, after(-5))).toEqual(after(-5));
  });
});
