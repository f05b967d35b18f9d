import fc from 'fast-check';
import { isUriReference, parseUrl, urlFault } from './index';

/** RFC 3986 appendix B, another reader than the one under test. */
const APPENDIX_B = /^(([^:/?#]+):)?(\/\/([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?$/s;
const BASE = new URL('https://base.example/a/b?c');

const hostile = fc.constantFrom(
  ...Array.from({ length: 33 }, (_, code) => String.fromCharCode(code)),
  ...'\x7F\x80\x85\xA0\u1680\u2000\u2028\u2029\u202E\u3000\uFEFF\uFF0F\u3002\uD800\uDC00"<>\\^`{|}',
  'ü',
  '\u{1F600}',
);
/** Serialised web URLs, as backends write them when all is well. */
const webUrl = fc
  .webUrl({ withQueryParameters: true, withFragments: true })
  .map((text) => new URL(text).href)
  .filter((text) => urlFault(text) === undefined);
const piece = fc.oneof(
  fc.constantFrom('https:', 'http:', 'HTTPS:', 'app:', 'javascript:', '/', '//', '\\', '@', ':', '?', '#', '%', '%2e'),
  fc.constantFrom(
    '..',
    '.',
    '[',
    ']',
    '[::1]',
    '127.0.0.1',
    '0x7f',
    '2130706433',
    'rp.example',
    '443',
    ' ',
    '\t',
    '\n',
  ),
  fc.string({ maxLength: 3 }),
  fc.string({ unit: 'binary', maxLength: 2 }),
);
const assembled = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const anything = fc.oneof(
  assembled,
  assembled.map((text) => `https://${text}`),
  fc.string({ unit: 'binary' }),
  fc.webUrl(),
);

describe('urlFault', () => {
  it('answers every text, and lets no reader see another host, path or query than another', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const url = parseUrl(text, { schemes: ['https', 'http'] });
        if (url === undefined) return expect(urlFault(text, { schemes: ['https', 'http'] })).toMatch(/^must /);
        const [, , scheme, , authority, path, query = '', , , fragment] = APPENDIX_B.exec(text) ?? [];
        expect([scheme, authority]).toEqual([url.protocol.slice(0, -1), url.host]);
        expect([path === '' ? '/' : path, query === '?' ? '' : query]).toEqual([url.pathname, url.search]);
        expect(fragment ?? '').toBe(url.hash.slice(1));
        expect([url.username, url.password]).toEqual(['', '']);
        expect(text).toMatch(/^[\x21-\x7E]+$/);
      }),
    );
  });

  it('takes serialised web URLs that hold characters of a URI only', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (text) => {
        const { href } = new URL(text);
        if (/^[A-Za-z0-9\-._~:/?#@!$&()*+,;=%]*$/.test(href) && !/%(?![0-9A-F]{2})/i.test(href)) {
          expect(urlFault(href)).toBeUndefined();
        }
      }),
    );
  });

  it('refuses a good URL with one foreign character anywhere in it', () => {
    fc.assert(
      fc.property(webUrl, hostile, fc.nat(), (text, character, position) => {
        const at = position % (text.length + 1);
        expect(urlFault(`${text.slice(0, at)}${character}${text.slice(at)}`)).toBeDefined();
      }),
    );
  });

  it('refuses a good URL with user information before its host', () => {
    fc.assert(
      fc.property(webUrl, fc.stringMatching(/^[\w:.%-]{0,20}$/), (text, information) => {
        expect(urlFault(text.replace('://', `://${information}@`))).toBeDefined();
      }),
    );
  });
});

describe('isUriReference', () => {
  it('answers every text, and what it takes leads to the host that the text shows', () => {
    fc.assert(
      fc.property(anything, (text) => {
        if (!isUriReference(text) || !URL.canParse(text, BASE.href)) return;
        const url = new URL(text, BASE);
        const [, , scheme, , authority] = APPENDIX_B.exec(text) ?? [];
        expect([url.username, url.password]).toEqual(['', '']);
        if (authority === undefined && scheme === undefined) expect(url.origin).toBe(BASE.origin);
        if (authority !== undefined && scheme === undefined)
          expect(url.host).toBe(new URL(`https://${authority}`).host);
      }),
    );
  });
});
