import fc from 'fast-check';
import { seededRandom } from '@vestibule/testkit';
import { createNonce, verifyNonce, type NonceExpectation, type NoncePurpose } from './index';

const key = seededRandom('nonce key')(32);
const now = new Date('2026-03-01T12:00:00.400Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const purposes: NoncePurpose[] = ['c_nonce', 'dpop_nonce', 'attestation_challenge'];

const make = (purpose: NoncePurpose = 'c_nonce', seed = 'nonce') =>
  createNonce({ key, purpose, now, random: seededRandom(seed) });
const verify = (nonce: string, changes: Partial<NonceExpectation> = {}) =>
  verifyNonce(nonce, { keys: [key], purpose: 'c_nonce', now, lifetimeSeconds: 300, ...changes });

describe('createNonce and verifyNonce', () => {
  it('VCI:N3 recognises its own nonce without any storage', () => {
    const nonce = make();
    expect(nonce).toMatch(/^[A-Za-z0-9_-]{48}$/);
    expect(verify(nonce)).toEqual({ digest: expect.any(Uint8Array), expiresAt: new Date('2026-03-01T12:06:01Z') });
  });

  it('VCI:D20 has the characters that a DPoP nonce may have', () => {
    expect(make('dpop_nonce')).toMatch(/^[\x21\x23-\x5B\x5D-\x7E]+$/);
  });

  it('VCI:N3 differs with every draw, and so does its digest', () => {
    expect(make('c_nonce', 'a')).not.toBe(make('c_nonce', 'b'));
    expect(verify(make('c_nonce', 'a'))?.digest).not.toEqual(verify(make('c_nonce', 'b'))?.digest);
  });

  it('VCI:N5 a nonce made for one purpose is refused for every other', () => {
    for (const made of purposes) {
      for (const used of purposes) {
        expect(verify(make(made), { purpose: used }) !== undefined).toBe(made === used);
      }
    }
  });

  it('VCI:N4 lives as long as asked and no longer', () => {
    expect(verify(make(), { now: later(300) })).toBeDefined();
    expect(verify(make(), { now: later(301) })).toBeUndefined();
    expect(verify(make(), { now: later(-60) })).toBeDefined();
    expect(verify(make(), { now: later(-62) })).toBeUndefined();
  });

  it('VCI:N4 is never accepted after the time until which its use is remembered', () => {
    const verified = verify(make());
    expect(verify(make(), { now: verified?.expiresAt ?? now })).toBeUndefined();
  });

  it('is remembered for replicas whose clocks are a minute behind', () => {
    const forgottenAt = verify(make())?.expiresAt.getTime() ?? 0;
    expect(verify(make(), { now: new Date(forgottenAt - 60_000) })).toBeUndefined();
  });

  it.each<[NoncePurpose, string]>([
    ['c_nonce', 'aaQqQAICAgICAgICAgICAgICAgIuDq7dSK3cmogxLtut0is6'],
    ['dpop_nonce', 'aaQqQAICAgICAgICAgICAgICAgJMLfoB98Kjcxhhn7i-92Ts'],
    ['attestation_challenge', 'aaQqQAICAgICAgICAgICAgICAgJKtq7sdgYrYqkpqhuhCnub'],
  ])('VCI:N3 is good at a replica of another version: %s', (purpose, nonce) => {
    expect(verify(nonce, { keys: [Buffer.alloc(32, 1)], purpose })).toBeDefined();
  });

  it('VCI:N3 keeps its worth while keys rotate, and none under a foreign key', () => {
    const other = seededRandom('another key')(32);
    expect(verify(make(), { keys: [other, key] })).toBeDefined();
    expect(verify(make(), { keys: [other] })).toBeUndefined();
    expect(verify(make(), { keys: [] })).toBeUndefined();
  });

  it('VCI:N3 refuses a key of less than 32 bytes', () => {
    expect(() => createNonce({ key: key.subarray(1), purpose: 'c_nonce', now, random: seededRandom('x') })).toThrow(
      RangeError,
    );
  });

  it('VCI:N3 any change of any character makes it worthless', () => {
    const nonce = make();
    for (let index = 0; index < nonce.length; index += 1) {
      const changed = nonce.slice(0, index) + (nonce[index] === 'A' ? 'B' : 'A') + nonce.slice(index + 1);
      expect(verify(changed)).toBeUndefined();
    }
  });

  it('VCI:N3 takes nothing that a stranger makes up', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(verify(text)).toBeUndefined()));
    fc.assert(fc.property(fc.base64String(), (text) => expect(verify(text)).toBeUndefined()));
    expect(verify('A'.repeat(100_000))).toBeUndefined();
  });
});
