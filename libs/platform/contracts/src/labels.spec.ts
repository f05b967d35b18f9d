import { annotations } from './labels';

describe('an annotation', () => {
  it.each(['\u0000', 'a\u0000b', '\ud800', 'a\udc00b', '\udc00\ud800'])(
    'has text that can be stored: %j has not',
    (text) => {
      expect(annotations.safeParse({ note: text }).success).toBe(false);
    },
  );

  it.each(['', 'plain', 'ü', '😀', '\u0001', '\uffff'])('takes %j', (text) => {
    expect(annotations.safeParse({ note: text })).toEqual({ success: true, data: { note: text } });
  });
});
