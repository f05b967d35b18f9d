import { createHash, generateKeyPairSync } from 'node:crypto';
import { exportPublicJwk, jwkThumbprint, signCompactJws } from '@vestibule/crypto';
import { type JsonObject } from '@vestibule/foundation';
import { requireTokenKey, verifyDpopProof, type DpopExpectation } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const url = 'https://c.example.com/issuer/oidc4vci/token';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = exportPublicJwk(privateKey);
const thumbprint = jwkThumbprint(jwk);
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

const claims: JsonObject = { jti: 'jti-1', htm: 'POST', htu: url, iat: seconds };
const header: JsonObject = { typ: 'dpop+jwt', jwk: { ...jwk } };
const proof = (changes: JsonObject = {}, headerChanges: JsonObject = {}, key = privateKey) =>
  signCompactJws({ ...header, ...headerChanges }, { ...claims, ...changes }, key);
const without = (name: string) => {
  const rest = { ...claims };
  delete rest[name];
  return signCompactJws(header, rest, privateKey);
};
const verify = (text: string, changes: Partial<DpopExpectation> = {}) =>
  verifyDpopProof(text, { method: 'POST', url, now, token: 'unbound', nonce: 'not_required', ...changes });

const refused = expect.objectContaining({ code: 'invalid_dpop_proof' });
const accessToken = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU';
const ath = createHash('sha256').update(accessToken).digest('base64url');

describe('verifyDpopProof: claims', () => {
  it('VCI:D5 accepts a proof and returns the thumbprint of its key', async () => {
    expect(await verify(proof())).toEqual({
      thumbprint,
      key: { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String) },
      replayDigest: expect.any(Uint8Array),
      expiresAt: new Date('2026-03-01T12:06:01Z'),
    });
  });

  it.each(['jti', 'htm', 'htu', 'iat'])('VCI:D6 refuses a proof without %s', async (name) => {
    await expect(verify(without(name))).rejects.toThrow(refused);
  });

  it.each<[string, JsonObject]>([
    ['VCI:D6 a numeric jti', { jti: 1 }],
    ['VCI:D6 an empty jti', { jti: '' }],
    ['VCI:D10 a jti of 10 kB', { jti: 'x'.repeat(10_000) }],
    ['VCI:D10 a jti of 257 characters', { jti: 'x'.repeat(257) }],
    ['VCI:D6 an array as htu', { htu: [url] }],
    ['VCI:D6 an iat of text', { iat: '1772366400' }],
    ['VCI:D7 another method', { htm: 'PUT' }],
    ['VCI:D7 the method in lower case', { htm: 'post' }],
    ['VCI:D8 another path', { htu: 'https://c.example.com/issuer/oidc4vci/credential' }],
    ['VCI:D8 another host', { htu: 'https://evil.example/issuer/oidc4vci/token' }],
    ['VCI:D8 http', { htu: 'http://c.example.com/issuer/oidc4vci/token' }],
    ['VCI:D8 the internal port', { htu: 'https://c.example.com:3000/issuer/oidc4vci/token' }],
    ['VCI:D8 no URL', { htu: 'token' }],
    ['VCI:D9 an iat of an hour ago', { iat: seconds - 3_600 }],
    ['VCI:D9 an iat of 301 s ago', { iat: seconds - 301 }],
    ['VCI:D9 an iat 61 s ahead', { iat: seconds + 61 }],
    ['VCI:D9 an iat an hour ahead', { iat: seconds + 3_600 }],
    ['VCI:D16 an exp in the past', { exp: seconds - 61 }],
    ['VCI:D16 an exp of text', { exp: 'tomorrow' }],
    ['VCI:D16 an nbf in the future', { nbf: seconds + 61 }],
  ])('refuses %s', async (_what, changes) => {
    await expect(verify(proof(changes))).rejects.toThrow(refused);
  });

  it.each<[string, JsonObject]>([
    ['VCI:D9 an iat of 300 s ago', { iat: seconds - 300 }],
    ['VCI:D9 an iat 60 s ahead', { iat: seconds + 60 }],
    ['VCI:D9 a fractional iat', { iat: seconds - 0.5 }],
    ['VCI:D8 the same URL in another spelling', { htu: 'HTTPS://C.EXAMPLE.COM:443/issuer/oidc4v%63i/token?x#y' }],
    ['VCI:D16 unknown claims, and exp and nbf that hold', { foo: { bar: [1] }, exp: seconds + 60, nbf: seconds }],
    ['VCI:D16 a nonce that nobody asked for', { nonce: 'whatever' }],
    ['VCI:D16 an ath at the token endpoint', { ath: 'whatever' }],
  ])('accepts %s', async (_what, changes) => {
    expect((await verify(proof(changes))).thumbprint).toBe(thumbprint);
  });

  it('VCI:D8 compares with the configured URL, whose own spelling does not matter either', async () => {
    expect((await verify(proof(), { url: `${url}?a=b` })).thumbprint).toBe(thumbprint);
    await expect(verify(proof(), { url: 'token' })).rejects.toThrow(RangeError);
  });
});

