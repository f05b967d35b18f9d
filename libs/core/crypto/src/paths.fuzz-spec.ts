import { createPublicKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { compactDecrypt, compactVerify, importJWK, type JWK } from 'jose';
import { DomainError } from '@vestibule/foundation';
import { encryptJwe } from '@vestibule/testkit';
import {
  createEphemeralKeyPair,
  decryptJwe,
  exportPublicJwk,
  importPublicJwk,
  importPublicJwkByJose,
  jwkThumbprint,
  jwkThumbprintByJose,
  jwsClaims,
  parseCompactJws,
  parsePublicJwk,
  verifyJws,
  verifyJwsByJose,
  type DecryptionKey,
} from './index';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pair = createEphemeralKeyPair(randomBytes);
const keys: DecryptionKey[] = [{ kid: 'k1', privateKey: pair.privateKey }];
const base64url = (text: string) => Buffer.from(text).toString('base64url');

/** What came of it: the code of a failure, or what was read. Anything else that is thrown fails the test. */
async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError) return { refused: error.code };
    throw error;
  }
}

const accepted = (result: unknown) => !(typeof result === 'object' && result !== null && 'refused' in result);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** True, and what was read, where jose alone takes the text. */
const joseAlone = (work: Promise<{ payload?: Uint8Array; plaintext?: Uint8Array }>) =>
  work.then(
    ({ payload, plaintext }) => ({ taken: true, read: hex(payload ?? plaintext ?? Buffer.alloc(0)) }),
    () => ({ taken: false, read: '' }),
  );

function signed(header: string, payload: string): string {
  const input = `${header}.${payload}`;
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  by: fc.constantFrom('', 'A', 'B', '_', '-', '=', '.', ' ', '\n', '+', '/', 'é', '\0', 'AA'),
  drop: fc.integer({ min: 0, max: 2 }),
});

function mutated(text: string, changes: readonly { at: number; by: string; drop: number }[]): string {
  return changes.reduce((whole, { at, by, drop }) => {
    const index = Math.floor(at * whole.length);
    return whole.slice(0, index) + by + whole.slice(index + drop);
  }, text);
}

describe('the two paths of a signature', () => {
  const by = async (verify: (jws: ReturnType<typeof parseCompactJws>, key: KeyObject) => unknown, text: string) =>
    outcome(async () => {
      const jws = parseCompactJws(text);
      await verify(jws, publicKey);
      return { payload: hex(jws.payload), claims: await outcome(() => jwsClaims(jws)) };
    });

  async function expectEqual(text: string): Promise<boolean> {
    const [ours, theirs] = [await by(verifyJws, text), await by(verifyJwsByJose, text)];
    expect(theirs).toEqual(ours);
    const alone = await joseAlone(compactVerify(text, publicKey, { algorithms: ['ES256'] }));
    if (accepted(ours)) expect(alone).toEqual({ taken: true, read: (ours as { payload: string }).payload });
    return accepted(ours);
  }

  const member = fc.constantFrom('alg', 'typ', 'kid', 'crit', 'b64', 'zip', 'jwk', '__proto__', 'constructor');
  const header = fc
    .dictionary(member, fc.oneof(fc.jsonValue(), fc.constantFrom('ES256', 'none', 'HS256', ['b64'], false)))
    .map((changes) => JSON.stringify({ alg: 'ES256', ...changes }));
  const text = fc.oneof(header, fc.json(), fc.string({ unit: 'binary' }), fc.constant('{"alg":"ES256"}'));

  it('take and refuse the same tokens, and read the same from them, however they are made', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.oneof(fc.json(), fc.string({ unit: 'binary' })), async (head, payload) => {
        await expectEqual(signed(base64url(head), base64url(payload)));
      }),
    );
  });

  it('take and refuse the same tokens when they were changed on their way', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.array(mutation, { maxLength: 2 }), async (payload, changes) => {
        const whole = signed(base64url('{"alg":"ES256","typ":"JWT"}'), base64url(payload));
        if (await expectEqual(mutated(whole, changes))) taken += 1;
      }),
    );
    expect(taken).toBeGreaterThan(0);
  });

  it.each<[string, () => KeyObject]>([
    ['another key', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey],
    ['another curve', () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey],
    ['another type', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey],
    ['Ed25519', () => generateKeyPairSync('ed25519').publicKey],
  ])('refuse %s alike', async (_what, make) => {
    const jws = parseCompactJws(signed(base64url('{"alg":"ES256"}'), base64url('{}')));
    const refused = { refused: 'jws_signature_invalid' };
    expect(await outcome(() => verifyJws(jws, make()))).toEqual(refused);
    expect(await outcome(() => verifyJwsByJose(jws, make()))).toEqual(refused);
  });

  const long = `{"alg":"ES256","kid":"${'k'.repeat(60_000)}"}`;
  /** Where we are stricter than jose, on purpose: it takes each of these. */
  const STRICTER: readonly (readonly [string, string])[] = [
    ['a header that names a member twice', signed(base64url('{"alg":"none","alg":"ES256"}'), base64url('{}'))],
    ['padding', `${signed(base64url('{"alg":"ES256"}'), `${base64url('{"a":1}')}`)}==`],
    ['b64 without crit', signed(base64url('{"alg":"ES256","b64":true}'), base64url('{}'))],
    ['b64 with crit', signed(base64url('{"alg":"ES256","b64":true,"crit":["b64"]}'), base64url('{}'))],
    ['a number that is not exact', signed(base64url('{"alg":"ES256","v":1e999}'), base64url('{}'))],
    ['a header beyond the limit', signed(base64url(long), base64url('{}'))],
    ['bits beyond the last byte', signed(base64url('{"alg":"ES256"}'), 'e31')],
  ];
  it.each(STRICTER)('are stricter than jose with %s', async (_what, whole) => {
    expect(await joseAlone(compactVerify(whole, publicKey, { algorithms: ['ES256'] }))).toMatchObject({ taken: true });
    expect(await expectEqual(whole)).toBe(false);
  });
});

