import { fastestMilliseconds, hostileUrls } from '@vestibule/testkit';
import { isLoopback, isUriReference, parseUrl, urlFault, webNameFault } from './index';

const faulty = expect.stringMatching(/^must /);

describe('an absolute URL', () => {
  it.each([
    'https://rp.example',
    'https://rp.example/',
    'https://rp.example?x=1',
    'https://rp.example/#part',
    'https://rp.example:8443/a/b%20c/?q=%C3%A4&r=a/b?c#d?e/f',
    'https://rp.example/%2f%2F//',
    "https://rp.example/a!$&'()*+,;=:@b",
    'http://127.0.0.1:3000/cb',
    'http://[2001:db8::1]/',
    'https://xn--bcher-kva.example/',
    'https://rp.example/%00%0D%0A',
    'eu.example.app:/return',
    'eu.example.app://return',
    'eu.example.app:return?x',
    'urn:ietf:params:oauth:jwk-thumbprint:sha-256:a_b',
    'did:web:host%3A8080',
    'mailto:security@vestibule.example',
    'data:image/svg+xml;base64,PHN2Zy8+',
    'postgres:///vestibule?host=/run/postgresql',
    'ftp://files.example/a',
  ])('%s is accepted as it is', (text) => {
    expect(urlFault(text)).toBeUndefined();
    expect(parseUrl(text)).toEqual(new URL(text));
  });

  it.each([
    ['carriage return', 'https://rp.example/a\rb'],
    ['line feed at the end', 'https://rp.example/\n'],
    ['line feed in the host', 'https://rp.exa\nmple/'],
    ['tab in the scheme', 'ht\ttps://rp.example/'],
    ['NUL', 'https://rp.example/\0'],
    ['blank', 'https://rp.example/a b'],
    ['blank before it', ' https://rp.example/'],
    ['blank behind it', 'https://rp.example/ '],
    ['no-break space', 'https://rp.example/\u00A0'],
    ['byte order mark', '\uFEFFhttps://rp.example/'],
    ['DEL', 'https://rp.example/\x7F'],
    ['C1 control character', 'https://rp.example/\x85'],
    ['line separator', 'https://rp.example/\u2028'],
    ['half surrogate', 'https://rp.example/\uD800'],
    ['backslashes for slashes', 'https:\\\\rp.example\\'],
    ['backslash in the path', 'https://rp.example/a\\b'],
    ['backslash that ends the host', 'https://evil.example\\@rp.example/'],
    ['no slashes', 'https:rp.example/cb'],
    ['one slash', 'https:/rp.example/cb'],
    ['three slashes', 'https:///rp.example/cb'],
    ['no host', 'https://'],
    ['a port alone', 'https://:443/'],
    ['user information', 'https://rp.example@evil.example/'],
    ['a password', 'https://u:p@rp.example/'],
    ['empty user information', 'https://@rp.example/'],
    ['user information of an app', 'eu.example.app://u:p@return'],
    ['half a percent sign', 'https://rp.example/%2'],
    ['a percent sign alone', 'https://rp.example/100%'],
    ['a percent sign with other letters', 'https://rp.example/%zz'],
    ['a percent sign in the query', 'https://rp.example/?q=%G1'],
    ['a letter beyond ASCII', 'https://bücher.example/'],
    ['a look-alike of a dot', 'https://rp。example/'],
    ['full-width digits', 'https://①②⑦.0.0.1/'],
    ['angle brackets', 'https://rp.example/<a>'],
    ['quotation marks', 'https://rp.example/"a"'],
    ['curly brackets', 'https://rp.example/{id}'],
    ['a bar', 'https://rp.example/a|b'],
    ['square brackets in the query', 'https://rp.example/?a[0]=1'],
    ['two fragments', 'https://rp.example/#a#b'],
    ['upper-case scheme', 'HTTPS://rp.example/'],
    ['upper-case host', 'https://RP.example/'],
    ['the default port', 'https://rp.example:443/'],
    ['the default port of http', 'http://rp.example:80/'],
    ['an empty port', 'https://rp.example:/'],
    ['a port with zeros', 'https://rp.example:08443/'],
    ['a port beyond all', 'https://rp.example:65536/'],
    ['dot segments', 'https://rp.example/a/../b'],
    ['a dot segment', 'https://rp.example/./b'],
    ['encoded dot segments', 'https://rp.example/a/%2e%2E/b'],
    ['an encoded host', 'https://rp.ex%61mple/'],
    ['a decimal address', 'https://2130706433/'],
    ['a hexadecimal address', 'https://0x7f.1/'],
    ['an octal address', 'https://0177.0.0.1/'],
    ['a short address', 'https://127.1/'],
    ['an address that is none', 'https://1.2.3.4.5/'],
    ['a long IPv6 address', 'https://[2001:0db8:0:0:0:0:0:1]/'],
    ['a zone of IPv6', 'https://[fe80::1%25eth0]/'],
    ['an apostrophe in the query, which is serialised otherwise', "https://rp.example/?q='"],
    ['a relative path', '/cb'],
    ['a relative host', '//rp.example/cb'],
    ['a host alone', 'rp.example'],
    ['a host with a port, whose name is no scheme', '127.0.0.1:8080/cb'],
    ['nothing', ''],
    ['a scheme alone with two slashes for the path', 'urn://a:b:c'],
    ['2,049 characters', `https://rp.example/${'a'.repeat(2_030)}`],
  ])('%s is a fault, whose sentence does not repeat it', (_what, text) => {
    const fault = urlFault(text);
    expect(fault).toEqual(faulty);
    if (text.length > 8) expect(fault).not.toContain(text);
    expect(parseUrl(text)).toBeUndefined();
  });

  it.each([
    ['another scheme', 'http://rp.example/', { schemes: ['https'] }],
    ['a scheme of an object', 'constructor:a', { schemes: ['https'] }],
    ['every scheme where none is accepted', 'https://rp.example/', { schemes: [] }],
    ['a query', 'https://rp.example/?x', { query: 'refused' }],
    ['an empty query', 'https://rp.example/?', { query: 'refused' }],
    ['a fragment', 'https://rp.example/#x', { fragment: 'refused' }],
    ['an empty fragment', 'https://rp.example/#', { fragment: 'refused' }],
    ['more characters than the place takes', 'https://rp.example/', { maxLength: 18 }],
  ] as const)('%s is a fault where the place says so', (_what, text, rules) => {
    expect(urlFault(text, rules)).toEqual(faulty);
    expect(urlFault('https://rp.example/', {})).toBeUndefined();
  });

  it('a question mark in a fragment is no query, and a scheme may be of another case where it is no web address', () => {
    expect(urlFault('https://rp.example/#a?b', { query: 'refused' })).toBeUndefined();
    expect(urlFault('EU.example.App:/return', { schemes: ['eu.example.app'] })).toBeUndefined();
  });

  it('user information is accepted in connection strings', () => {
    const rules = { schemes: ['postgres'], userInformation: 'accepted' } as const;
    expect(urlFault('postgres://role:p%40ss;=w@host:5432/db?sslmode=verify-full', rules)).toBeUndefined();
    expect(urlFault('postgres://role:p@ss@host/db', rules)).toEqual(faulty);
    expect(urlFault('postgres://role:100%@host/db', rules)).toEqual(faulty);
  });

  it('takes long data: URIs where the place does, and answers a megabyte of anything at once', () => {
    const image = `data:image/png;base64,${'A'.repeat(1_000_000)}`;
    const work = () => {
      expect(urlFault(image, { maxLength: 1_048_576 })).toBeUndefined();
      expect(urlFault(`${image}%`, { maxLength: 1_048_576 })).toEqual(faulty);
      expect(urlFault(`https://${'%41'.repeat(300_000)}`, { maxLength: 1_048_576 })).toEqual(faulty);
      expect(urlFault(`https://${'@:'.repeat(300_000)}`, { maxLength: 1_048_576 })).toEqual(faulty);
      expect(urlFault(`https://a/${'/[?#'.repeat(200_000)}`, { maxLength: 1_048_576 })).toEqual(faulty);
      expect(isUriReference('/'.repeat(1_000_000))).toBe(false);
    };
    expect(fastestMilliseconds(work, 400)).toBeLessThan(400);
  });
});