describe('verifyDpopProof: header and signature', () => {
  it.each<[string, string]>([
    ['VCI:D2 no typ', signCompactJws({ jwk: { ...jwk } }, claims, privateKey)],
    ['VCI:D2 a key proof', proof({}, { typ: 'openid4vci-proof+jwt' })],
    ['VCI:D4 no jwk', signCompactJws({ typ: 'dpop+jwt' }, claims, privateKey)],
    ['VCI:D4 a private jwk', proof({}, { jwk: { ...jwk, d: jwk.x } })],
    ['VCI:D4 a symmetric jwk', proof({}, { jwk: { kty: 'oct', k: 'AAAA' } })],
    ['VCI:D4 a point off the curve', proof({}, { jwk: { ...jwk, y: jwk.x } })],
    ['VCI:D4 another curve', proof({}, { jwk: { ...jwk, crv: 'P-384' } })],
    ['VCI:D5 a signature by another key', proof({}, {}, other)],
    ['VCI:D1 a critical header extension', proof({}, { crit: ['x'], x: 1 })],
    ['VCI:D1 two proofs in one header', `${proof()}, ${proof()}`],
    ['VCI:D1 a proof with white space', `${proof()} `],
    ['VCI:D1 a proof of 20 kB', proof({ filler: 'x'.repeat(20_000) })],
    ['VCI:D1 no JWS', 'abc'],
  ])('refuses %s', async (_what, text) => {
    await expect(verify(text)).rejects.toThrow(refused);
  });

  it.each(['none', 'HS256', 'RS256', 'ES384', 'es256'])('VCI:D3 refuses alg %s', async (alg) => {
    const [, payload, signature] = proof().split('.');
    const encoded = Buffer.from(JSON.stringify({ ...header, alg })).toString('base64url');
    await expect(verify(`${encoded}.${payload}.${signature}`)).rejects.toThrow(refused);
    await expect(verify(`${encoded}.${payload}.`)).rejects.toThrow(refused);
  });

  it('VCI:D5 refuses a flipped byte in any part', async () => {
    const text = proof();
    for (const index of [5, text.indexOf('.') + 5, text.length - 10]) {
      const flipped = text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1);
      await expect(verify(flipped)).rejects.toThrow(refused);
    }
  });

  it('VCI:D16 ignores unknown header members and optional members of the key', async () => {
    expect(
      (await verify(proof({}, { foo: 'bar', jwk: { ...jwk, kid: 'k', use: 'sig', alg: 'ES256' } }))).thumbprint,
    ).toBe(thumbprint);
  });
});

