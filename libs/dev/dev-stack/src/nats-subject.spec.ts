import { isLiteral, isSubscribable, matchesSubject } from './nats-subject';

const matches = (pattern: string, subject: string) => matchesSubject(pattern.split('.'), subject.split('.'));

describe('subjects', () => {
  it.each(['a', 'a.b', '*', '>', 'a.*.b', 'a.>', 'a*', 'a.>b'])('%j can be subscribed to', (subject) => {
    expect(isSubscribable(subject)).toBe(true);
  });

  it.each(['', '.', 'a.', '.a', 'a..b', '>.a', 'a.>.b', 'a b', 'a\tb', 'a\0'])('%j cannot', (subject) => {
    expect(isSubscribable(subject)).toBe(false);
  });

  it('a wildcard is a whole token', () => {
    expect(isLiteral('a*.>b')).toBe(true);
    expect(isLiteral('a.*')).toBe(false);
  });
});

describe('matchesSubject', () => {
  it.each([
    ['a.b', 'a.b'],
    ['a.*', 'a.b'],
    ['*.*', 'a.b'],
    ['a.>', 'a.b.c'],
    ['>', 'a'],
    ['a.*', 'a.*'],
  ])('%j covers %j', (pattern, subject) => {
    expect(matches(pattern, subject)).toBe(true);
  });

  it.each([
    ['a.b', 'a.c'],
    ['a', 'a.b'],
    ['a.b', 'a'],
    ['a.*', 'a'],
    ['a.*', 'a.b.c'],
    ['a.>', 'a'],
    ['a.b', 'a.*'],
  ])('%j does not cover %j', (pattern, subject) => {
    expect(matches(pattern, subject)).toBe(false);
  });
});
