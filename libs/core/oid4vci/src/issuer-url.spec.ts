import { hostileUrls } from '@vestibule/testkit';
import { issuerEndpoints, offerUrl, parseIssuerUrl, typeMetadataUrl, wellKnownPath } from './index';

const strict = { allowHttpLoopback: false };
const development = { allowHttpLoopback: true };
const invalid = expect.objectContaining({ code: 'issuer_url_invalid' });

describe('parseIssuerUrl', () => {
  it.each(['https://c.example.com/issuer', 'https://c.example.com', 'https://c.example.com:8443/a/b'])(
    'VCI:U1 VCI:U5 returns %s unchanged',
    (text) => expect(parseIssuerUrl(text, strict)).toBe(text),
  );

  it.each<[string, string]>([
    ...hostileUrls('c.example.com').map(([what, text]): [string, string] => [`VCI:U5 ${what}`, text]),
    ['VCI:U1 http', 'http://c.example.com/issuer'],
    ['VCI:U1 http on a loopback host without the switch', 'http://localhost:8080'],
    ['VCI:U1 a query', 'https://c.example.com/issuer?x'],
    ['VCI:U1 an empty query', 'https://c.example.com/issuer?'],
    ['VCI:U1 a fragment', 'https://c.example.com/issuer#y'],
    ['VCI:U1 user information', 'https://user@c.example.com/issuer'],
    ['VCI:U1 no URL', 'c.example.com/issuer'],
    ['VCI:U1 another scheme', 'ftp://c.example.com'],
    ['VCI:U2 a trailing slash', 'https://c.example.com/t/'],
    ['VCI:U2 the bare slash', 'https://c.example.com/'],
    ['VCI:U5 an upper-case host', 'https://C.example.com/issuer'],
    ['VCI:U5 the default port', 'https://c.example.com:443/issuer'],
    ['VCI:U5 dot segments', 'https://c.example.com/a/../issuer'],
    ['VCI:U5 empty segments', 'https://c.example.com//issuer'],
    ['VCI:U5 white space', ' https://c.example.com/issuer'],
    ['VCI:U1 513 characters', `https://c.example.com/${'a'.repeat(491)}`],
  ])('refuses %s', (_what, text) => {
    expect(() => parseIssuerUrl(text, strict)).toThrow(invalid);
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1:8080/issuer', 'http://[::1]:8080'])(
    'VCI:U1 takes %s for development',
    (text) => expect(parseIssuerUrl(text, development)).toBe(text),
  );

  it('VCI:U1 never takes http on any other host', () => {
    expect(() => parseIssuerUrl('http://localhost.example.com', development)).toThrow(invalid);
    expect(() => parseIssuerUrl('http://127.0.0.1.example.com', development)).toThrow(invalid);
  });
});

describe('the addresses of an issuer', () => {
  it('VCI:U3 puts the well-known part between host and path', () => {
    expect(wellKnownPath('https://c.example.com/issuer', 'openid-credential-issuer')).toBe(
      '/.well-known/openid-credential-issuer/issuer',
    );
    expect(wellKnownPath('https://c.example.com', 'oauth-authorization-server')).toBe(
      '/.well-known/oauth-authorization-server',
    );
  });

  it('VCI:U7 builds every address on the issuer URL', () => {
    const issuerUrl = 'https://c.example.com/issuer';
    expect(issuerEndpoints(issuerUrl)).toEqual({
      token: `${issuerUrl}/oidc4vci/token`,
      nonce: `${issuerUrl}/oidc4vci/nonce`,
      credential: `${issuerUrl}/oidc4vci/credential`,
      challenge: `${issuerUrl}/oidc4vci/challenge`,
      deferredCredential: `${issuerUrl}/oidc4vci/deferred_credential`,
      notification: `${issuerUrl}/oidc4vci/notification`,
    });
    expect(offerUrl(issuerUrl, 'abc')).toBe(`${issuerUrl}/oidc4vci/offers/abc`);
    expect(typeMetadataUrl(issuerUrl, 'pid')).toBe(`${issuerUrl}/oidc4vci/types/pid`);
  });
});
