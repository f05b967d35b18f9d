import { unpackClaims, verifyAdministrativeValidity, verifyAudience, verifyValidity } from './index';
import { disclose, failsWith, NOW, NOW_SECONDS, parse, type Ingredients } from './testing/sd-jwt-builder.fixture-spec';

const policy = { now: NOW, skewSeconds: 60 };
const verify = (payload: object, rest: Ingredients = {}) =>
  verifyValidity(unpackClaims(parse({ ...rest, payload })).claims, policy);
const refused = (payload: object, code: string) => expect(() => verify(payload)).toThrow(failsWith(code));

describe('VP:K19 the validity of a credential', () => {
  it('ends at exp, give or take the skew (sd:neg-expired)', () => {
    refused({ exp: NOW_SECONDS - 60 }, 'expired');
    refused({ exp: NOW_SECONDS - 86_400 }, 'expired');
    expect(verify({ exp: NOW_SECONDS - 59 }).validUntil).toEqual(new Date(NOW.getTime() - 59_000));
  });

  it('begins at nbf, give or take the skew (sd:neg-nbf-future)', () => {
    refused({ nbf: NOW_SECONDS + 61 }, 'not_yet_valid');
    expect(verify({ nbf: NOW_SECONDS + 60 }).validFrom).toEqual(new Date(NOW.getTime() + 60_000));
  });

  it('does not begin before it was issued (sd:neg-iat-future)', () => {
    refused({ iat: NOW_SECONDS + 61 }, 'issued_in_future');
    expect(() => verify({ iat: NOW_SECONDS + 60 })).not.toThrow();
  });

  it.each(['exp', 'nbf', 'iat'])('is not read from a %s of the wrong kind (sd:neg-%s-string)', (name) => {
    for (const value of [String(NOW_SECONDS), null, true, [NOW_SECONDS], 1e300]) {
      refused({ [name]: value }, 'claim_malformed');
    }
  });

  it('is not read from a number without end', () => {
    expect(() => parse({ payload: '{"vct":"a","exp":1e999}' })).toThrow(failsWith('number_not_exact'));
    expect(() => verifyValidity({ vct: 'a', exp: Infinity }, policy)).toThrow(failsWith('claim_malformed'));
  });

  it('is not read from a number that no date has', () => {
    const last = 999_999_999_999;
    expect(verify({ exp: last }).validUntil).toEqual(new Date(last * 1000));
    refused({ exp: last + 1 }, 'claim_malformed');
    refused({ nbf: -last - 1 }, 'claim_malformed');
  });

  it.each(['exp', 'nbf', 'iat'])('is not read from an %s in milliseconds, which would never come', (name) => {
    refused({ [name]: NOW.getTime() - 86_400_000 }, 'claim_malformed');
  });

  it('ended in 1970 where exp is 0 (sd:neg-exp-zero)', () => {
    refused({ exp: 0 }, 'expired');
  });

  it('cannot be hidden in a disclosure (sd:neg-sd-exp-hidden-expired)', () => {
    const exp = disclose('exp', NOW_SECONDS - 86_400);
    const payload = { exp: undefined, _sd: [exp.digest] };
    expect(() => verify(payload, { disclosures: [exp] })).toThrow(failsWith('registered_claim_disclosed'));
  });

  it('is judged on the processed payload: a disclosed iat counts', () => {
    const iat = disclose('iat', NOW_SECONDS + 3600);
    const payload = { iat: undefined, _sd: [iat.digest] };
    expect(() => verify(payload, { disclosures: [iat] })).toThrow(failsWith('issued_in_future'));
    expect(() => verify(payload)).not.toThrow();
  });

  it('takes fractions of a second', () => {
    expect(verify({ exp: NOW_SECONDS + 0.5 }).validUntil).toEqual(new Date(NOW.getTime() + 500));
  });

  it('starts at nbf, else at iat, and may be open', () => {
    const at = new Date(NOW.getTime() - 10_000);
    expect(verify({ iat: NOW_SECONDS - 5, nbf: NOW_SECONDS - 10 }).validFrom).toEqual(at);
    expect(verify({ iat: NOW_SECONDS - 10 }).validFrom).toEqual(at);
    expect(verify({ iat: undefined, exp: undefined })).toEqual({ validFrom: undefined, validUntil: undefined });
  });
});

