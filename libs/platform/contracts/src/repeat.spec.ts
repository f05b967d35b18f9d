import { createRequire } from 'node:module';
import type { Contract } from './contract';
import { declaredRepeat, mayRepeat } from './repeat';

/** Not a static import, by which every export would count as used. */
const exported = createRequire(__filename)('./index.ts') as Readonly<Record<string, unknown>>;
const isContract = (value: unknown): value is Contract<unknown, unknown> =>
  typeof value === 'object' && value !== null && 'subject' in value && 'timeoutMilliseconds' in value;
const all = Object.values(exported).flatMap((value) =>
  isContract(value) ? [value] : Object.values((value as object | null) ?? {}).filter(isContract),
);

/** A statement (3.5 s) and what clocks may differ (2 s): see refuseLateWrite in persistence. */
const WRITE_MILLISECONDS = 5_500;

describe('asking a second time', () => {
  it('finds the contracts at all', () => {
    expect(all.length).toBeGreaterThan(50);
  });

  it.each(all.map((one) => [one.subject, one] as const))('is decided for %s', (subject, { question }) => {
    const repeat = declaredRepeat(subject);
    expect(repeat).toBeDefined();
    const shape = (question as unknown as { shape?: object }).shape ?? {};
    expect([subject, 'idempotencyKey' in shape]).toEqual([subject, repeat === 'key']);
    // A name that says that something is read, found or listed.
    if (repeat === 'read') expect(subject).toMatch(/\.(get|list|search|find|check|expect|verify-[a-z]+)$/);
  });

  it.each(all.filter(({ subject }) => declaredRepeat(subject) !== 'read').map((one) => [one.subject, one] as const))(
    'leaves %s time to begin its write before the caller gives up',
    (_, { timeoutMilliseconds }) => {
      expect(timeoutMilliseconds - WRITE_MILLISECONDS).toBeGreaterThanOrEqual(4_000);
    },
  );

  it('needs a key where one protects the write, and is refused to what nobody declared', () => {
    expect(mayRepeat('issuer.credential-offer.create', { body: {} })).toBe(false);
    expect(mayRepeat('issuer.credential-offer.create', { body: {}, idempotencyKey: 'k' })).toBe(true);
    expect(mayRepeat('issuer.credential-offer.get', { offerId: 'x' })).toBe(true);
    expect(mayRepeat('issuer.token.issue', { idempotencyKey: 'k' })).toBe(false);
    expect(mayRepeat('verifier.not.declared', {})).toBe(false);
  });
});
