import { parseDpopAuthorization, requireDpopHeader } from './index';

const code = (expected: string) => expect.objectContaining({ code: expected });

describe('parseDpopAuthorization', () => {
  it.each(['DPoP', 'dpop', 'DPOP'])('VCI:D13 takes the scheme in any case (%s)', (scheme) => {
    expect(parseDpopAuthorization([`${scheme} Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU`])).toBe(
      'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU',
    );
  });

  it('VCI:D13 takes more than one space before the token', () => {
    expect(parseDpopAuthorization(['DPoP   abc'])).toBe('abc');
  });

  it('VCI:D13 takes the characters of token68 and no others, with padding at the end alone', () => {
    const characters = Array.from({ length: 128 }, (_none, code) => String.fromCharCode(code));
    const taken = characters.filter((one) => {
      try {
        return parseDpopAuthorization([`DPoP a${one}b`]) === `a${one}b`;
      } catch {
        return false;
      }
    });
    expect(taken.join('')).toBe('+-./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~');
    expect(parseDpopAuthorization(['DPoP ab=='])).toBe('ab==');
  });

  it('VCI:D13 takes a token of 4,096 characters', () => {
    expect(parseDpopAuthorization([`DPoP ${'a'.repeat(4_096)}`])).toHaveLength(4_096);
  });

  it.each([
    ['VCI:D22 no header at all', [], 'invalid_token'],
    ['VCI:D13 a bound token as Bearer', ['Bearer abc'], 'invalid_token'],
    ['VCI:D13 another scheme', ['Basic abc'], 'invalid_token'],
    ['VCI:D15 two headers', ['DPoP abc', 'Bearer abc'], 'invalid_request'],
    ['VCI:D15 two headers joined into one', ['DPoP abc, DPoP abc'], 'invalid_request'],
    ['VCI:D13 a scheme without a token', ['DPoP'], 'invalid_request'],
    ['VCI:D13 a scheme with an empty token', ['DPoP '], 'invalid_request'],
    ['VCI:D13 a scheme with spaces and no token', ['DPoP   '], 'invalid_request'],
    ['VCI:D13 a tab before the token', ['DPoP \tabc'], 'invalid_request'],
    ['VCI:D13 a token with a quote', ['DPoP "abc"'], 'invalid_request'],
    ['VCI:D13 a token that begins with a quote', ['DPoP "abc'], 'invalid_request'],
    ['VCI:D13 a token that ends with a quote', ['DPoP abc"'], 'invalid_request'],
    ['VCI:D13 two tokens', ['DPoP abc abc'], 'invalid_request'],
    ['VCI:D13 a space behind the token', ['DPoP abc '], 'invalid_request'],
    ['VCI:D13 a token of 4,097 characters', [`DPoP ${'a'.repeat(4_097)}`], 'invalid_request'],
  ])('refuses %s', (_what, values, expected) => {
    expect(() => parseDpopAuthorization(values)).toThrow(code(expected));
  });
});

describe('requireDpopHeader', () => {
  it('VCI:T16 VCI:D1 wants exactly one proof', () => {
    expect(requireDpopHeader(['a.b.c'])).toBe('a.b.c');
    expect(() => requireDpopHeader([])).toThrow(code('invalid_dpop_proof'));
    expect(() => requireDpopHeader(['a.b.c', 'a.b.c'])).toThrow(code('invalid_dpop_proof'));
  });
});
