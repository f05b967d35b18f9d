import fc from 'fast-check';
import { jwkThumbprint, type PublicJwk } from '@vestibule/crypto';
import { buildRegisteredClaims, DEFAULT_VALIDITY_SECONDS } from './index';

const holderJwk: PublicJwk = {
  kty: 'EC',
  crv: 'P-256',
  x: 'l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs',
  y: '9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA',
};
const input = {
  issuerUrl: 'https://c.example.com/issuer',
  vct: 'urn:example:pid:1',
  integrity: 'sha256-AAAA',
  holderJwk,
  now: new Date('2026-03-01T12:34:56.789Z'),
  validitySeconds: DEFAULT_VALIDITY_SECONDS,
  certificateNotBefore: new Date('2026-01-01T00:00:00Z'),
};
const instant = (text: string) => new Date(text).getTime() / 1000;
const build = (changes: Partial<typeof input> = {}) => buildRegisteredClaims({ ...input, ...changes });

describe('buildRegisteredClaims', () => {
  it('VCI:V6 VCI:V8 VCI:V9 VCI:V10 VCI:V11 VCI:L3 adds what every credential has, with rounded times', () => {
    expect(build()).toEqual({
      iss: 'https://c.example.com/issuer',
      sub: `urn:ietf:params:oauth:jwk-thumbprint:sha-256:${jwkThumbprint(holderJwk)}`,
      iat: instant('2026-03-01T12:00:00Z'),
      exp: instant('2027-03-01T13:00:00Z'),
      vct: 'urn:example:pid:1',
      'vct#integrity': 'sha256-AAAA',
      cnf: { jwk: holderJwk },
    });
  });

  it('VCI:V11 two credentials of one batch have different subjects', () => {
    const other = { ...holderJwk, x: holderJwk.y, y: holderJwk.x };
    expect(build({ holderJwk: other })['sub']).not.toBe(build()['sub']);
  });

  it('VCI:V7 copies kty, crv, x and y of the key and nothing else', () => {
    const decorated = { ...holderJwk, kid: 'correlates' } as PublicJwk;
    expect(build({ holderJwk: decorated })['cnf']).toEqual({ jwk: holderJwk });
  });

  it('VCI:V10 is never older than the signing certificate', () => {
    const certificateNotBefore = new Date('2026-03-01T12:30:00Z');
    expect(build({ certificateNotBefore })['iat']).toBe(instant('2026-03-01T12:30:00Z'));
  });

  it('VCI:V22 VCI:V24 has neither jti nor aka_vcts', () => {
    expect(Object.keys(build()).sort()).toEqual(['cnf', 'exp', 'iat', 'iss', 'sub', 'vct', 'vct#integrity']);
  });

  it('VCI:L3 VCI:L4 never shortens the validity and never tells more than the hour', () => {
    const seconds = fc.integer({ min: 1_800_000_000, max: 2_000_000_000 });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 1, max: 100_000_000 }), (now, validitySeconds) => {
        const { iat, exp } = build({ now: new Date(now * 1000), validitySeconds });
        expect((iat as number) % 3_600).toBe(0);
        expect((exp as number) % 3_600).toBe(0);
        expect(iat).toBeLessThanOrEqual(now);
        expect(exp).toBeGreaterThanOrEqual(now + validitySeconds);
        expect(exp).toBeLessThan(now + validitySeconds + 3_600);
      }),
    );
  });
});
