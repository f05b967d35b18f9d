import { randomBytes } from 'node:crypto';
import { createDidKey, didKeyOf } from './did-key';

describe('did:key', () => {
  it('agrees with the P-256 example of the did:key method', () => {
    const jwk = {
      kty: 'EC' as const,
      crv: 'P-256' as const,
      x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
      y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
    };
    expect(didKeyOf(jwk)).toBe('did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv');
  });

  it('is fresh each time and begins as every P-256 did:key does', () => {
    const dids = new Set(Array.from({ length: 50 }, () => createDidKey(randomBytes).did));
    expect(dids.size).toBe(50);
    for (const did of dids) expect(did).toMatch(/^did:key:zDna[1-9A-HJ-NP-Za-km-z]{44,45}$/);
  });
});
