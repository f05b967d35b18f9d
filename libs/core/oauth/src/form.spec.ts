import fc from 'fast-check';
import { OAuthError, parseForm } from './index';

const refused = expect.objectContaining({ code: 'invalid_request' });

describe('parseForm', () => {
  it('VCI:T4 keeps unknown parameters for the caller to ignore', () => {
    expect([
      ...parseForm([
        ['grant_type', 'a'],
        ['foo', 'bar'],
      ]),
    ]).toEqual([
      ['grant_type', 'a'],
      ['foo', 'bar'],
    ]);
  });

  it('VCI:T3 treats a parameter without a value as absent', () => {
    expect(parseForm([['tx_code', '']]).has('tx_code')).toBe(false);
  });

  it.each<[string, [string, string][]]>([
    [
      'a repeated parameter',
      [
        ['a', 'x'],
        ['a', 'y'],
      ],
    ],
    [
      'a parameter repeated with the same value',
      [
        ['a', 'x'],
        ['a', 'x'],
      ],
    ],
    [
      'a parameter repeated without a value',
      [
        ['a', ''],
        ['a', 'x'],
      ],
    ],
    ['a structured parameter', [['pre-authorized_code[x]', '1']]],
    ['an array parameter', [['a[]', '1']]],
  ])('VCI:T3 refuses %s', (_what, entries) => {
    expect(() => parseForm(entries)).toThrow(refused);
  });

  it('VCI:T4 knows no inherited names', () => {
    expect(parseForm([['__proto__', 'x']]).get('__proto__')).toBe('x');
    expect(parseForm([]).get('toString')).toBeUndefined();
  });

  it('VCI:T3 answers any form with parameters or a typed error', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (entries) => {
        try {
          for (const [name, value] of parseForm(entries)) expect(entries).toContainEqual([name, value]);
        } catch (error) {
          expect(error).toBeInstanceOf(OAuthError);
        }
      }),
    );
  });
});
