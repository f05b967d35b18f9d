import { randomBytes } from 'node:crypto';
import { constantTimeEqual, createSecret, createTimedId, parseTimedId } from './index';

describe('identifiers', () => {
  it('VP:B4 VCI:O6 are URL-safe, 32 characters and never repeat in 10,000 draws', () => {
    const now = new Date('2026-01-01T00:00:00Z');
    const ids = new Set(Array.from({ length: 10_000 }, () => createTimedId(now, randomBytes)));
    expect(ids.size).toBe(10_000);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  it('sort by time as bytes', () => {
    const earlier = parseTimedId(createTimedId(new Date('2026-01-01T00:00:00Z'), randomBytes)) as Uint8Array;
    const later = parseTimedId(createTimedId(new Date('2026-01-01T00:00:01Z'), randomBytes)) as Uint8Array;
    expect(Buffer.compare(earlier, later)).toBe(-1);
  });

  it('begin with the second in which they were made', () => {
    const bytes = parseTimedId(createTimedId(new Date('2026-01-01T00:00:01.999Z'), randomBytes)) as Uint8Array;
    expect(Buffer.from(bytes).readUInt32BE(0)).toBe(Date.UTC(2026, 0, 1, 0, 0, 1) / 1000);
  });

  it.each(['', 'short', 'A'.repeat(31), 'A'.repeat(33), `${'A'.repeat(31)}=`, "' OR 1=1 --"])('are not %j', (text) => {
    expect(parseTimedId(text)).toBeUndefined();
  });
});

describe('secrets', () => {
  it('VP:C13 have 43 characters and never repeat in 10,000 draws', () => {
    const secrets = new Set(Array.from({ length: 10_000 }, () => createSecret(randomBytes)));
    expect(secrets.size).toBe(10_000);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('compare by content', () => {
    expect(constantTimeEqual('abc', 'abc')).toBe(true);
    expect(constantTimeEqual('abc', 'abcd')).toBe(false);
  });
});
