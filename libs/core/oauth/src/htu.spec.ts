import fc from 'fast-check';
import { normalizeTargetUri } from './index';
import { fastestMilliseconds } from '@vestibule/testkit';

const target = 'https://c.example.com/issuer/oidc4vci/token';

describe('normalizeTargetUri', () => {
  it.each([
    ['upper-case scheme and host', 'HTTPS://C.EXAMPLE.COM/issuer/oidc4vci/token'],
    ['the default port', 'https://c.example.com:443/issuer/oidc4vci/token'],
    ['an empty port', 'https://c.example.com:/issuer/oidc4vci/token'],
    ['query and fragment', 'https://c.example.com/issuer/oidc4vci/token?x=/../y#z'],
    ['dot segments', 'https://c.example.com/a/../issuer/./oidc4vci/token'],
    ['encoded dot segments', 'https://c.example.com/a/%2e%2E/issuer/oidc4vci/token'],
    ['percent-encoded unreserved characters', 'https://c.example.com/%69ssuer/oidc4v%63i/token'],
  ])('VCI:D8 takes %s for the same target', (_what, uri) => {
    expect(normalizeTargetUri(uri)).toBe(target);
  });

  it('VCI:D8 gives an empty path the slash, and writes percent-encodings in upper case', () => {
    expect(normalizeTargetUri('https://c.example.com')).toBe('https://c.example.com/');
    expect(normalizeTargetUri('https://c.example.com/a%2fb')).toBe('https://c.example.com/a%2Fb');
  });

  it.each([
    ['another path', 'https://c.example.com/issuer/oidc4vci/credential'],
    ['another case of the path', 'https://c.example.com/Issuer/oidc4vci/token'],
    ['a trailing slash', 'https://c.example.com/issuer/oidc4vci/token/'],
    ['another host', 'https://evil.example/issuer/oidc4vci/token'],
    ['another port', 'https://c.example.com:3000/issuer/oidc4vci/token'],
    ['http', 'http://c.example.com/issuer/oidc4vci/token'],
    ['an encoded slash', 'https://c.example.com/issuer%2Foidc4vci/token'],
    ['a doubly encoded character', 'https://c.example.com/issuer/oidc4v%2563i/token'],
  ])('VCI:D8 tells %s apart', (_what, uri) => {
    expect(normalizeTargetUri(uri)).not.toBe(target);
  });

  it.each([
    ['a relative reference', '/issuer/oidc4vci/token'],
    ['no slashes', 'https:c.example.com/issuer/oidc4vci/token'],
    ['backslashes', 'https:\\\\c.example.com\\issuer\\oidc4vci\\token'],
    ['user information', 'https://c.example.com@evil.example/issuer/oidc4vci/token'],
    ['white space inside', 'https://c.exa\tmple.com/issuer/oidc4vci/token'],
    ['white space around', ` ${target}`],
    ['a half percent-encoding', 'https://c.example.com/%6'],
    ['a letter that is not ASCII', 'https://c.example.com/ü'],
    ['another scheme', 'ftp://c.example.com/issuer'],
    ['another scheme before this one', `ftp://c.example.com/${target}`],
    ['a port that is none', 'https://c.example.com:99999/issuer'],
    ['a host that is none', 'https://c.example.com%00/issuer'],
    ['2,049 characters', `https://c.example.com/${'a'.repeat(2_049)}`],
  ])('VCI:D8 refuses %s', (_what, uri) => {
    expect(normalizeTargetUri(uri)).toBeUndefined();
  });

  it('VCI:D8 is idempotent on every URL', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (uri) => {
        const once = normalizeTargetUri(uri);
        if (once !== undefined) expect(normalizeTargetUri(once)).toBe(once);
      }),
    );
  });

  it('VCI:D8 answers 100 KB of anything at once', () => {
    const work = () => {
      expect(normalizeTargetUri(`https://${'%41'.repeat(33_000)}`)).toBeUndefined();
      expect(normalizeTargetUri(`https://${'a'.repeat(2_000)} `)).toBeUndefined();
    };
    expect(fastestMilliseconds(work)).toBeLessThan(50);
  });
});
