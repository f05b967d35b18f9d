import { generateKeyPairSync } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { signCompactJws } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import { verifyStatusListToken } from './index';

const uri = 'https://issuer.example/status-lists/1';
const now = new Date('2026-06-01T12:00:00Z');
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function verify(header: JsonObject, list: Uint8Array = Buffer.alloc(2)) {
  const lst = deflateSync(list).toString('base64url');
  const claims = { sub: uri, iat: now.getTime() / 1000, status_list: { bits: 1, lst } };
  const token = signCompactJws({ typ: 'statuslist+jwt', ...header }, claims, privateKey);
  const signerKeys = () => [publicKey];
  return verifyStatusListToken(token, { uri, now, skewSeconds: 60, certificate: 'optional', signerKeys });
}

describe('what is kept of a status list', () => {
  it('VP:O16 is of its header only what names the signer, whatever else the signer wrote into it', async () => {
    const nested = Array.from({ length: 15_000 }, () => ({}));
    const names = { x5c: ['MIIB', 'MIIC'], kid: '12' };
    const list = await verify({ ...names, nested, jwk: { kty: 'EC' } });
    expect(list.header).toEqual(names);
  });

  it.each<[string, JsonObject]>([
    ['a certificate that is none', { x5c: ['MIIB', {}] }],
    ['a chain that is none', { x5c: { a: 'MIIB' } }],
    ['a key identifier that is none', { kid: [[]] }],
    ['nothing', {}],
  ])('VP:O16 is nothing of a header with %s', async (_, header) => {
    expect((await verify(header)).header).toEqual({});
  });

  it('VP:O16 is counted: the list, the text of the header, and each string in it', async () => {
    const memoryOf = async (header: JsonObject, bytes = 2) => (await verify(header, Buffer.alloc(bytes))).memoryBytes;
    expect(await memoryOf({})).toBeLessThan(200);
    expect(await memoryOf({}, 1_000_000)).toBeGreaterThanOrEqual(1_000_000);
    expect(await memoryOf({ kid: 'k'.repeat(40_000) })).toBeGreaterThanOrEqual(40_000);
    expect(await memoryOf({ x5c: Array.from({ length: 9_000 }, () => 'MI') })).toBeGreaterThanOrEqual(9_000 * 64);
  });
});
