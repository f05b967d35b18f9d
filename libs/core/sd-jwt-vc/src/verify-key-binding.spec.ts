import { generateKeyPairSync } from 'node:crypto';
import { parseSdJwtVc, unpackClaims, verifyKeyBinding, type KeyBindingExpectation } from './index';
import {
  AUDIENCE,
  basePayload,
  bind,
  build,
  disclose,
  encodeJson,
  expectation,
  failsWith,
  hash,
  holder,
  holderJwk,
  NONCE,
  NOW,
  NOW_SECONDS,
  signJws,
  stranger,
  strangerJwk,
  type KeyBindingIngredients,
} from './testing/sd-jwt-builder.fixture-spec';

const [given, family] = [disclose('given_name', 'Ada'), disclose('family_name', 'Lovelace')];
const credential = { payload: { _sd: [given.digest, family.digest] } };
const sdJwt = build({ ...credential, disclosures: [given, family] });

function verify(text: string, changes: Partial<KeyBindingExpectation> = {}) {
  const parsed = parseSdJwtVc(text);
  return verifyKeyBinding(parsed, unpackClaims(parsed).claims, { ...expectation, ...changes });
}
const refused = (ingredients: KeyBindingIngredients, code: string) =>
  expect(() => verify(bind(sdJwt, ingredients))).toThrow(failsWith(code));

describe('a key binding JWT', () => {
  it('proves possession of the key in cnf', () => {
    const { thumbprint, confirmationKey, transactionData, claims } = verify(bind(sdJwt));
    expect(confirmationKey).toEqual({ kty: 'EC', crv: 'P-256', x: holderJwk.x, y: holderJwk.y });
    expect(thumbprint).toBe(hash(`{"crv":"P-256","kty":"EC","x":"${holderJwk.x}","y":"${holderJwk.y}"}`));
    expect(transactionData).toBeUndefined();
    expect(claims).toMatchObject({ iat: NOW_SECONDS, nonce: NONCE });
  });

  it('VP:J17 is missed (sd:neg-kb-missing)', () => {
    expect(() => verify(sdJwt)).toThrow(failsWith('key_binding_missing'));
  });

  it.each([
    ['missing', undefined],
    ['jwt', 'JWT'],
    ['dc-sd-jwt', 'dc+sd-jwt'],
    ['case', 'KB+JWT'],
    ['media-type', 'application/kb+jwt'],
  ])('VP:M1 of another type is refused (sd:neg-kb-typ-%s)', (_case, typ) => {
    refused({ header: { typ } }, 'key_binding_type');
  });

  it.each(['none', 'HS256', 'ES384', undefined])('VP:M2 with alg %j is refused (sd:neg-kb-alg-none)', (alg) => {
    refused({ header: { alg } }, 'key_binding_algorithm');
  });

  it('VP:M2 without a signature is refused (sd:neg-kb-alg-none)', () => {
    const unsigned = `${encodeJson({ alg: 'none', typ: 'kb+jwt' })}.${encodeJson({})}.`;
    expect(() => verify(sdJwt + unsigned)).toThrow(failsWith('key_binding_malformed'));
  });

  it('VP:M2 with critical extensions is refused (sd:neg-kb-crit)', () => {
    refused({ header: { crit: ['exp'] } }, 'key_binding_critical_header');
    refused({ header: { b64: false } }, 'key_binding_critical_header');
  });

  it('VP:M3 by another key is refused (sd:neg-kb-wrong-key)', () => {
    refused({ key: stranger.privateKey }, 'key_binding_signature');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    refused({ key: privateKey }, 'key_binding_signature');
  });

  it('VP:M2 VP:M3 with ES384 belongs to a key on P-384, and to no other', () => {
    const large = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const jwk = large.publicKey.export({ format: 'jwk' });
    const bound = (members: object = {}) =>
      build({ payload: { ...credential.payload, cnf: { jwk: { ...jwk, ...members } } }, disclosures: [given, family] });
    const signed = { header: { alg: 'ES384' }, key: large.privateKey };
    const { confirmationKey, thumbprint } = verify(bind(bound({ alg: 'ES384', use: 'sig' }), signed));
    expect(confirmationKey).toEqual(jwk);
    expect(thumbprint).toBe(hash(`{"crv":"P-384","kty":"EC","x":"${jwk.x}","y":"${jwk.y}"}`));
    const cases: [string, KeyBindingIngredients, string][] = [
      [bound(), { key: large.privateKey }, 'key_binding_algorithm'],
      [bound(), { header: { alg: 'ES512' }, key: large.privateKey }, 'key_binding_algorithm'],
      [bound(), { header: { alg: 'ES384' } }, 'key_binding_signature'],
      [bound({ alg: 'ES256' }), signed, 'confirmation_key_not_allowed'],
      [bound({ crv: 'P-256' }), signed, 'confirmation_key_not_allowed'],
      [bound({ x: jwk.y }), signed, 'confirmation_key_not_allowed'],
      [sdJwt, signed, 'key_binding_algorithm'],
    ];
    for (const [text, ingredients, code] of cases) {
      expect(() => verify(bind(text, ingredients))).toThrow(failsWith(code));
    }
  });

  it('VP:M3 by a key that its own header brings is refused (sd:neg-kb-jwk-header)', () => {
    refused({ header: { jwk: strangerJwk }, key: stranger.privateKey }, 'key_binding_signature');
  });

  it.each(['[]', '"text"', '{', '{"aud":"a","aud":"b"}'])('with the payload %j is refused', (payload) => {
    const jws = signJws({ alg: 'ES256', typ: 'kb+jwt' }, payload, holder.privateKey);
    expect(() => verify(sdJwt + jws)).toThrow(failsWith('key_binding_malformed'));
  });
});

