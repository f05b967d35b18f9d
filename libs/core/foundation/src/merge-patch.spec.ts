import type { JsonValue } from './json-value';
import { applyMergePatch } from './merge-patch';

describe('a JSON merge patch', () => {
  it.each<[string, string, string]>([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('of RFC 7396 appendix A: %s with %s is %s', (target, patch, expected) => {
    expect(applyMergePatch(JSON.parse(target) as JsonValue, JSON.parse(patch) as JsonValue)).toEqual(
      JSON.parse(expected),
    );
  });

  it('changes neither of its arguments, and takes __proto__ for an ordinary name', () => {
    const [target, patch] = [{ a: { b: 1 } }, JSON.parse('{"a":{"__proto__":{"c":2}}}') as JsonValue];
    const merged = applyMergePatch(target, patch);
    expect(JSON.stringify(merged)).toBe('{"a":{"b":1,"__proto__":{"c":2}}}');
    expect(target).toEqual({ a: { b: 1 } });
    expect(({} as { c?: number }).c).toBeUndefined();
  });
});
