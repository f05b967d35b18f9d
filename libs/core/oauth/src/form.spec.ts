import fc from 'fast-check';
import { OAuthError, parseForm } from './index';

const refused = expect.objectContaining({ code: 'invalid_request' });

const KNOWN = ['a', 'tx_code', 'pre-authorized_code'] as const;
const parse = (entries: [string, string][]) => parseForm(entries, KNOWN);

describe('parseForm', () => {
  it('VCI:T4 leaves out parameters that the endpoint does not know, however they come', () => {
    const unknown: [string, string][] = [
      ['foo', 'bar'],
      ['foo', 'bar'],
      ['foo[a]', 'x'],
      ['[a]', 'x'],
      ['A', 'x'],
      ['', 'x'],
    ];
    expect([...parse([['a', 'x'], ...unknown])]).toEqual([['a', 'x']]);
  });

  it('VCI:T3 treats a parameter without a value as absent', () => {
    expect(parse([['tx_code', '']]).has('tx_code')).toBe(false);
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
    [
      'a parameter that is plain and structured',
      [
        ['a', 'x'],
        ['a[b]', 'y'],
      ],
    ],
  ])('VCI:T3 refuses %s', (_what, entries) => {
    expect(() => parse(entries)).toThrow(refused);
  });

  it('VCI:T4 knows no inherited names', () => {
    expect(parseForm([['__proto__', 'x']], ['__proto__']).get('__proto__')).toBe('x');
    expect(parseForm([['__proto__', 'x']], KNOWN).size).toBe(0);
    expect(parseForm([], ['toString']).get('toString')).toBeUndefined();
  });

  it('VCI:T3 answers any form with parameters or a typed error', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom(...KNOWN)), fc.string())), (entries) => {
        try {
          for (const [name, value] of parse(entries)) expect(entries).toContainEqual([name, value]);
        } catch (error) {
          expect(error).toBeInstanceOf(OAuthError);
        }
      }),
    );
  });
});