describe('VP:M4 the audience', () => {
  it.each([
    ['missing', undefined],
    ['other', 'x509_hash:AAAA'],
    ['bare-hash', AUDIENCE.replace('x509_hash:', '')],
    ['response-uri', 'https://verifier.example/oidc4vp/x/response'],
    ['array', [AUDIENCE]],
    ['case', AUDIENCE.toUpperCase()],
    ['trailing-space', `${AUDIENCE} `],
    ['null', null],
  ])('is the full client_id and nothing else (sd:neg-kb-aud-%s)', (_case, aud) => {
    refused({ claims: { aud } }, 'key_binding_audience');
  });
});

describe('VP:M5 the nonce', () => {
  it.each([
    ['missing', undefined],
    ['other', 'n-other'],
    ['case', NONCE.toLowerCase()],
    ['prefix', NONCE.slice(0, -1)],
    ['array', [NONCE]],
    ['number', 1],
    ['empty', ''],
  ])('is that of the request (sd:neg-kb-nonce-%s)', (_case, nonce) => {
    refused({ claims: { nonce } }, 'key_binding_nonce');
  });
});

describe('VP:M6 the time', () => {
  const requested = expectation.requestedAt.getTime() / 1000;
  it.each([
    ['missing', undefined],
    ['string', String(NOW_SECONDS)],
    ['null', null],
    ['zero', 0],
    ['year-ago', NOW_SECONDS - 31_536_000],
    ['in-a-year', NOW_SECONDS + 31_536_000],
    ['before-request', requested - 61],
    ['after-now', NOW_SECONDS + 61],
  ])('is within the life of the request (sd:neg-kb-iat-%s)', (_case, iat) => {
    refused({ claims: { iat } }, 'key_binding_time');
  });

  it.each([requested - 60, requested, NOW_SECONDS, NOW_SECONDS + 60])('may be %d', (iat) => {
    expect(() => verify(bind(sdJwt, { claims: { iat } }))).not.toThrow();
  });

  it('may be the same second as the request, without any skew', () => {
    const requestedAt = new Date(NOW.getTime() + 900);
    const times = { requestedAt, now: requestedAt, skewSeconds: 0 };
    expect(() => verify(bind(sdJwt), times)).not.toThrow();
  });

  it('VP:M9 exp and nbf count where they are (sd:neg-kb-exp-past, sd:neg-kb-nbf-future)', () => {
    refused({ claims: { exp: NOW_SECONDS - 60 } }, 'key_binding_time');
    refused({ claims: { exp: 0 } }, 'key_binding_time');
    refused({ claims: { exp: 'never' } }, 'key_binding_time');
    refused({ claims: { nbf: NOW_SECONDS + 61 } }, 'key_binding_time');
    refused({ claims: { nbf: null } }, 'key_binding_time');
    expect(() => verify(bind(sdJwt, { claims: { exp: NOW_SECONDS - 59, nbf: NOW_SECONDS + 60 } }))).not.toThrow();
  });

  it('VP:M9 unknown claims are ignored (sd:pos-kb-extra-claim)', () => {
    expect(() => verify(bind(sdJwt, { claims: { jti: '1', x: { y: [] } } }))).not.toThrow();
  });
});

describe('VP:M7 sd_hash', () => {
  it.each([
    ['missing', undefined],
    ['other', hash('other')],
    ['no-trailing-tilde', hash(sdJwt.slice(0, -1))],
    ['jwt-only', hash(sdJwt.slice(0, sdJwt.indexOf('~')))],
    ['other-algorithm', hash(sdJwt, 'sha512')],
    ['padded', `${hash(sdJwt)}=`],
    ['array', [hash(sdJwt)]],
  ])('covers exactly what was sent (sd:neg-kb-sdhash-%s)', (_case, sd_hash) => {
    refused({ claims: { sd_hash } }, 'key_binding_hash');
  });

  it('uses the hash algorithm of the credential (sd:pos-kb-sdhash-sha-512)', () => {
    const strong = build({ payload: { _sd_alg: 'sha-512' } });
    expect(() => verify(bind(strong, { claims: { sd_hash: hash(strong, 'sha512') } }))).not.toThrow();
    expect(() => verify(bind(strong))).toThrow(failsWith('key_binding_hash'));
  });

  const binding = bind(sdJwt).slice(sdJwt.length);

  it('fails when a disclosure was taken away (sd:neg-kb-disclosure-stripped)', () => {
    const stripped = `${sdJwt.replace(`${family.encoded}~`, '')}${binding}`;
    expect(() => verify(stripped)).toThrow(failsWith('key_binding_hash'));
  });

  it('fails when disclosures changed places (sd:neg-kb-disclosure-reordered)', () => {
    const [issuerJwt] = sdJwt.split('~');
    const reordered = `${issuerJwt}~${family.encoded}~${given.encoded}~${binding}`;
    expect(() => verify(reordered)).toThrow(failsWith('key_binding_hash'));
  });

  it('fails under another credential of the same holder (sd:neg-kb-from-other-credential)', () => {
    const other = build({ payload: { ...credential.payload, iat: basePayload.iat - 1 }, disclosures: [given, family] });
    expect(() => verify(other + binding)).toThrow(failsWith('key_binding_hash'));
  });

  it('VP:M8 cannot be replaced by _sd_hash (sd:neg-kb-legacy-_sd_hash)', () => {
    refused({ claims: { sd_hash: undefined, _sd_hash: hash(sdJwt) } }, 'key_binding_hash');
  });
});
