import { publicRoutes } from '../gateway';
import { Addresses, NO_ROUTE, pathOf } from './addresses';

const routes = publicRoutes({ servesContent: true }).all;

describe('the addresses of the public listener', () => {
  const on = (base: string, issuer: string, prefix = ''): Addresses =>
    new Addresses(routes, { base, issuer, 'schema-prefix': `${base}${prefix}`, host: '', 'well-known': issuer });
  const root = on('', '');
  const tenant = on('/wallets', '/issuer');

  it.each([
    ['/oidc4vp/s/request?flow_type=same-device', '/oidc4vp/s/request?flow_type=same-device'],
    ['/.well-known/openid-credential-issuer', '/.well-known/openid-credential-issuer'],
    ['/api/wallet/v1/entity', '/api/wallet/v1/entity'],
    ['/oidc4vpx/s', NO_ROUTE],
    ['/health/ready', NO_ROUTE],
    ['/offers', NO_ROUTE],
  ])('at the root of a host, %s is %s', (url, expected) => {
    expect(root.rewrite(url).url).toBe(expected);
  });

  it.each([
    ['/wallets/oidc4vp/s/response', '/oidc4vp/s/response'],
    ['/issuer/oidc4vci/token', '/oidc4vci/token'],
    ['/.well-known/openid-credential-issuer/issuer', '/.well-known/openid-credential-issuer'],
    ['/.well-known/oauth-authorization-server/issuer', '/.well-known/oauth-authorization-server'],
    ['/oidc4vp/s/response', NO_ROUTE],
    ['/oidc4vci/token', NO_ROUTE],
  ])('VCI:U3 VCI:U4 below a path, %s is %s', (url, expected) => {
    expect(tenant.rewrite(url).url).toBe(expected);
  });

  it.each(['/.well-known/openid-credential-issuer', '/issuer/.well-known/openid-credential-issuer'])(
    'VCI:U3 the form %s is not served below a path',
    (url) => {
      expect(tenant.rewrite(url).url).toBe(NO_ROUTE);
    },
  );
});

describe('pathOf', () => {
  it('is empty at the root', () => {
    expect(pathOf('https://host.example')).toBe('');
    expect(pathOf('https://host.example/a/b')).toBe('/a/b');
  });
});
