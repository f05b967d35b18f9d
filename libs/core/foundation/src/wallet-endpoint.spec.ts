import fc from 'fast-check';
import { walletEndpointFault, withQueryParameters } from './index';

const rules = { schemes: ['openid4vp', 'haip-vp'], parameters: ['client_id', 'request_uri'] };

describe('walletEndpointFault', () => {
  it.each([
    'openid4vp://',
    'haip-vp://',
    'haip-vp://authorize',
    'HAIP-VP://',
    'https://wallet.example',
    'https://wallet.example/authorize',
    'https://wallet.example/authorize?lang=de',
    'http://127.0.0.1:3000/wallet',
  ])('takes %s', (text) => expect(walletEndpointFault(text, rules)).toBeUndefined());

  it.each([
    ['javascript:alert(1)', /must begin with/],
    ['javascript://%0aalert(1)', /must begin with/],
    ['intent://scan/#Intent;scheme=openid4vp;end', /must begin with/],
    ['data:text/html,x', /must begin with/],
    ['mdoc-openid4vp://', /must begin with/],
    ['openid4vp:', /must have \/\//],
    ['openid4vp:authorize', /must have \/\//],
    ['openid4vp:/authorize', /must have \/\//],
    ['openid4vp', /absolute URL/],
    ['', /absolute URL/],
    ['http://wallet.example/', /must use https/],
    ['https://user:secret@wallet.example/', /user information/],
    ['openid4vp://user@wallet', /user information/],
    ['https://wallet.example/#part', /fragment/],
    ['openid4vp://#', /fragment/],
    ['https://wallet.example/?client_id=x', /parameter client_id/],
    ['openid4vp://?request_uri=https%3A%2F%2Fevil.example', /parameter request_uri/],
    ['https://wallet.example/?%63lient_id=x', /parameter client_id/],
    ['https://wallet.example/a b', /URI characters/],
    [`https://wallet.example/${'x'.repeat(2_100)}`, /at most 2048/],
  ])('refuses %s', (text, message) => expect(walletEndpointFault(text, rules)).toMatch(message));

  it('names each scheme once, however often it is configured', () => {
    const schemes = ['openid4vp', 'haip-vp', 'openid4vp'];
    const names = walletEndpointFault('app://', { ...rules, schemes })?.match(/[a-z0-9-]+:/g);
    expect(names).toEqual(['https:', 'http:', 'openid4vp:', 'haip-vp:']);
  });
});

describe('withQueryParameters', () => {
  it.each([
    ['openid4vp://', 'openid4vp://?a=1%262&b=x'],
    ['https://wallet.example', 'https://wallet.example?a=1%262&b=x'],
    ['https://wallet.example/w?', 'https://wallet.example/w?a=1%262&b=x'],
    ['https://wallet.example/w?s=%20~', 'https://wallet.example/w?s=%20~&a=1%262&b=x'],
  ])('adds to %s', (endpoint, expected) =>
    expect(
      withQueryParameters(endpoint, [
        ['a', '1&2'],
        ['b', 'x'],
      ]),
    ).toBe(expected),
  );

  it('adds values of any kind so that a wallet reads exactly these', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).map((text) => Buffer.from(text).toString('utf8')),
        fc.constantFrom('openid4vp://', 'https://w.example/?x=1'),
        (value, endpoint) => {
          const read = new URL(withQueryParameters(endpoint, [['client_id', value]])).searchParams;
          expect(read.getAll('client_id')).toEqual([value]);
        },
      ),
    );
  });
});
