import { randomBytes } from 'node:crypto';
import { developmentKeyFaults, isDevelopmentKey } from './development-keys';

const named = Buffer.from(`development-${'k3yF0rTests_'.repeat(3).slice(0, 30)}A`, 'base64url');
const address = (url: string) => ({ variable: 'BASE_URL', url });

describe('isDevelopmentKey', () => {
  it('knows a key by its beginning, and one that is a pattern', () => {
    expect(named).toHaveLength(32);
    const keys = [named, Buffer.alloc(32), Buffer.alloc(32, 1), Buffer.from('0123456789abcdef'.slice(0, 8).repeat(4))];
    expect(keys.map(isDevelopmentKey)).toEqual([true, true, true, true]);
  });

  it('takes no random key for one', () => {
    expect(Array.from({ length: 2_000 }, () => randomBytes(32)).some(isDevelopmentKey)).toBe(false);
  });
});

describe('developmentKeyFaults', () => {
  const good = randomBytes(32);

  it.each(['https://wallet.example', 'https://10.0.0.1/base', 'https://127.0.0.1.example'])(
    'refuses a development key with the address %s, wherever it is in the list',
    (url) => {
      const [fault] = developmentKeyFaults({ sealingKeys: [good, named] }, address(url));
      expect(fault?.path).toBe('SEALING_KEYS');
      expect(fault?.message).toContain('BASE_URL is public');
      expect(fault?.message).not.toContain(named.toString('base64url'));
    },
  );

  it.each(['http://127.0.0.1:8080', 'http://localhost:8080/a', 'http://[::1]:1'])(
    'accepts it on loopback: %s',
    (url) => {
      expect(developmentKeyFaults({ sealingKeys: [named] }, address(url))).toEqual([]);
    },
  );

  it('has nothing against random keys, or where the service has no address', () => {
    expect(developmentKeyFaults({ sealingKeys: [good] }, address('https://wallet.example'))).toEqual([]);
    expect(developmentKeyFaults({ sealingKeys: [named] }, undefined)).toEqual([]);
  });
});
