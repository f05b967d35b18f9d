import { seededRandom } from '@vestibule/testkit';
import { createTxCode, txCodeDigest } from './index';

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
