import type { JsonObject, JsonValue } from '@vestibule/foundation';
import fc from 'fast-check';
import { readScaEvidence, type ScaEvidencePolicy } from './sca-evidence';

const CLAIMS: JsonObject = {
  jti: 'deeec2b0-3bea-4477-bd5d-e3462a709481',
  amr: [{ knowledge: 'pin_6_or_more_digits' }, { inherence: 'fingerprint_device' }],
  response_mode: 'direct_post.jwt',
};
const read = (claims: JsonObject, policy: ScaEvidencePolicy = 'required') =>
  readScaEvidence(claims, { responseMode: 'direct_post.jwt', policy });

function codeOf(claims: JsonObject, policy?: ScaEvidencePolicy): string | undefined {
  try {
    read(claims, policy);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

describe('the evidence of strong customer authentication', () => {
  it('18.9 is read as it is, without other claims', () => {
    const { jti, amr } = CLAIMS;
    expect(read({ ...CLAIMS, iat: 1 })).toEqual({ jti, amr, responseMode: 'direct_post.jwt' });
  });

  it.each([
    ['jti', 'jti'],
    ['amr', 'amr'],
    ['response_mode', 'responseMode'],
  ])('18.9 without %s is refused, unless it may be absent', (name, delivered) => {
    const { [name]: _absent, ...claims } = CLAIMS;
    expect(codeOf(claims)).toBe('sca_evidence_missing');
    const names = Object.keys(read(CLAIMS)).filter((other) => other !== delivered);
    expect(Object.keys(read(claims, 'when-present'))).toEqual(names);
  });

  const factors = (...amr: JsonValue[]) => ({ amr });
  it.each<readonly [JsonObject, string]>([
    [{ jti: '' }, 'sca_code_invalid'],
    [{ jti: 'x'.repeat(256) }, 'sca_code_invalid'],
    [{ jti: 7 }, 'sca_code_invalid'],
    [{ jti: null }, 'sca_code_invalid'],
    [{ response_mode: 'direct_post' }, 'sca_response_mode_mismatch'],
    [{ response_mode: ['direct_post.jwt'] }, 'sca_response_mode_mismatch'],
    [{ amr: 'pin' }, 'sca_factors_insufficient'],
    [{ amr: { knowledge: 'pin', inherence: 'face_device' } }, 'sca_factors_insufficient'],
    [factors(), 'sca_factors_insufficient'],
    [factors({ knowledge: 'pin_6_or_more_digits' }), 'sca_factors_insufficient'],
    [factors({ knowledge: 'pin_6_or_more_digits' }, { knowledge: 'pattern' }), 'sca_factors_insufficient'],
    [factors({ knowledge: 'pattern', inherence: 'face_device' }), 'sca_factors_insufficient'],
    [factors({ knowledge: 'pattern' }, { location: 'home' }), 'sca_factors_insufficient'],
    [factors({ knowledge: 'pattern' }, { inherence: '' }), 'sca_factors_insufficient'],
    [factors({ knowledge: 'pattern' }, { inherence: 1 }), 'sca_factors_insufficient'],
    [factors('pin', 'face'), 'sca_factors_insufficient'],
    [
      factors({ knowledge: 'pattern' }, ...Array.from({ length: 8 }, () => ({ possession: 'other' }))),
      'sca_factors_insufficient',
    ],
  ])('18.9 is refused when it is wrong, also where it may be absent: %j', (change, code) => {
    expect(codeOf({ ...CLAIMS, ...change })).toBe(code);
    expect(codeOf(change, 'when-present')).toBe(code);
  });

  it('18.9 may have methods and categories that TS12 does not know, beside two that it does', () => {
    const amr: JsonObject[] = [
      { possession: 'key_in_a_new_place' },
      { inherence: 'face_device' },
      { location: 'home' },
    ];
    expect(read({ ...CLAIMS, amr }).amr).toEqual(amr);
  });

  it('18.9 is read or refused with a code, whatever a wallet signs', () => {
    const any = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    const claims = fc.dictionary(fc.constantFrom('jti', 'amr', 'response_mode'), any) as fc.Arbitrary<JsonObject>;
    fc.assert(fc.property(claims, (change) => expect(codeOf({ ...CLAIMS, ...change }) ?? 'sca_').toMatch(/^sca_/)));
  });
});
