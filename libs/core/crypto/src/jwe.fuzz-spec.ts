import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { VerificationFailure, type JsonObject } from '@vestibule/foundation';
import { encryptJwe, fastestMilliseconds } from '@vestibule/testkit';
import { createEphemeralKeyPair, decryptJwe, type DecryptionKey } from './index';

const pair = createEphemeralKeyPair(randomBytes);
const keys: DecryptionKey[] = [{ kid: 'k1', privateKey: pair.privateKey }];
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const right = () =>
  encryptJwe(Buffer.from('{}'), { recipient: pair.publicJwk, kid: 'k1', enc: 'A256GCM', random: randomBytes });
const headerOf = (jwe: string) =>
  JSON.parse(Buffer.from(jwe.split('.', 1)[0] ?? '', 'base64url').toString()) as JsonObject;

const members = ['alg', 'enc', 'kid', 'epk', 'apu', 'apv', 'zip', 'crit', 'cty', 'typ', '__proto__', 'p2c', 'jku'];
const epkMembers = fc.constantFrom('kty', 'crv', 'x', 'y', 'd', '__proto__');
const value = fc.oneof(
  fc.constantFrom<unknown>('ECDH-ES', 'dir', 'A128GCM', 'A256GCM', 'A128CBC-HS256', 'k1', 'DEF', pair.publicJwk),
  fc
    .dictionary(epkMembers, fc.oneof(fc.base64String(), fc.jsonValue()))
    .map((part) => ({ ...pair.publicJwk, ...part })),
  fc.jsonValue(),
);

function expectTypedError(jwe: string): void {
  expect(() => decryptJwe(jwe, keys)).toThrow(VerificationFailure);
}

describe('the header of a JWE that a stranger wrote', () => {
  it('VP:H3 VP:H4 VP:H5 VP:Q10 meets a typed error whatever is in it: what is changed does not open', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...members), value), (change) => {
        const jwe = right();
        const header = headerOf(jwe);
        const changed = JSON.stringify({ ...header, ...change });
        fc.pre(changed !== JSON.stringify(header));
        const rest = jwe.split('.').slice(1);
        expectTypedError([Buffer.from(changed).toString('base64url'), ...rest].join('.'));
        expect(Object.getOwnPropertyNames({})).toEqual([]);
      }),
    );
  });

  it('VP:H2 VP:Q10 meets a typed error before whatever parts follow it', () => {
    const part = fc.oneof(
      fc.base64String(),
      fc.uint8Array({ maxLength: 40 }).map((raw) => Buffer.from(raw).toString('base64url')),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        expectTypedError([right().split('.', 1)[0], ...parts].join('.'));
      }),
    );
  });

  const size = 100_000;
  const withHeader = (header: object) =>
    [encode({ ...headerOf(right()), ...header }), '', 'A'.repeat(16), 'A', 'A'.repeat(22)].join('.');
  const replacing = (index: number) => {
    const parts = right().split('.');
    parts[index] = 'A'.repeat(size);
    return parts.join('.');
  };
  it.each<readonly [string, () => string]>([
    ['header', () => `${'A'.repeat(size)}.....`],
    ['dots', () => '.'.repeat(size)],
    ['a long kid', () => withHeader({ kid: 'k'.repeat(size) })],
    ['a long apu', () => withHeader({ apu: 'A'.repeat(size) })],
    ['a long coordinate', () => withHeader({ epk: { ...pair.publicJwk, x: 'A'.repeat(size) } })],
    ['brackets', () => `${Buffer.from('['.repeat(size)).toString('base64url')}.....`],
    ['ciphertext', () => replacing(3)],
    ['authentication tag', () => replacing(4)],
    ['encrypted key', () => replacing(1)],
  ])('VP:H10 VP:Q10 is answered within 50 ms: 100 KB of %s', (_what, make) => {
    const jwe = make();
    expect(fastestMilliseconds(() => expectTypedError(jwe))).toBeLessThan(50);
  });
});
