import { hostileUrls } from '@vestibule/testkit';
import {
  authorizationEndpointFault,
  authorizationRequestUri,
  DEFAULT_AUTHORIZATION_ENDPOINT,
  redirectUriFault,
  requestUri,
  responseUri,
  withResponseCode,
} from './index';

const base = 'https://connector.example/wallets';

const request = {
  clientId: 'x509_hash:a_b',
  requestUri: requestUri(base, 'st', 'same-device'),
  requestUriMethod: 'get',
} as const;

describe('addresses', () => {
  it('VP:B1 VP:B2 VP:B3 holds client_id and request_uri, percent-encoded, and nothing else', () => {
    const uri = authorizationRequestUri({ ...request, authorizationEndpoint: DEFAULT_AUTHORIZATION_ENDPOINT });
    expect(uri).toBe(
      'openid4vp://?client_id=x509_hash%3Aa_b&request_uri=https%3A%2F%2Fconnector.example%2Fwallets%2Foidc4vp%2Fst%2Frequest%3Fflow_type%3Dsame-device',
    );
    expect([...new URL(uri).searchParams.keys()]).toEqual(['client_id', 'request_uri']);
  });

  it.each(['haip-vp://', 'eudi-openid4vp://verifier', 'https://wallet.example/authorize?lang=de'])(
    'invokes the wallet at %s',
    (authorizationEndpoint) => {
      expect(authorizationEndpointFault(authorizationEndpoint)).toBeUndefined();
      const uri = authorizationRequestUri({ ...request, authorizationEndpoint });
      expect(uri.startsWith(authorizationEndpoint)).toBe(true);
      expect(new URL(uri).searchParams.get('client_id')).toBe(request.clientId);
      expect(new URL(uri).searchParams.get('request_uri')).toBe(request.requestUri);
    },
  );

  it('refuses a scheme that no wallet registers, unless the operator names it', () => {
    expect(authorizationEndpointFault('eudiw://')).toMatch(/must begin with/);
    expect(authorizationEndpointFault('eudiw://', ['eudiw'])).toBeUndefined();
    expect(authorizationEndpointFault('openid4vp://?request_uri_method=post')).toMatch(/request_uri_method/);
  });

  it('asks the wallet to fetch by POST in one more parameter', () => {
    const uri = authorizationRequestUri({
      ...request,
      authorizationEndpoint: 'openid4vp://',
      requestUriMethod: 'post',
    });
    expect([...new URL(uri).searchParams]).toEqual([
      ['client_id', request.clientId],
      ['request_uri', request.requestUri],
      ['request_uri_method', 'post'],
    ]);
  });

  it('VP:C11 names the request in the response address', () => {
    expect(responseUri(base, 'st')).toBe(`${base}/oidc4vp/st/response`);
  });

  it('VP:A8 refuses a request_uri of more than 512 characters', () => {
    expect(() => requestUri(`https://connector.example/${'x'.repeat(500)}`, 'st', 'same-device')).toThrow(RangeError);
  });
});

describe('withResponseCode', () => {
  it.each([
    ['https://rp.example/cb', 'https://rp.example/cb?response_code=c'],
    ['https://rp.example/cb?x=1', 'https://rp.example/cb?x=1&response_code=c'],
    ['https://rp.example/cb?s=a%20b~c!&flag', 'https://rp.example/cb?s=a%20b~c!&flag&response_code=c'],
    ['https://rp.example/cb?', 'https://rp.example/cb?response_code=c'],
    ['https://rp.example/cb?x=?', 'https://rp.example/cb?x=?&response_code=c'],
    ['https://rp.example', 'https://rp.example?response_code=c'],
    ['eu.example.app:/a/../b?x', 'eu.example.app:/a/../b?x&response_code=c'],
    ['eu.example.app://return', 'eu.example.app://return?response_code=c'],
  ])('VP:P3 keeps the query of %s', (redirectUri, expected) => {
    expect(withResponseCode(redirectUri, 'c')).toBe(expected);
  });
});

describe('redirectUriFault', () => {
  const rules = { appSchemes: ['eu.example.app'], allowHttp: false };

  it.each([
    'https://rp.example/cb',
    'https://rp.example/cb?x=1',
    'http://127.0.0.1:3000/cb',
    'eu.example.app://return',
  ])('VP:P3 takes %s', (uri) => expect(redirectUriFault(uri, rules)).toBeUndefined());

  it.each([
    'javascript:alert(1)',
    '/relative',
    'http://rp.example/cb',
    'https://rp.example/cb#fragment',
    'https://rp.example/cb#',
    'https://user:secret@rp.example/',
    'data:text/html,x',
    'other.app://return',
    '',
    'eu.example.app://return#part',
    'eu.example.app://user@return',
    'eu.example.app://return?a b',
    'eu.example.app://return\r\nx',
    'eu.example.app:\\\\return',
    'eu.example.app.evil:/return',
  ])('VP:P3 refuses %j', (uri) => {
    expect(redirectUriFault(uri, rules)).toMatch(/^must /);
  });

  it('VP:P3 says that the scheme of an app can be allowed, and that http is for loopback', () => {
    expect(redirectUriFault('other.app://return', rules)).toMatch(/eu\.example\.app:.*operator/);
    expect(redirectUriFault('/relative', rules)).not.toMatch(/operator/);
    expect(redirectUriFault('http://rp.example/cb', rules)).toMatch(/loopback/);
  });

  it.each(hostileUrls('rp.example'))('VP:P3 refuses %s', (_what, uri) => {
    expect(redirectUriFault(uri, rules)).toMatch(/^must /);
    expect(
      redirectUriFault(uri.replace(/^https/, 'http').replace(':443', ':80'), { ...rules, allowHttp: true }),
    ).toMatch(/^must /);
  });

  it.each([
    'response_code=x',
    'a=1&response_code=x',
    'response_code',
    'response_code=&a',
    'response%5Fcode=x',
    'r%65sponse_code',
    'a;response_code=x',
    'Response_Code=x',
    'response.code=x',
    'response+code=x',
    'response_code%5B%5D=x',
    '+response_code=x',
    'response_code+=x',
    'response%5Bcode=x',
    'Response%5BCode=x',
    'response_code%00=x',
    'response.code%00z=x',
    'response_code%5B=x',
    '%0Aresponse_code=x',
    'a=1%3B;response%5Bcode=x',
  ])('VP:P3 refuses a response_code of its own: %s', (query) => {
    expect(redirectUriFault(`https://rp.example/cb?${query}`, rules)).toMatch(/^must /);
    expect(redirectUriFault(`eu.example.app:/cb?${query}`, rules)).toMatch(/^must /);
  });

  it.each([
    'x=response_code',
    'my_response_code=x',
    'response_codes',
    'code=x&state=y',
    'response%5Bcode%5D=x',
    'x%00response_code=x',
    'response%255Fcode=x',
    'response',
  ])('VP:P3 takes a query that only resembles it: %s', (query) =>
    expect(redirectUriFault(`https://rp.example/cb?${query}`, rules)).toBeUndefined(),
  );

  it('takes http elsewhere only where that is switched on', () => {
    expect(redirectUriFault('http://rp.example/cb', { ...rules, allowHttp: true })).toBeUndefined();
  });
});
