import { seededRandom } from '@vestibule/testkit';
import { serverNonces, SERVER_NONCE_SECONDS, verifyNonce, type ServerNonceSource } from './index';

const [current, older, foreign] = ['current', 'older', 'foreign'].map((seed) => seededRandom(seed)(32)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const now = new Date('2026-03-01T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const random = seededRandom('nonces');
const nonces = (changes: Partial<ServerNonceSource> = {}) =>
  serverNonces({ keys: [current], purpose: 'dpop_nonce', now, random, ...changes });

describe('serverNonces', () => {
  it('VCI:D20 accepts each of its recent nonces, at any replica with the same key', () => {
    const handedOut = Array.from({ length: 20 }, () => nonces().create());
    expect(new Set(handedOut).size).toBe(20);
    for (const nonce of handedOut) expect(nonces({ now: later(SERVER_NONCE_SECONDS) }).accepts(nonce)).toBe(true);
  });

  it('VCI:D20 refuses an old nonce, one of another server and one that nobody made', () => {
    const nonce = nonces().create();
    expect(nonces({ now: later(SERVER_NONCE_SECONDS + 1) }).accepts(nonce)).toBe(false);
    expect(nonces({ keys: [foreign] }).accepts(nonce)).toBe(false);
    expect(nonces().accepts('A'.repeat(48))).toBe(false);
    expect(nonces().accepts('')).toBe(false);
  });

  it('VCI:D20 takes nonces of the key before while keys rotate, and makes them with the current one', () => {
    const before = nonces({ keys: [older] }).create();
    const rotated = nonces({ keys: [current, older] });
    expect(rotated.accepts(before)).toBe(true);
    const lifetimeSeconds = SERVER_NONCE_SECONDS;
    const made = verifyNonce(rotated.create(), { keys: [current], purpose: 'dpop_nonce', now, lifetimeSeconds });
    expect(made).toBeDefined();
  });

  it('VCI:N5 a challenge for attestations is no DPoP nonce, and the reverse', () => {
    const challenges = nonces({ purpose: 'attestation_challenge' });
    expect(nonces().accepts(challenges.create())).toBe(false);
    expect(challenges.accepts(nonces().create())).toBe(false);
  });

  it('does not work without a key', () => {
    expect(() => nonces({ keys: [] })).toThrow(RangeError);
  });
});
