import { createHmac } from 'node:crypto';
import { DEFAULT_SD_JWT_LIMITS, getX5c, parseSdJwtVc } from './index';
import {
  baseHeader,
  basePayload,
  bind,
  build,
  disclose,
  encodeJson,
  failsWith,
  issuer,
  parse,
  signJws,
  toBase64url,
  type Ingredients,
} from './testing/sd-jwt-builder.fixture-spec';

const name = disclose('given_name', 'Ada');
const refused = (text: string, code: string) => expect(() => parseSdJwtVc(text)).toThrow(failsWith(code));

describe('the compact form', () => {
  it('VP:K1 keeps issuer part, disclosures and key binding apart', () => {
    const sdJwt = build({ payload: { _sd: [name.digest] }, disclosures: [name] });
    const presented = bind(sdJwt);
    const parsed = parseSdJwtVc(presented);
    expect(parsed.disclosures).toEqual([{ encoded: name.encoded, name: 'given_name', value: 'Ada' }]);
    expect(parsed.sdHashInput).toBe(sdJwt);
    expect(parsed.keyBindingJwt).toBe(presented.slice(sdJwt.length));
    expect(parseSdJwtVc(sdJwt).keyBindingJwt).toBeUndefined();
  });

  it('VP:K1 a JWT without a tilde is refused (sd:neg-no-tilde)', () => {
    refused(build().slice(0, -1), 'sd_jwt_malformed');
  });

  it('VP:K1 an empty disclosure is refused (sd:neg-empty-disclosure)', () => {
    refused(`${build()}~`, 'disclosure_malformed');
  });

  it.each([' ', '\n', '\t'])('VP:K1 white space %j is refused wherever it is (sd:neg-whitespace)', (space) => {
    refused(space + build(), 'issuer_jwt_malformed');
    refused(build({ disclosures: [name.encoded + space] }), 'disclosure_malformed');
    refused(build() + space, 'key_binding_malformed');
    refused(bind(build()) + space, 'key_binding_malformed');
  });

  it('VP:K1 padding in a disclosure is refused (sd:neg-disclosure-padded-base64)', () => {
    const text = '["salt","given_name","Adaa"]';
    const padded = Buffer.from(text).toString('base64');
    expect(padded).toMatch(/=$/);
    refused(build({ disclosures: [padded] }), 'disclosure_malformed');
  });

  it('VP:K2 a disclosure in the place of the key binding is refused (sd:neg-no-final-tilde-disclosure-last)', () => {
    refused(build({ disclosures: [name] }).slice(0, -1), 'key_binding_malformed');
  });

  it.each(['e30.e30', 'e30.e30.AAAA.AAAA', 'e30.e30.AAAA.', 'a.b.c', '..', 'e30.e30.', '.e30.AAAA'])(
    'VP:K2 a last component %j is refused',
    (last) => {
      refused(build() + last, 'key_binding_malformed');
    },
  );

  it('VP:K22 VP:J4 the JSON serialization is refused', () => {
    const [protectedHeader, payload, signature] = build().slice(0, -1).split('.');
    const json = JSON.stringify({ protected: protectedHeader, payload, signature, header: { disclosures: [] } });
    refused(json, 'sd_jwt_malformed');
    refused(`${json}~`, 'issuer_jwt_malformed');
  });

  it.each(['[]', '"text"', 'null', '{', '{"vct":"a","vct":"b"}', '{"cnf":{"jwk":1,"jwk":2}}'])(
    'VP:K1 a payload %j is refused',
    (payload) => {
      refused(build({ payload }), 'issuer_jwt_malformed');
    },
  );
});

describe('VP:K21 limits', () => {
  it('more disclosures than allowed are refused', () => {
    const many = Array.from({ length: 501 }, (_, index) => disclose(`c${index}`, index));
    const within = many.slice(0, 500);
    const text = build({ payload: { _sd: within.map(({ digest }) => digest) }, disclosures: within });
    expect(parseSdJwtVc(text).disclosures).toHaveLength(500);
    refused(build({ disclosures: many }), 'sd_jwt_too_large');
    refused(build() + '~'.repeat(100_000), 'sd_jwt_too_large');
  });

  it('a longer text than allowed is refused', () => {
    const limits = { ...DEFAULT_SD_JWT_LIMITS, maxLength: 100 };
    expect(() => parseSdJwtVc(build(), { limits })).toThrow(failsWith('sd_jwt_too_large'));
    refused('x'.repeat(1_048_577), 'sd_jwt_too_large');
    const text = build();
    const exactly = { ...DEFAULT_SD_JWT_LIMITS, maxLength: text.length };
    expect(parseSdJwtVc(text, { limits: exactly }).sdHashInput).toBe(text);
  });

  it('VP:G10 more values than allowed are refused before any is parsed', () => {
    const list = Array.from({ length: 15_000 }, () => 0);
    refused(build({ payload: { list: [...list, ...list] }, header: { typ: 'JWT' } }), 'sd_jwt_too_large');
    refused(build({ payload: { list }, disclosures: [disclose('a', list)] }), 'sd_jwt_too_large');
    refused(build({ disclosures: [disclose('a', list), disclose('b', list)] }), 'sd_jwt_too_large');
  });

  it('VP:G10 the values of payload and disclosures are counted together', () => {
    const valuesOf = (ingredients: Ingredients) =>
      parse({ payload: '{"vct":"a","list":[1,2]}', ...ingredients }).values;
    expect(valuesOf({})).toBe(5);
    expect(valuesOf({ disclosures: [disclose('a', [1, 2])] })).toBe(5 + 3);
    expect(valuesOf({ disclosures: [disclose('a', 1), disclose([1, 2])] })).toBe(5 + 1 + 2);
  });

  it('a payload or disclosure that nests too deep is refused', () => {
    const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
    refused(build({ payload: `{"a":${deep}}` }), 'issuer_jwt_malformed');
    refused(build({ disclosures: [toBase64url(`["salt","a",${deep}]`)] }), 'disclosure_malformed');
  });
});

