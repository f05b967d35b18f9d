import { randomBytes } from 'node:crypto';
import { createSecret } from '@vestibule/crypto';
import { createAccessToken, judgeAccessToken, tokenKey, type BoundToken } from './access-token';

const bound: BoundToken = {
  key: tokenKey('code', undefined),
  offerId: 'offer',
  thumbprint: 'thumbprint',
  clientId: 'client',
  granted: [{ configurationId: 'card', credentialIdentifier: 'card' }],
  hasStatus: false,
};

describe('an access token', () => {
  it('VCI:T15 is random, and bound to its offer, its wallet and what was granted', () => {
    const [token, other] = [createAccessToken(bound, randomBytes), createAccessToken(bound, randomBytes)];
    expect(token).not.toBe(other);
    expect(token).toMatch(/^[\w-]{64}$/);
    expect([token, other].map((one) => judgeAccessToken(one, bound))).toEqual(['bound', 'bound']);
  });

  it.each<[string, Partial<BoundToken>]>([
    ['code', { key: tokenKey('another code', undefined) }],
    ['transaction code', { key: tokenKey('code', randomBytes(32)) }],
    ['offer', { offerId: 'another' }],
    ['key', { thumbprint: 'another' }],
    ['client', { clientId: undefined }],
    ['grant', { granted: [] }],
    ['credential', { granted: [{ configurationId: 'card', credentialIdentifier: 'another' }] }],
    ['configuration', { granted: [{ configurationId: 'another', credentialIdentifier: 'card' }] }],
  ])('is foreign to another %s', (_what, change) => {
    expect(judgeAccessToken(createAccessToken(bound, randomBytes), { ...bound, ...change })).toBe('foreign');
  });

  it('says whether the status of its wallet is kept: without it, the token is foreign', () => {
    const withStatus = { ...bound, hasStatus: true };
    const token = createAccessToken(withStatus, randomBytes);
    expect(token).toMatch(/^[\w-]{64}$/);
    expect(judgeAccessToken(token, withStatus)).toBe('bound');
    expect(judgeAccessToken(token, bound)).toBe('foreign');
    expect(judgeAccessToken(createAccessToken(bound, randomBytes), withStatus)).toBe('bound');
  });

  it('is the same whatever order the members of a grant are read in', () => {
    const token = createAccessToken(bound, randomBytes);
    const granted = [{ credentialIdentifier: 'card', configurationId: 'card' }];
    expect(judgeAccessToken(token, { ...bound, granted })).toBe('bound');
  });

  it('is foreign with any bit changed, and unbound without a tag', () => {
    const bytes = Buffer.from(createAccessToken(bound, randomBytes), 'base64url');
    for (const [at] of bytes.entries()) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect(judgeAccessToken(changed.toString('base64url'), bound)).toBe('foreign');
    }
    for (const text of [createSecret(randomBytes), 'a~token', '', `${bytes.toString('base64url')}A`])
      expect(judgeAccessToken(text, bound)).toBe('unbound');
  });
});