describe('a URI reference', () => {
  it.each(['', '/a', 'a/b', '../c', '?q', '#f', '//other.example/a', 'https://OTHER.example:443/../a', 'a@b/c'])(
    '%j may be the target of a redirect',
    (text) => expect(isUriReference(text)).toBe(true),
  );

  it.each([
    '\\\\other.example/',
    '/\\other.example/',
    'https:\\\\other.example',
    '/a b',
    '/a\r\nSet-Cookie: x',
    '/\t/other.example/',
    '/%',
    '/ü',
    '//user@other.example/',
    'https://user:word@other.example/',
    '/a[0]',
    '1:a/b',
    'https:/user@other.example',
    'https:other.example',
    '///other.example/',
    'https:///other.example/',
    `/${'a'.repeat(2_048)}`,
  ])('%.40j may not', (text) => {
    expect(isUriReference(text)).toBe(false);
  });
});

describe('a name that is compared', () => {
  it.each([
    'https://issuer.example/tenant',
    'urn:eudi:pid:1',
    'CN=Example Authority, O=Somebody',
    'did:web:a',
    'Ausweis ä',
  ])('%s is accepted', (text) => expect(webNameFault(text)).toBeUndefined());

  it.each(hostileUrls('issuer.example').filter(([, text]) => /^\s*https?:/i.test(text)))(
    'is refused where it is a web address with %s',
    (_what, text) => expect(webNameFault(text)).toEqual(faulty),
  );
});

describe('a name with something in it that nobody sees', () => {
  it.each([
    'urn:eudi:pid:1 ',
    '\turn:eudi:pid:1',
    'urn:eudi:pid:1\n',
    'urn:eudi:pid:1\u00a0',
    'urn:eudi:pid:1\u200b',
    'urn:eudi:p\u00adid:1',
    '\ufeffurn:eudi:pid:1',
    ' ',
  ])('is refused, because it would match nothing: %j', (text) => expect(webNameFault(text)).toEqual(faulty));
});

describe('a loopback host', () => {
  it.each([
    ['http://localhost:3000/', true],
    ['http://127.0.0.1/', true],
    ['http://127.8.9.10/', true],
    ['http://[::1]:8080/', true],
    ['http://localhost.example/', false],
    ['http://127.0.0.1.example/', false],
    ['http://[::ffff:127.0.0.1]/', false],
    ['http://0.0.0.0/', false],
  ])('%s: %s', (text, expected) => {
    expect(isLoopback(new URL(text))).toBe(expected);
  });
});