describe('VP:K3 the algorithm', () => {
  const payload = encodeJson(basePayload);

  it('none is refused, with and without a signature (sd:neg-alg-none)', () => {
    const header = encodeJson({ ...baseHeader, alg: 'none' });
    refused(`${header}.${payload}.AAAA~`, 'issuer_algorithm_not_allowed');
    refused(`${header}.${payload}.~`, 'issuer_jwt_malformed');
  });

  it('HMAC with the public key as the secret is refused (sd:neg-alg-hs256-pubkey)', () => {
    const input = `${encodeJson({ ...baseHeader, alg: 'HS256' })}.${payload}`;
    const secret = issuer.publicKey.export({ format: 'pem', type: 'spki' });
    refused(
      `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}~`,
      'issuer_algorithm_not_allowed',
    );
  });

  it.each(['ES384', 'RS256', 'es256', undefined, ['ES256']])(
    'a header that says %j is refused (sd:neg-alg-mislabelled-es384)',
    (alg) => {
      refused(build({ header: { alg } }), 'issuer_algorithm_not_allowed');
    },
  );
});

describe('VP:K5 critical extensions', () => {
  it('an unknown one is refused (sd:neg-crit-unknown)', () => {
    refused(build({ header: { crit: ['x'], x: 1 } }), 'issuer_critical_header');
  });

  it('b64 is refused, critical or not (sd:neg-b64-false)', () => {
    refused(build({ header: { crit: ['b64'], b64: false } }), 'issuer_critical_header');
    refused(build({ header: { b64: false } }), 'issuer_critical_header');
  });
});

describe('VP:L1 the type header', () => {
  it.each([
    ['missing', undefined],
    ['jwt', 'JWT'],
    ['kb-jwt', 'kb+jwt'],
    ['sd-jwt', 'sd+jwt'],
    ['media-type', 'application/dc+sd-jwt'],
    ['case', 'DC+SD-JWT'],
    ['array', ['dc+sd-jwt']],
    ['legacy', 'vc+sd-jwt'],
  ])('is refused when it is another (sd:neg-typ-%s)', (_case, typ) => {
    refused(build({ header: { typ } }), 'type_header_wrong');
  });

  it('VP:D14 may be vc+sd-jwt for listed types alone (sd:opt-legacy-typ-vc+sd-jwt)', () => {
    const { vct } = basePayload;
    const legacyTypes = [String(vct)];
    const legacy = build({ header: { typ: 'vc+sd-jwt' } });
    expect(parseSdJwtVc(legacy, { legacyTypes }).header['typ']).toBe('vc+sd-jwt');
    expect(parseSdJwtVc(build(), { legacyTypes }).header['typ']).toBe('dc+sd-jwt');
    const others = [
      build({ header: { typ: 'JWT' } }),
      build({ header: { typ: ['vc+sd-jwt'] } }),
      build({ header: { typ: 'VC+SD-JWT' } }),
      build({ header: { typ: 'vc+sd-jwt' }, payload: { vct: 'urn:example:other' } }),
      build({ header: { typ: 'vc+sd-jwt' }, payload: { vct: legacyTypes } }),
      build({ header: { typ: 'vc+sd-jwt' }, payload: { vct: undefined } }),
    ];
    for (const other of others)
      expect(() => parseSdJwtVc(other, { legacyTypes })).toThrow(failsWith('type_header_wrong'));
  });
});

describe('VP:L7 the certificate chain', () => {
  it('comes as sent', () => {
    expect(getX5c(parse({ header: { x5c: ['AA', 'BB'] } }))).toEqual(['AA', 'BB']);
  });

  it('is missed where it is demanded (sd:neg-x5c-missing)', () => {
    const sdJwt = parse({ header: { x5c: undefined } });
    expect(sdJwt.x5c).toBeUndefined();
    expect(() => getX5c(sdJwt)).toThrow(failsWith('x5c_missing'));
  });

  it.each([[[]], ['MIIB'], [{}], [[1]], [['MIIB', 1]], [[null]], [null]])(
    'VP:N1 is refused as %j (sd:neg-x5c-empty)',
    (x5c) => {
      refused(`${signJws({ ...baseHeader, x5c }, basePayload)}~`, 'x5c_malformed');
    },
  );
});
