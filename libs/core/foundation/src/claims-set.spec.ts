import { readClaimsSet } from './claims-set';

const read = (text: string) => readClaimsSet(Buffer.from(text));
const inexactAt = (place: string) => ({ inexact: `the number at ${place} cannot be represented exactly` });

describe('a claims set', () => {
  it.each(['exp', 'nbf', 'iat'])('may have an %s with more digits than a double needs, or has', (name) => {
    for (const [written, nearest] of [
      ['1780315200.0999999', 1_780_315_200.1],
      ['1780315200.123456789', 1_780_315_200.1234567],
      ['999999999999.00000000000000000001', 999_999_999_999],
      ['17803152001e-1', 1_780_315_200.1],
    ] as const)
      expect(read(`{"${name}":${written}}`)).toEqual({ claims: { [name]: nearest } });
  });

  it.each([
    ['{"iat":1780315200.0999999,"height":1.800000000000000001}', 'height'],
    ['{"a":{"iat":1780315200.0999999}}', 'a.iat'],
    ['{"iat":[1780315200.0999999]}', 'iat[0]'],
    ['{"iat":{"exp":1780315200.0999999}}', 'iat.exp'],
    ['{"adm_exp":1780315200.0999999}', 'adm_exp'],
    ['{"exp":1e999}', 'exp'],
    ['{"exp":1780315200000.0000001}', 'exp'],
  ])('may have no other such number: %s', (text, place) => {
    expect(read(text)).toEqual(inexactAt(place));
  });

  it.each(['', '[]', 'null', '{', '{"iat":1780315200.0999999,"iat":1}', '[1e999]'])('is no %j', (text) => {
    expect(read(text)).toEqual({ inexact: undefined });
  });
});