describe('our decryption', () => {
  const order = { recipient: pair.publicJwk, kid: 'k1', enc: 'A256GCM', random: randomBytes } as const;
  const read = ({ plaintext, header, kid }: ReturnType<typeof decryptJwe>) => ({ plain: hex(plaintext), header, kid });
  const raw = { keyManagementAlgorithms: ['ECDH-ES'], contentEncryptionAlgorithms: ['A128GCM', 'A256GCM'] };
  const privateJwk: JWK = { ...pair.publicJwk, d: Buffer.from(pair.privateKey).toString('base64url') };

  type Read = ReturnType<typeof read>;
  /** Party information that jose refuses because both halves are the same. */
  const isAlike = ({ header: { apu, apv } }: Read) => apu !== undefined && apu === apv;

  /** What ours takes, jose takes, with the same content. */
  async function isTaken(jwe: string): Promise<boolean> {
    const ours = await outcome(() => read(decryptJwe(jwe, keys)));
    const own = await importJWK({ ...privateJwk }, 'ECDH-ES');
    const alone = await joseAlone(compactDecrypt(jwe, own, raw));
    if (accepted(ours) && !isAlike(ours as Read))
      expect(alone).toEqual({ taken: true, read: (ours as { plain: string }).plain });
    return accepted(ours);
  }

  const member = fc.constantFrom('cty', 'apu', 'apv', 'zip', 'crit', 'p2c', 'jku', 'b64', '__proto__', 'constructor');
  const value = fc.oneof(fc.constantFrom<unknown>('AAAA', 'AA', 'AB', 'DEF', 'AA==', ['b64']), fc.jsonValue());

  it('takes what jose takes with the same content, however it is made', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(member, value, { maxKeys: 2 }),
        fc.uint8Array({ maxLength: 200 }),
        async (header, content) => {
          if (await isTaken(encryptJwe(content, order, header))) taken += 1;
        },
      ),
    );
    expect(taken).toBeGreaterThan(0);
  });

  it('takes nothing that jose refuses when it was changed on its way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { maxLength: 2 }), async (changes) => {
        await isTaken(mutated(encryptJwe(Buffer.from('{"a":1}'), order), changes));
      }),
    );
  });

  it('takes no ephemeral key other than that of the message', async () => {
    const coordinate = fc.oneof(
      fc.constantFrom<unknown>(pair.publicJwk.x, pair.publicJwk.y, `${pair.publicJwk.x}=`, 'AAAA', null),
      fc.uint8Array({ minLength: 31, maxLength: 33 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    );
    await fc.assert(
      fc.asyncProperty(coordinate, coordinate, async (x, y) => {
        const [, ...rest] = encryptJwe(Buffer.from('{}'), order).split('.');
        const epk = { kty: 'EC', crv: 'P-256', x, y };
        const header = base64url(JSON.stringify({ alg: 'ECDH-ES', enc: 'A256GCM', kid: 'k1', epk }));
        expect(await isTaken([header, ...rest].join('.'))).toBe(false);
      }),
    );
  });

  const [head = '', ...tail] = encryptJwe(Buffer.from('{}'), order).split('.');
  /** Where we are stricter than jose, on purpose: it takes each of these. */
  const STRICTER: readonly (readonly [string, () => string])[] = [
    ['padding', () => `${[head, ...tail].join('.')}==`],
    ['party information with padding', () => encryptJwe(Buffer.from('{}'), order, { apu: 'AA==' })],
    ['party information with bits beyond the last byte', () => encryptJwe(Buffer.from('{}'), order, { apv: 'AB' })],
    ['no kid', () => encryptJwe(Buffer.from('{}'), { ...order, kid: undefined })],
    ['compression', () => encryptJwe(Buffer.from('{}'), { ...order, zip: 'DEF' })],
  ];
  it.each(STRICTER)('is stricter than jose with %s', async (_what, make) => {
    const jwe = make();
    const own = await importJWK({ ...privateJwk }, 'ECDH-ES');
    expect(await joseAlone(compactDecrypt(jwe, own, raw))).toMatchObject({ taken: true });
    expect(await isTaken(jwe)).toBe(false);
  });
});

