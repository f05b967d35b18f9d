import fc from 'fast-check';
import { createEphemeralKeyPair, exportPublicJwk, type PublicJwk } from '@vestibule/crypto';
import { DomainError, type JsonObject } from '@vestibule/foundation';
import { hostileUrls, seededRandom } from '@vestibule/testkit';
import {
  issuerMetadataUrl,
  MAX_ISSUER_METADATA_BYTES,
  parseIssuerKeySet,
  parseIssuerMetadata,
  selectIssuerKey,
  type IssuerKey,
} from './index';

const failsWith = (code: string) => expect.objectContaining({ code });
const ISSUER = 'https://issuer.example';
const jwkOf = (seed: string) => createEphemeralKeyPair(seededRandom(seed)).publicJwk;
const [ONE, TWO] = [jwkOf('one'), jwkOf('two')];
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const parse = (document: unknown) => parseIssuerMetadata(bytes(document), ISSUER);
const parseKeys = (keys: unknown) => parse({ issuer: ISSUER, jwks: { keys } });

describe('the address of issuer metadata', () => {
  it.each([
    ['https://issuer.example', 'https://issuer.example/.well-known/jwt-vc-issuer'],
    ['https://issuer.example/', 'https://issuer.example/.well-known/jwt-vc-issuer'],
    ['https://issuer.example:8443/tenant', 'https://issuer.example:8443/.well-known/jwt-vc-issuer/tenant'],
    ['https://issuer.example/tenant/1/', 'https://issuer.example/.well-known/jwt-vc-issuer/tenant/1'],
  ])('VP:L9 of %s has the well-known part between host and path, without the last slash', (iss, url) => {
    expect(issuerMetadataUrl(iss)).toBe(url);
  });

  it.each([
    'http://issuer.example',
    'https://issuer.example/?a=b',
    'https://issuer.example/?',
    'https://issuer.example/#a',
    'https://user@issuer.example',
    'https://@issuer.example',
    'https://user:secret@issuer.example/',
    'HTTPS://ISSUER.example',
    'https://issuer.example/a/../b',
    'https:\\\\issuer.example',
    'did:web:issuer.example',
    'issuer.example',
    '',
    `https://issuer.example/${'a'.repeat(1024)}`,
    ...hostileUrls('issuer.example').map(([, text]) => text),
  ])('VP:L9 of %j there is none', (iss) => {
    expect(() => issuerMetadataUrl(iss)).toThrow(failsWith('issuer_identifier_not_allowed'));
  });
});

