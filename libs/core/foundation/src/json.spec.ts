import fc from 'fast-check';
import {
  decodeUtf8,
  isJsonObject,
  ownMember,
  parseJson,
  parseJsonBytes,
  parseJsonWithUnreadNumbers,
  setOwnMember,
} from './json';
import { fastestMilliseconds } from '@vestibule/testkit';

describe('parseJson', () => {
  it('reads every JSON value that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseJson(text))).toBe(text);
      }),
    );
  });

  it('refuses a member name that occurs twice, at any depth and however it is escaped', () => {
    expect(parseJson('{"a":1,"a":1}')).toBeUndefined();
    expect(parseJson('[{"b":{"a":1,"\\u0061":2}}]')).toBeUndefined();
  });

  it.each(['"\\ud800"', '"a\\uDFFFb"', '"\\ude00\\ud83d"', '[{"\\ud800":1}]', '{"a":["\\ud83d\\\\ude00"]}'])(
    'refuses the escape of an unpaired surrogate, which readers keep, replace or refuse: %s',
    (text) => {
      expect(parseJson(text)).toBeUndefined();
    },
  );

  it.each<[text: string, value: unknown]>([
    ['"\\ud83d\\uDE00"', '😀'],
    ['{"\\uD83D\\ude00":"😀"}', { '😀': '😀' }],
    ['"\\\\ud800"', '\\ud800'],
    ['"\\ud7ff\\ue000"', '\ud7ff\ue000'],
  ])('reads pairs of surrogates, and what only looks like an escape: %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it('does not mistake punctuation inside strings for structure', () => {
    expect(parseJson('{"a:{[":"\\":,}]"}')).toEqual({ 'a:{[': '":,}]' });
  });

  it('refuses deeper nesting and longer text than allowed', () => {
    expect(parseJson('[[]]', { maxDepth: 1, maxLength: 100 })).toBeUndefined();
    expect(parseJson('[[]]', { maxDepth: 2, maxLength: 100 })).toEqual([[]]);
    expect(parseJson('"abc"', { maxDepth: 2, maxLength: 4 })).toBeUndefined();
  });

  it('answers 100 KB of open brackets without hanging or overflowing', () => {
    const milliseconds = fastestMilliseconds(() => {
      expect(parseJson('['.repeat(100_000))).toBeUndefined();
    });
    expect(milliseconds).toBeLessThan(50);
  });

  it('keeps __proto__ as an own member and pollutes nothing', () => {
    const parsed = parseJson('{"__proto__":{"polluted":true}}');
    expect(isJsonObject(parsed) && ownMember(parsed, '__proto__')).toEqual({ polluted: true });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each(['', 'nope', '{', '{"a":}', '\u{feff}{}', '{"a":1}x', "{'a':1}", 'NaN'])('refuses %j', (text) => {
    expect(parseJson(text)).toBeUndefined();
  });

  it('never throws, whatever the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseJson(text)));
  });
});

describe('parseJsonWithUnreadNumbers', () => {
  it('takes what parseJson takes, and numbers that a double does not have', () => {
    expect(parseJsonWithUnreadNumbers('{"a":[1e999,9007199254740993,0.10000000000000001],"b":"c"}')).toMatchObject({
      b: 'c',
    });
    expect(parseJsonWithUnreadNumbers('[1.5,"x"]')).toEqual([1.5, 'x']);
  });

  it.each(['{"a":1e999,"a":1}', '{"a":"\\ud800","b":1e999}', '[1e999', '01', `${'['.repeat(33)}${']'.repeat(33)}`])(
    'refuses %s, as parseJson does',
    (text) => {
      expect([parseJsonWithUnreadNumbers(text), parseJson(text)]).toEqual([undefined, undefined]);
    },
  );
});

describe('parseJsonBytes', () => {
  it('refuses malformed UTF-8 and a byte order mark', () => {
    expect(parseJsonBytes(Uint8Array.of(0x22, 0xff, 0x22))).toBeUndefined();
    expect(parseJsonBytes(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).toBeUndefined();
    expect(decodeUtf8(Uint8Array.of(0xc3, 0xa9))).toBe('é');
  });
});

describe('own members', () => {
  it('are never inherited', () => {
    expect(ownMember({}, 'toString')).toBeUndefined();
  });

  it('can be set under any name', () => {
    const object = {};
    setOwnMember(object, '__proto__', 1);
    expect(Object.keys(object)).toEqual(['__proto__']);
  });
});