describe('a message that jose refuses for its header', () => {
  const order = { recipient: pair.publicJwk, kid: 'k1', enc: 'A256GCM', random: randomBytes } as const;
  const HEADERS: readonly (readonly [string, Record<string, unknown>])[] = [
    ['equal party information', { apu: 'AAAA', apv: 'AAAA' }],
    ['empty party information', { apu: '', apv: '' }],
    ['what the ephemeral key is for', { epk: { key_ops: ['deriveBits'] } }],
    ['what nothing is for', { epk: { key_ops: ['bogus'] } }],
    ['no word on extraction', { epk: { ext: null } }],
  ];

  it.each(HEADERS)('is opened by ours: %s', async (_what, header) => {
    const jwe = encryptJwe(Buffer.from('{"a":1}'), order, header);
    const own = await importJWK(
      { ...pair.publicJwk, d: Buffer.from(pair.privateKey).toString('base64url') },
      'ECDH-ES',
    );
    expect(await joseAlone(compactDecrypt(jwe, own))).toMatchObject({ taken: false });
    expect(Buffer.from(decryptJwe(jwe, keys).plaintext).toString()).toBe('{"a":1}');
  });
});

describe('the two paths of a public key', () => {
  const same = async (jwk: unknown) => {
    const ours = await outcome(() => exportPublicJwk(importPublicJwk(parsePublicJwk(jwk))));
    const theirs = await outcome(async () => exportPublicJwk(await importPublicJwkByJose(parsePublicJwk(jwk))));
    expect(theirs).toEqual(ours);
    if (accepted(ours)) {
      const parsed = parsePublicJwk(jwk);
      expect(await jwkThumbprintByJose(parsed)).toBe(jwkThumbprint(parsed));
      const imported = await importPublicJwkByJose(parsed);
      expect(imported.equals(createPublicKey({ key: { ...parsed }, format: 'jwk' }))).toBe(true);
    }
    return accepted(ours);
  };

  it('take any point of the curve, and give it the same name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (seed) => {
        const random = () => Uint8Array.from(seed).map((byte, index) => (index === 0 ? byte & 0x7f : byte | 1));
        expect(await same({ ...createEphemeralKeyPair(random).publicJwk, kid: 'k', use: 'sig' })).toBe(true);
      }),
    );
  });

  it('refuse what is no point of the curve, in whatever spelling', async () => {
    const { x, y } = pair.publicJwk;
    const prime = 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff';
    const coordinate = fc.oneof(
      fc.constantFrom(x, y, `${x}=`, ` ${x}`, 'A'.repeat(43), Buffer.from(prime, 'hex').toString('base64url')),
      fc.uint8Array({ minLength: 31, maxLength: 33 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    );
    const crv = fc.constantFrom('P-256', 'P-384', 'secp256k1', 'p-256');
    await fc.assert(
      fc.asyncProperty(coordinate, coordinate, crv, fc.constantFrom('EC', 'OKP'), async (one, two, curve, kty) => {
        const isPair = one === x && two === y && curve === 'P-256' && kty === 'EC';
        expect(await same({ kty, crv: curve, x: one, y: two })).toBe(isPair);
      }),
    );
  });
});
