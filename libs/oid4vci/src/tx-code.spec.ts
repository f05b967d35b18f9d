import fc from 'fast-check';
import { ApiError } from '@vestibule/foundation';
import { seededRandom } from '@vestibule/testkit';
import { createTxCode, parseTxCodeRequest, txCodeDigest } from './index';

function faultPaths(value: unknown): string[] {
  try {
    parseTxCodeRequest(value);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'invalid_request' });
    return (error as ApiError).faults.map(({ path }) => path);
  }
}

describe('parseTxCodeRequest', () => {
  it('VCI:O7 an empty object asks for six digits', () => {
    expect(parseTxCodeRequest({})).toEqual({ inputMode: 'numeric', length: 6 });
  });

  it('VCI:O7 takes every member within its limits', () => {
    const description = 'x'.repeat(300);
    expect(parseTxCodeRequest({ input_mode: 'text', length: 4, description })).toEqual({
      inputMode: 'text',
      length: 4,
      description,
    });
    expect(parseTxCodeRequest({ length: 16 }).length).toBe(16);
  });

  it.each<[string, unknown, string[]]>([
    ['no object', 'numeric', ['tx_code']],
    ['another input mode', { input_mode: 'pin' }, ['tx_code.input_mode']],
    ['an input mode of null', { input_mode: null }, ['tx_code.input_mode']],
    ['a length of 3', { length: 3 }, ['tx_code.length']],
    ['a length of 17', { length: 17 }, ['tx_code.length']],
    ['a length of 0', { length: 0 }, ['tx_code.length']],
    ['a length that is text', { length: '6' }, ['tx_code.length']],
    ['a length of 6.5', { length: 6.5 }, ['tx_code.length']],
    ['a description of 301 characters', { description: 'x'.repeat(301) }, ['tx_code.description']],
    ['an empty description', { description: '' }, ['tx_code.description']],
    ['an unknown member', { lenght: 6 }, ['tx_code.lenght']],
    ['three faults at once', { x: 1, length: 1, input_mode: 1 }, ['tx_code.x', 'tx_code.input_mode', 'tx_code.length']],
  ])('VCI:O7 refuses %s', (_what, value, paths) => expect(faultPaths(value)).toEqual(paths));

  it('VCI:O7 answers any JSON with a request or a typed error', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(Array.isArray(faultPaths(value))).toBe(true)));
  });
});

describe('createTxCode', () => {
  const random = seededRandom('transaction codes');
  const codes = (inputMode: 'numeric' | 'text', count: number) =>
    Array.from({ length: count }, () => createTxCode({ inputMode, length: 6 }, random));

  it('VCI:O9 makes digits of the asked length, some with a zero in front', () => {
    const made = codes('numeric', 10_000);
    for (const code of made) expect(code).toMatch(/^[0-9]{6}$/);
    expect(made.some((code) => code.startsWith('0'))).toBe(true);
  });

  it('VCI:O9 makes text without characters that are mistaken for others', () => {
    for (const code of codes('text', 1_000)) expect(code).toMatch(/^[2-9A-HJ-NP-Z]{6}$/);
  });

  it('VCI:O9 prefers no digit', () => {
    const counts = new Map<string, number>();
    for (const digit of codes('numeric', 10_000).join('')) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    for (const count of counts.values()) expect(Math.abs(count - 6_000)).toBeLessThan(400);
    expect(counts.size).toBe(10);
  });

  it('VCI:O9 drops the bytes that would make some digits likelier', () => {
    const bytes = [Buffer.from([250, 251, 255, 9, 249, 1]), Buffer.from([2, 3, 4, 5, 6, 7])];
    const next = () => bytes.shift() ?? Buffer.alloc(0);
    expect(createTxCode({ inputMode: 'numeric', length: 6 }, next)).toBe('991234');
  });
});

describe('txCodeDigest', () => {
  const key = seededRandom('key')(32);
  it('VCI:T11 differs with key, offer and code, and takes small letters for capitals', () => {
    const digest = txCodeDigest(key, 'offer', 'AB3456');
    expect(digest).toEqual(txCodeDigest(key, 'offer', 'ab3456'));
    expect(digest).not.toEqual(txCodeDigest(key, 'other', 'AB3456'));
    expect(digest).not.toEqual(txCodeDigest(seededRandom('other')(32), 'offer', 'AB3456'));
    expect(digest).not.toEqual(txCodeDigest(key, 'offer', 'AB3457'));
  });
});