describe('VP:K20 the policy', () => {
  it('may demand an expiry', () => {
    const { claims } = unpackClaims(parse({ payload: { exp: undefined } }));
    expect(() => verifyValidity(claims, { ...policy, requireExpiry: true })).toThrow(failsWith('expiry_missing'));
    expect(() => verifyValidity(claims, policy)).not.toThrow();
    const expiring = { ...claims, exp: NOW_SECONDS + 1 };
    expect(() => verifyValidity(expiring, { ...policy, requireExpiry: true })).not.toThrow();
  });

  it.each([-1, 61, NaN, Infinity])('VP:K19 cannot have a skew of %d seconds', (skewSeconds) => {
    expect(() => verifyValidity({}, { ...policy, skewSeconds })).toThrow(RangeError);
  });

  it('cannot have a time that is none', () => {
    expect(() => verifyValidity({}, { ...policy, now: new Date(NaN) })).toThrow(RangeError);
  });
});

describe('the administrative validity of a credential', () => {
  const verifyWith = (claims: object, rest: Ingredients = {}) =>
    verifyAdministrativeValidity(unpackClaims(parse({ ...rest, payload: claims })).claims, policy);

  it('ends at adm_exp, give or take the skew, whatever exp says', () => {
    const claims = { adm_nbf: NOW_SECONDS - 9, exp: NOW_SECONDS + 86_400 };
    expect(() => verifyWith({ ...claims, adm_exp: NOW_SECONDS - 60 })).toThrow(failsWith('administratively_expired'));
    expect(() => verifyWith({ ...claims, adm_exp: 0 })).toThrow(failsWith('administratively_expired'));
    expect(() => verifyWith({ ...claims, adm_exp: NOW_SECONDS - 59 })).not.toThrow();
  });

  it('begins at adm_nbf, give or take the skew, whatever nbf says', () => {
    const claims = { adm_exp: NOW_SECONDS + 86_400, nbf: NOW_SECONDS - 9 };
    const early = failsWith('administratively_not_yet_valid');
    expect(() => verifyWith({ ...claims, adm_nbf: NOW_SECONDS + 61 })).toThrow(early);
    expect(() => verifyWith({ ...claims, adm_nbf: NOW_SECONDS + 60 })).not.toThrow();
  });

  it('is open at either end, or both', () => {
    expect(() => verifyWith({})).not.toThrow();
    expect(() => verifyWith({ adm_nbf: NOW_SECONDS - 9 })).not.toThrow();
    expect(() => verifyWith({ adm_exp: NOW_SECONDS - 60 })).toThrow(failsWith('administratively_expired'));
  });

  it.each(['adm_nbf', 'adm_exp'])('is not read from an %s of the wrong kind', (name) => {
    for (const value of [String(NOW_SECONDS), '2030-01-01', null, true, [NOW_SECONDS], 1e300]) {
      expect(() => verifyWith({ [name]: value })).toThrow(failsWith('claim_malformed'));
    }
  });

  it('counts in a disclosure', () => {
    const end = disclose('adm_exp', NOW_SECONDS - 86_400);
    const payload = { _sd: [end.digest] };
    expect(() => verifyWith(payload, { disclosures: [end] })).toThrow(failsWith('administratively_expired'));
    expect(() => verifyWith(payload)).not.toThrow();
  });
});

describe('the audience of a credential', () => {
  const verifyFor = (aud: unknown, rest: Ingredients = {}) =>
    verifyAudience(unpackClaims(parse({ ...rest, payload: { aud } })).claims, 'x509_hash:us');

  it.each([[undefined], ['x509_hash:us'], [['x509_hash:us']], [['x509_hash:them', 'x509_hash:us']]])(
    'is this verifier, or everybody: %j',
    (aud) => {
      expect(() => verifyFor(aud)).not.toThrow();
    },
  );

  it.each([['x509_hash:them'], ['X509_hash:us'], ['us'], ['x509_hash:us '], [''], [[]], [['x509_hash:them']]])(
    'is another: %j',
    (aud) => {
      expect(() => verifyFor(aud)).toThrow(failsWith('audience_mismatch'));
    },
  );

  it.each([[null], [1], [{}], [['x509_hash:us', 1]], [[['x509_hash:us']]]])('cannot be read: %j', (aud) => {
    expect(() => verifyFor(aud)).toThrow(failsWith('claim_malformed'));
  });

  it('counts in a disclosure', () => {
    const aud = disclose('aud', 'x509_hash:them');
    const claims = unpackClaims(parse({ payload: { _sd: [aud.digest] }, disclosures: [aud] })).claims;
    expect(() => verifyAudience(claims, 'x509_hash:us')).toThrow(failsWith('audience_mismatch'));
  });
});