describe('issuer metadata', () => {
  it('VP:L9 gives the usable keys of its set, required members only', async () => {
    const withNulls = { ...ONE, use: null, alg: null, key_ops: null };
    expect(await parseKeys([withNulls])).toEqual({ keys: [{ jwk: ONE }] });
    expect(await parseKeys([{ ...ONE, kid: 'a', use: 'sig', alg: 'ES256', key_ops: ['verify'] }, TWO])).toEqual({
      keys: [{ kid: 'a', jwk: ONE }, { jwk: TWO }],
    });
  });

  it('VP:L9 may say where the keys are', async () => {
    const jwks_uri = 'https://keys.example/set';
    expect(await parse({ issuer: ISSUER, jwks_uri, display: [] })).toEqual({ jwksUri: jwks_uri });
    expect(await parseIssuerKeySet(bytes({ keys: [ONE] }))).toEqual([{ jwk: ONE }]);
    expect(await parse({ issuer: ISSUER, jwks: null, jwks_uri })).toEqual({ jwksUri: jwks_uri });
    expect(await parse({ issuer: ISSUER, jwks: { keys: [ONE] }, jwks_uri: null })).toEqual({ keys: [{ jwk: ONE }] });
  });

  it.each<[string, unknown, string]>([
    ['another issuer', { issuer: `${ISSUER}/`, jwks: { keys: [ONE] } }, 'issuer_metadata_mismatch'],
    ['no issuer', { jwks: { keys: [ONE] } }, 'issuer_metadata_mismatch'],
    ['no keys', { issuer: ISSUER }, 'issuer_metadata_keys'],
    ['both', { issuer: ISSUER, jwks: { keys: [ONE] }, jwks_uri: 'https://k.example' }, 'issuer_metadata_keys'],
    ['a set that is a list', { issuer: ISSUER, jwks: [ONE] }, 'issuer_metadata_keys'],
    ['a set that is null', { issuer: ISSUER, jwks: null }, 'issuer_metadata_keys'],
    ['an address with http', { issuer: ISSUER, jwks_uri: 'http://k.example' }, 'issuer_metadata_keys'],
    ['an address that is none', { issuer: ISSUER, jwks_uri: 7 }, 'issuer_metadata_keys'],
    ...hostileUrls('keys.example').map(([what, text]): [string, unknown, string] => [
      `an address with ${what}`,
      { issuer: ISSUER, jwks_uri: text },
      'issuer_metadata_keys',
    ]),
    ['a list', [], 'issuer_metadata_malformed'],
    ['a text', 'text', 'issuer_metadata_malformed'],
  ])('VP:L9 with %s is not used', async (_title, document, code) => {
    await expect(parse(document)).rejects.toThrow(failsWith(code));
  });

  it('VP:L9 that is too long, or no JSON, is not used', async () => {
    const long = { issuer: ISSUER, jwks: { keys: [ONE] }, more: 'a'.repeat(MAX_ISSUER_METADATA_BYTES) };
    await expect(parse(long)).rejects.toThrow(failsWith('issuer_metadata_malformed'));
    await expect(parseIssuerMetadata(Buffer.from('{"issuer"'), ISSUER)).rejects.toThrow(
      failsWith('issuer_metadata_malformed'),
    );
    await expect(parseIssuerKeySet(Buffer.from('[]'))).rejects.toThrow(failsWith('issuer_metadata_malformed'));
  });

  it.each<[string, unknown]>([
    ['another curve', { ...ONE, crv: 'P-384' }],
    ['another type', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }],
    ['a private key', { ...ONE, d: ONE.x }],
    ['a point off the curve', { ...ONE, x: ONE.y }],
    ['a key for encryption', { ...ONE, use: 'enc' }],
    ['a key for another algorithm', { ...ONE, alg: 'ECDH-ES' }],
    ['a key for another operation', { ...ONE, key_ops: ['sign'] }],
    ['null', null],
  ])('VP:L9 counts %s as no key', async (_title, jwk) => {
    expect(await parseKeys([jwk, TWO])).toEqual({ keys: [{ jwk: TWO }] });
    await expect(parseKeys([jwk])).rejects.toThrow(failsWith('issuer_metadata_keys'));
  });

  it('VP:L9 takes a kid that is no text for none', async () => {
    expect(
      await parseKeys([
        { ...ONE, kid: 1 },
        { ...TWO, kid: null },
      ]),
    ).toEqual({ keys: [{ jwk: ONE }, { jwk: TWO }] });
  });

  it('VP:L9 has between one and twenty keys', async () => {
    await expect(parseKeys([])).rejects.toThrow(failsWith('issuer_metadata_keys'));
    const keys = Array.from({ length: 21 }, (_item, index) => ({ ...ONE, kid: String(index) }));
    expect(await parseKeys(keys.slice(1))).toMatchObject({ keys: { length: 20 } });
    await expect(parseKeys(keys)).rejects.toThrow(failsWith('issuer_metadata_keys'));
  });

  it('VP:L9 meets any JSON with a result or a typed error', async () => {
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(ISSUER, { keys: [ONE] }, 'https://k.example'));
    const record = fc.record(
      { issuer: member, jwks: member, jwks_uri: member, __proto__: member },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), record), async (document) => {
        try {
          await parse(document);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
    );
  });
});

describe('the key that a header means', () => {
  const key = (jwk: PublicJwk, kid?: string): IssuerKey => (kid === undefined ? { jwk } : { kid, jwk });
  const selected = (keys: readonly IssuerKey[], header: JsonObject) => exportPublicJwk(selectIssuerKey(keys, header));

  it('VP:L9 is the one with its kid', () => {
    expect(selected([key(ONE, 'a'), key(TWO, 'b')], { kid: 'b' })).toEqual(TWO);
  });

  it('VP:L9 is the only one where there is no kid', () => {
    expect(selected([key(ONE, 'a')], {})).toEqual(ONE);
  });

  it.each<[string, readonly IssuerKey[], JsonObject]>([
    ['an unknown kid', [key(ONE, 'a')], { kid: 'b' }],
    ['a kid where the only key has none', [key(ONE)], { kid: 'b' }],
    ['a kid that two keys have', [key(ONE, 'a'), key(TWO, 'a')], { kid: 'a' }],
    ['no kid and two keys', [key(ONE, 'a'), key(TWO)], {}],
    ['a kid that is no text', [key(ONE)], { kid: null }],
    ['no keys', [], {}],
  ])('VP:L9 VP:L10 is none with %s', (_title, keys, header) => {
    expect(() => selectIssuerKey(keys, header)).toThrow(failsWith('issuer_key_not_found'));
  });
});