describe('verifyDpopProof: token, nonce and replay', () => {
  const token = { accessToken, thumbprint };

  it('VCI:D11 accepts the hash of the access token', async () => {
    expect((await verify(proof({ ath }), { token })).thumbprint).toBe(thumbprint);
  });

  it.each<[string, JsonObject]>([
    ['no ath', {}],
    ['the ath of another token', { ath: createHash('sha256').update('another').digest('base64url') }],
    ['an ath with padding', { ath: `${ath}=` }],
    ['an ath that is not text', { ath: [ath] }],
  ])('VCI:D11 refuses %s', async (_what, changes) => {
    await expect(verify(proof(changes), { token })).rejects.toThrow(refused);
  });

  it('VCI:D12 answers invalid_token when the token is bound to another key', async () => {
    const foreign = { accessToken, thumbprint: jwkThumbprint(exportPublicJwk(other)) };
    await expect(verify(proof({ ath }), { token: foreign })).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_token' }),
    );
  });

  it('VCI:D11 VCI:D12 checks everything but the key for a token that is not known yet', async () => {
    const unknown = { accessToken, binding: 'compared_by_caller' } as const;
    const verified = await verify(proof({ ath }), { token: unknown });
    expect(() => requireTokenKey(verified.thumbprint, thumbprint)).not.toThrow();
    const foreign = jwkThumbprint(exportPublicJwk(other));
    expect(() => requireTokenKey(verified.thumbprint, foreign)).toThrow(
      expect.objectContaining({ code: 'invalid_token' }),
    );
    const wrong: readonly JsonObject[] = [{}, { ath: 'x' }, { ath, htm: 'GET' }];
    for (const changes of wrong) await expect(verify(proof(changes), { token: unknown })).rejects.toThrow(refused);
  });

  it.each<[string, JsonObject]>([
    ['missing', {}],
    ['stale', { nonce: 'stale' }],
    ['not text', { nonce: 1 }],
  ])('VCI:D17 VCI:D18 asks for a nonce, and brings one, when it is %s', async (_what, changes) => {
    const nonce = { accepts: (value: string) => value === 'fresh', create: () => 'fresh' };
    const wanted = expect.objectContaining({ code: 'use_dpop_nonce', freshNonce: 'fresh' });
    await expect(verify(proof(changes), { nonce })).rejects.toThrow(wanted);
    expect((await verify(proof({ nonce: 'fresh' }), { nonce })).thumbprint).toBe(thumbprint);
  });

  it('VCI:D9 a nonce does not excuse a wrong clock', async () => {
    const nonce = { accepts: () => true, create: () => 'fresh' };
    await expect(verify(proof({ nonce: 'fresh', iat: seconds - 3_600 }), { nonce })).rejects.toThrow(refused);
    await expect(verify(proof({ nonce: 'fresh', iat: seconds + 61 }), { nonce })).rejects.toThrow(refused);
  });

  it('VCI:D10 gives one proof one digest, and another key, URL or jti another one', async () => {
    const digest = async (text: string, changes: Partial<DpopExpectation> = {}) =>
      Buffer.from((await verify(text, changes)).replayDigest).toString('hex');
    const credentialUrl = 'https://c.example.com/issuer/oidc4vci/credential';
    const otherKey = proof({}, { jwk: { ...exportPublicJwk(other) } }, other);
    const digests = await Promise.all([
      digest(proof()),
      digest(proof({ jti: 'jti-2' })),
      digest(proof({ htu: credentialUrl }), { url: credentialUrl }),
      digest(otherKey),
    ]);
    expect(await digest(proof({ iat: seconds - 1 }))).toBe(digests[0]);
    expect(await digest(proof({ htu: `${url}?x` }))).toBe(digests[0]);
    expect(new Set(digests).size).toBe(4);
  });

  it('VCI:D10 is never accepted after the time until which its use is remembered', async () => {
    const text = proof({ iat: seconds + 59.5 });
    await expect(verify(text, { now: (await verify(text)).expiresAt })).rejects.toThrow(refused);
  });

  it.each([-299.5, 0, 59.5])('is remembered for replicas whose clocks are a minute behind: iat %d', async (ahead) => {
    const text = proof({ iat: seconds + ahead });
    const forgottenAt = (await verify(text)).expiresAt.getTime();
    await expect(verify(text, { now: new Date(forgottenAt - 60_000) })).rejects.toThrow(refused);
  });
});
