import fc from 'fast-check';
import { ProcessingFailure } from '@vestibule/foundation';
import { hostileUrls } from '@vestibule/testkit';
import { createTargetParser } from './egress-url';

const parse = createTargetParser([]);
const code = (expected: string) => expect.objectContaining({ code: expected, kind: 'unavailable' });

describe('an address that a stranger chose', () => {
  it('VP:Q5 may be https on a public host', () => {
    for (const text of ['https://issuer.example/a?b=c', 'https://1.1.1.1/', 'https://[2606:4700::1]:8443/']) {
      expect(parse(text)).toEqual({ url: new URL(text), isDevelopment: false });
    }
    expect(parse('https://issuer.example/list#part').url.href).toBe('https://issuer.example/list');
  });

  it.each([
    'http://issuer.example/',
    'ftp://issuer.example/',
    'file:///etc/passwd',
    'data:,x',
    'javascript:1',
    'https:',
    'https://',
    '/list',
    '',
    'issuer.example',
    'https://user@issuer.example/',
    'https://user:word@issuer.example/',
    'https://:word@issuer.example/',
    'https://issuer.example:99999/',
    'https://1.2.3.4.5/',
    'https://0x100000000/',
    `https://issuer.example/${'a'.repeat(2048)}`,
  ])('VP:Q5 must not be %.40j', (text) => {
    expect(() => parse(text)).toThrow(code('egress_refused_url'));
  });

  it.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://[::]/',
    'https://localhost/',
    'https://localhost./',
    'https://app.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://nats/',
    'https://router.home.arpa../',
    'https://home.arpa/',
    'https://db.localdomain/',
  ])('VP:Q5 must not lead to a local host: %s', (text) => {
    expect(() => parse(text)).toThrow(code('egress_refused_address'));
  });

  it.each([
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://0/',
    'https://LOCALHOST./',
  ])('VP:Q5 VP:O18 must not spell a local host otherwise, and a redirect to it is refused too: %s', (text) => {
    const from = parse('https://issuer.example/');
    expect(() => parse(text)).toThrow(code('egress_refused_url'));
    expect(() => parse(text, { from })).toThrow(code('egress_refused_address'));
    expect(() => parse(text.slice('https:'.length), { from })).toThrow(code('egress_refused_address'));
  });

  it.each([...hostileUrls('issuer.example'), ['other digits', 'https://①②⑦.0.0.1/'] as const])(
    'VP:Q5 must not have %s',
    (_what, text) => expect(() => parse(text)).toThrow(code('egress_refused_url')),
  );

  it.each([
    '/a b',
    '/a\r\nb',
    '\\\\other.example/',
    '/\\other.example/',
    'https:other.example',
    '///other.example/',
    '//user@other.example/',
    '/%',
    '/ä',
  ])('VP:O18 a redirect must not lead to %j, which is no URI', (text) => {
    const from = parse('https://issuer.example/');
    expect(() => parse(text, { from })).toThrow(code('egress_refused_url'));
  });

  it('VP:O18 is read relative to where a redirect came from, under the same rules', () => {
    const from = parse('https://issuer.example/a/b');
    expect(parse('../c', { from }).url.href).toBe('https://issuer.example/c');
    expect(parse('//other.example/', { from }).url.href).toBe('https://other.example/');
    expect(() => parse('http://other.example/', { from })).toThrow(code('egress_refused_url'));
    expect(() => parse('//127.0.0.1/', { from })).toThrow(code('egress_refused_address'));
  });

  it('VP:Q5 VP:N11 may be http where the caller takes signed documents that way, and still must be public', () => {
    const target = parse('http://crl.example/1.crl', { allowHttp: true });
    expect(target).toEqual({ url: new URL('http://crl.example/1.crl'), isDevelopment: false });
    expect(parse('/2.crl', { from: target, allowHttp: true }).url.href).toBe('http://crl.example/2.crl');
    expect(() => parse('/2.crl', { from: target })).toThrow(code('egress_refused_url'));
    for (const text of ['ftp://crl.example/', 'http://user@crl.example/']) {
      expect(() => parse(text, { allowHttp: true })).toThrow(code('egress_refused_url'));
    }
    for (const text of ['http://127.0.0.1/', 'http://[::ffff:7f00:1]/', 'http://10.0.0.1/', 'http://localhost/']) {
      expect(() => parse(text, { allowHttp: true })).toThrow(code('egress_refused_address'));
    }
  });

  it('VP:Q5 any text gives a target or a typed error', () => {
    const hostile = fc.oneof(
      fc.webUrl(),
      fc.string(),
      fc.string().map((text) => `https://${text}`),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        try {
          expect(parse(text).url.protocol).toBe('https:');
        } catch (error) {
          expect(error).toBeInstanceOf(ProcessingFailure);
        }
      }),
    );
  });

  it('VP:Q5 is not repeated in the error', () => {
    try {
      parse('http://issuer.example/?canary');
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toMatch(/canary|issuer/);
    }
    expect.assertions(1);
  });
});

describe('the development allow-list', () => {
  const development = createTargetParser(['localhost:3000', '[::1]:3001', 'ISSUER.test', '127.0.0.1:443']);

  it.each([
    'http://localhost:3000/list',
    'https://localhost:3000/list',
    'http://[::1]:3001/',
    'http://issuer.test/',
    'https://issuer.test/',
    'https://127.0.0.1/',
  ])('VP:Q5 admits %s', (text) => {
    expect(development(text).isDevelopment).toBe(true);
  });

  it.each([
    ['http://localhost:3001/', 'egress_refused_url'],
    ['https://localhost/', 'egress_refused_address'],
    ['https://127.0.0.1:3000/', 'egress_refused_address'],
    ['http://127.0.0.1/', 'egress_refused_url'],
    ['http://user@localhost:3000/', 'egress_refused_url'],
    ['ftp://localhost:3000/', 'egress_refused_url'],
    ['http://issuer.test:8080/', 'egress_refused_url'],
    ['http://issuer.test.example/', 'egress_refused_url'],
  ])('VP:Q5 does not admit %s', (text, expected) => {
    expect(() => development(text)).toThrow(code(expected));
  });

  it.each(['', 'http://localhost', 'localhost/path', 'user@localhost', 'local host', 'localhost:999999'])(
    'VP:Q5 refuses the entry %j',
    (host) => {
      expect(() => createTargetParser([host])).toThrow(RangeError);
    },
  );
});
