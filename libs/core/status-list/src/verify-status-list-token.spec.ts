import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { signCompactJws } from '@vestibule/crypto';
import { failureFamily, VerificationFailure, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { fastestAwaitedMilliseconds, describeWithVectors, readJsonVector, readVector } from '@vestibule/testkit';
import { parseStatusListToken, readStatus, verifyStatusListToken, type VerifyStatusListTokenOptions } from './index';

const uri = 'https://issuer.example/status-lists/1';
const now = new Date('2026-06-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const lst = deflateSync(Buffer.from('b9a3', 'hex')).toString('base64url');

const header: JsonObject = { typ: 'statuslist+jwt', x5c: ['MIIB'] };
const claims: JsonObject = { sub: uri, iat: seconds, exp: seconds + 600, ttl: 300, status_list: { bits: 1, lst } };
const token = (change: JsonObject = {}, headerChange: JsonObject = {}, key: KeyObject = privateKey) =>
  signCompactJws({ ...header, ...headerChange }, { ...claims, ...change }, key);
const without = (object: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([member]) => member !== name));
const sign = (head: JsonObject, payload: JsonObject) => signCompactJws(head, payload, privateKey);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const options = { uri, now, skewSeconds: 60, signerKeys: () => [publicKey] };
const verify = (text: string, change: Partial<VerifyStatusListTokenOptions> = {}) =>
  verifyStatusListToken(text, { ...options, ...change });
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('a status list token', () => {
  it('VP:O4 that holds every rule gives the list, its times and what its header says of the signer', async () => {
    const list = await verify(token());
    expect(list).toMatchObject({ uri, bits: 1, issuedAt: now, ttlSeconds: 300, header: { x5c: header['x5c'] } });
    expect(list.expiresAt).toEqual(new Date('2026-06-01T12:10:00Z'));
    expect([0, 1, 2, 3].map((idx) => readStatus(list, idx))).toEqual([1, 0, 0, 1]);
  });

  it('VP:O8 may leave out exp and ttl', async () => {
    const list = await verify(sign(header, without(without(claims, 'exp'), 'ttl')));
    expect([list.expiresAt, list.ttlSeconds]).toEqual([undefined, undefined]);
  });

  it('VP:O8 counts until a maximum age where one is set, whatever its exp says', async () => {
    const maxAgeSeconds = 3_600;
    const plain = sign(header, without({ ...claims, iat: seconds - 3_600 }, 'exp'));
    const aged = (age: number, exp?: number) => {
      const all = { ...claims, iat: seconds - age, ...(exp === undefined ? {} : { exp: seconds + exp }) };
      return verify(sign(header, exp === undefined ? without(all, 'exp') : all), { maxAgeSeconds });
    };
    expect((await verify(plain)).expiresAt).toBeUndefined();
    expect((await aged(60)).expiresAt).toEqual(new Date((seconds + 3_540) * 1_000));
    expect((await aged(60, 600)).expiresAt).toEqual(new Date((seconds + 600) * 1_000));
    expect((await aged(60, 86_400)).expiresAt).toEqual(new Date((seconds + 3_540) * 1_000));
    await aged(3_659);
    await expect(aged(3_660)).rejects.toThrow(code('status_token_too_old'));
    await expect(aged(3_660, 86_400)).rejects.toThrow(code('status_token_too_old'));
    await expect(aged(90_000, -60)).rejects.toThrow(code('status_token_expired'));
  });

  it.each(['JWT', 'statuslist+cwt', 'application/statuslist+jwt', 'StatusList+JWT', '', 1, null])(
    'VP:O4 of typ %j is refused (sl:sl-typ)',
    async (typ) => {
      await expect(verify(token({}, { typ }))).rejects.toThrow(code('status_token_type'));
    },
  );

  it('VP:O4 without typ is refused (sl:sl-typ-missing)', async () => {
    await expect(verify(sign(without(header, 'typ'), claims))).rejects.toThrow(code('status_token_type'));
  });

  it.each(['none', 'HS256', 'ES384', 'RS256', 'es256'])(
    'VP:O5 signed with %s is refused (sl:sl-alg-none)',
    async (alg) => {
      const text = `${encode({ ...header, alg })}.${encode(claims)}.${'A'.repeat(86)}`;
      const signerKeys = jest.fn(() => [publicKey]);
      await expect(verify(text, { signerKeys })).rejects.toThrow(code('status_token_algorithm_not_allowed'));
      expect(signerKeys).not.toHaveBeenCalled();
    },
  );

  it('VP:O5 with a changed payload, or signed with another key, is refused (sl:sl-sig-tampered)', async () => {
    const [head, , signature] = token().split('.');
    const revived = encode({
      ...claims,
      status_list: { bits: 1, lst: deflateSync(Buffer.alloc(2)).toString('base64url') },
    });
    await expect(verify(`${head}.${revived}.${signature}`)).rejects.toThrow(code('status_token_signature_invalid'));
    await expect(verify(token({}, {}, other.privateKey))).rejects.toThrow(code('status_token_signature_invalid'));
  });

  it.each([[], null, 'MIIB', [1], ['MIIB', 1], {}])('VP:O5 with x5c %j is refused (sl:sl-x5c)', async (x5c) => {
    await expect(verify(token({}, { x5c }))).rejects.toThrow(code('status_token_certificate_missing'));
  });

  it('VP:O5 without x5c is refused unless the key is known otherwise (sl:sl-x5c-missing)', async () => {
    const text = sign({ typ: 'statuslist+jwt', kid: '12' }, claims);
    await expect(verify(text)).rejects.toThrow(code('status_token_certificate_missing'));
    expect((await verify(text, { certificate: 'optional' })).header).toMatchObject({ kid: '12' });
  });

  it('VP:O6 of a signer that is not trusted is refused, and the reason is named (sl:sl-other-issuer-under-anchor)', async () => {
    const fail = failureFamily({ chain_broken: { section: '', meaning: '', remedy: '' } });
    const signerKeys = () => {
      throw fail('chain_broken');
    };
    await expect(verify(token(), { signerKeys })).rejects.toThrow(
      expect.objectContaining({
        code: 'status_token_signer_not_trusted',
        detail: expect.stringContaining('chain_broken') as string,
      }),
    );
  });

  it('VP:O6 of a signer without a key is refused', async () => {
    const failure = code('status_token_signer_not_trusted');
    await expect(verify(token(), { signerKeys: () => [] })).rejects.toThrow(failure);
  });

  it('VP:O6 leaves an error of the program itself as it is', async () => {
    const bug = new TypeError('bug');
    const signerKeys = () => {
      throw bug;
    };
    await expect(verify(token(), { signerKeys })).rejects.toThrow(bug);
  });

  it.each([`${uri}/`, uri.toUpperCase(), 'https://issuer.example:443/status-lists/1', `${uri}#`, '', 7, null, [uri]])(
    'VP:O7 about %j is refused (sl:sl-sub)',
    async (sub) => {
      await expect(verify(token({ sub }))).rejects.toThrow(code('status_token_subject_mismatch'));
    },
  );

  it('VP:O7 without sub is refused (sl:sl-sub-missing)', async () => {
    await expect(verify(sign(header, without(claims, 'sub')))).rejects.toThrow(code('status_token_subject_mismatch'));
  });
});

describe('the times of a status list token', () => {
  it('VP:O8 iat is required (sl:sl-iat-missing)', async () => {
    await expect(verify(sign(header, without(claims, 'iat')))).rejects.toThrow(code('status_token_claims_malformed'));
  });

  it.each([
    ['iat', '1780315200'],
    ['iat', null],
    ['iat', -1],
    ['exp', '1780315200'],
    ['exp', null],
    ['exp', 1e300],
    ['exp', 8_640_000_000_001],
    ['exp', true],
    ['nbf', '0'],
    ['ttl', 0],
    ['ttl', -1],
    ['ttl', '300'],
    ['ttl', null],
  ])('VP:O8 %s %j is refused (sl:sl-ttl-negative)', async (name, value) => {
    await expect(verify(token({ [name]: value }))).rejects.toThrow(code('status_token_claims_malformed'));
  });

  it('VP:O8 a number beyond all numbers is no ttl', () => {
    const text = JSON.stringify(claims).replace('"ttl":300', '"ttl":1e999');
    const signed = `${encode({ ...header, alg: 'ES256' })}.${Buffer.from(text).toString('base64url')}.AAAA`;
    expect(() => parseStatusListToken(signed)).toThrow(code('status_token_claims_malformed'));
  });

  it('VP:O8 exp is past after the tolerance, not before (sl:sl-expired)', async () => {
    expect((await verify(token({ exp: seconds - 59 }))).expiresAt).toEqual(new Date((seconds - 59) * 1_000));
    await expect(verify(token({ exp: seconds - 60 }))).rejects.toThrow(code('status_token_expired'));
    await expect(verify(token({ exp: 0 }))).rejects.toThrow(code('status_token_expired'));
  });

  it.each(['iat', 'nbf'])('VP:O8 %s in the future is refused after the tolerance', async (name) => {
    expect(await verify(token({ [name]: seconds + 60 }))).toMatchObject({ uri });
    await expect(verify(token({ [name]: seconds + 61 }))).rejects.toThrow(code('status_token_not_yet_valid'));
  });
});

describe('the list in a status list token', () => {
  it.each([0, 3, 5, 7, 9, 16, '1', null, 1.5])('VP:O9 with bits %j is refused (sl:sl-bits)', async (bits) => {
    await expect(verify(token({ status_list: { bits, lst } }))).rejects.toThrow(code('status_list_malformed'));
  });

  it.each<JsonValue>([{ bits: 1 }, { bits: 1, lst: 7 }, { bits: 1, lst: `${lst}==` }, { lst }, null, [], 'lst'])(
    'VP:O9 spelled %j is refused (sl:sl-lst-missing)',
    async (status_list) => {
      await expect(verify(token({ status_list }))).rejects.toThrow(code('status_list_malformed'));
    },
  );

  it('VP:O9 that is missing is refused', async () => {
    await expect(verify(sign(header, without(claims, 'status_list')))).rejects.toThrow(code('status_list_malformed'));
  });

  it('VP:O10 is inflated only after the signature is verified, and bounded', async () => {
    const bomb = deflateSync(Buffer.alloc(4096)).toString('base64url');
    const status_list = { bits: 1, lst: bomb };
    await expect(verify(token({ status_list }), { maxListBytes: 4095 })).rejects.toThrow(code('status_list_too_large'));
    await expect(verify(token({ status_list }, {}, other.privateKey), { maxListBytes: 4095 })).rejects.toThrow(
      code('status_token_signature_invalid'),
    );
    await expect(verify(token({ status_list: { bits: 1, lst: 'AAAA' } }))).rejects.toThrow(
      code('status_list_compression_invalid'),
    );
  });
});

describe('the form of a status list token', () => {
  it.each(['', 'a.b.c', '{}', 'e30.e30.AAAA.AAAA', `${'A'.repeat(4_194_305)}`])(
    'VP:O4 %.20j is refused',
    async (text) => {
      await expect(verify(text)).rejects.toThrow(code('status_token_malformed'));
    },
  );

  it('VP:O4 a payload that is no JSON object, or names a member twice, is refused', () => {
    const head = encode({ ...header, alg: 'ES256' });
    for (const payload of ['[]', '1', '{"sub":"a","sub":"b"}', 'no JSON']) {
      const text = `${head}.${Buffer.from(payload).toString('base64url')}.AAAA`;
      expect(() => parseStatusListToken(text)).toThrow(code('status_token_malformed'));
    }
  });

  it.each([
    ['"iat":1780000000.00000001,"ttl":300.00000000000001', 'ttl'],
    ['"status_list":{"bits":1,"lst":"","total":9007199254740993}', 'status_list.total'],
    ['"other":[1e999]', 'other[0]'],
  ])('VP:O4 a number that would become another one is refused with its place: %s', (member, place) => {
    const text = `${encode({ ...header, alg: 'ES256' })}.${Buffer.from(`{${member}}`).toString('base64url')}.AAAA`;
    const failure = expect.objectContaining({
      code: 'status_token_claims_malformed',
      detail: `the number at ${place} cannot be represented exactly`,
    });
    expect(() => parseStatusListToken(text)).toThrow(failure);
  });

  it('VP:O4 the same in the header', () => {
    const head = Buffer.from('{"alg":"ES256","typ":"statuslist+jwt","v":1e999}').toString('base64url');
    const detail = 'the number at v cannot be represented exactly';
    expect(() => parseStatusListToken(`${head}.e30.AAAA`)).toThrow(
      expect.objectContaining({ code: 'status_token_malformed', detail }),
    );
  });

  it('VP:O4 critical header extensions are rejected', async () => {
    await expect(verify(token({}, { crit: ['x'] }))).rejects.toThrow(code('status_token_malformed'));
  });

  it('VP:O9 any header and claims give a list or a typed error', async () => {
    const member = fc.constantFrom('sub', 'iat', 'exp', 'ttl', 'nbf', 'status_list', 'typ', 'alg', 'x5c', 'bits');
    const part = fc.oneof(
      fc.string().map((text) => Buffer.from(text).toString('base64url')),
      fc.dictionary(member, fc.jsonValue()).map((change) => encode({ ...header, alg: 'ES256', ...claims, ...change })),
    );
    await fc.assert(
      fc.asyncProperty(part, part, async (head, payload) => {
        try {
          await verify(`${head}.${payload}.${'A'.repeat(86)}`);
        } catch (error) {
          expect(error).toBeInstanceOf(VerificationFailure);
        }
      }),
    );
  });

  it('VP:O9 100 KB of hostile text are answered in 50 ms', async () => {
    const nested = Buffer.from('['.repeat(75_000)).toString('base64url');
    for (const text of [
      '.'.repeat(100_000),
      'A'.repeat(100_000),
      `${encode({ ...header, alg: 'ES256' })}.${nested}.AAAA`,
    ]) {
      const milliseconds = await fastestAwaitedMilliseconds(async () => {
        await expect(verify(text)).rejects.toThrow(VerificationFailure);
      });
      expect(milliseconds).toBeLessThan(50);
    }
  });
});

describeWithVectors('the published status list token of TSL §5.1', () => {
  const text = readVector('verifier/token-status-list/status_list_token.jwt.txt');
  const jwk = readJsonVector('verifier/token-status-list/signing_jwk.json') as JsonObject;
  const signerKeys = () => [createPublicKey(createPrivateKey({ key: jwk, format: 'jwk' }))];
  const published = { uri: 'https://example.com/statuslists/1', signerKeys, certificate: 'optional' } as const;

  it('VP:O5 verifies with the published key', async () => {
    const list = await verify(text, published);
    expect(Buffer.from(list.bytes).toString('hex')).toBe('b9a3');
    expect(list.ttlSeconds).toBe(43_200);
  });

  it('VP:O5 has no x5c, which HAIP demands', async () => {
    await expect(verify(text, { ...published, certificate: 'required' })).rejects.toThrow(
      code('status_token_certificate_missing'),
    );
  });
});
