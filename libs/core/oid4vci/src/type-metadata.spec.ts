import { createHash } from 'node:crypto';
import type { JsonObject } from '@vestibule/foundation';
import { describeWithVectors, hostileUrls, readVector } from '@vestibule/testkit';
import { parseTypeMetadata, TypeMetadataError } from './index';

const issuerUrl = 'https://c.example.com/issuer';
const servedAt = `${issuerUrl}/oidc4vci/types/pid`;
const context = { configurationId: 'pid', servedAt, issuerUrl };
const bytesOf = (document: unknown) => Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
const parse = (document: unknown, changes = {}) => parseTypeMetadata(bytesOf(document), { ...context, ...changes });
const served = (document: unknown) => Buffer.from(parse(document).bytes).toString('utf8');

function faultPaths(document: unknown, changes = {}): string[] {
  try {
    parse(document, changes);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(TypeMetadataError);
    expect(error).toMatchObject({ code: 'type_metadata_invalid', configurationId: expect.any(String) });
    return (error as TypeMetadataError).faults.map((fault) => fault.path);
  }
}
const claim = (changes: JsonObject) => ({ claims: [{ path: ['a'], ...changes }] });
const display = (changes: JsonObject) => ({ display: [{ locale: 'en', name: 'PID', ...changes }] });

describe('parseTypeMetadata: the served bytes', () => {
  it('VCI:Y7 VCI:Y3 serves the bytes as they are, unknown members, order and white space included', () => {
    const text = `{ "zz": {"b":1,"a":[1.0]},\n  "vct":"urn:example:pid:1" ,"claims":[]}\n`;
    const { bytes, integrity, vct } = parse(text);
    expect(Buffer.from(bytes).toString('utf8')).toBe(text);
    expect(vct).toBe('urn:example:pid:1');
    expect(integrity).toBe(`sha256-${createHash('sha256').update(text).digest('base64')}`);
  });

  it('VCI:Y3 another order of members is another document', () => {
    const one = parse('{"vct":"urn:example:pid:1","name":"x"}').integrity;
    expect(parse('{"name":"x","vct":"urn:example:pid:1"}').integrity).not.toBe(one);
    expect(one).toMatch(/^sha256-[A-Za-z0-9+/]{43}=$/);
  });

  it('VCI:Y1 without vct, the address is the vct and is put in front of what is there', () => {
    expect(parse('{}').vct).toBe(servedAt);
    expect(served('{}')).toBe(`{"vct":"${servedAt}"}`);
    expect(served(' { "x": 1.0 }\n')).toBe(` {"vct":"${servedAt}", "x": 1.0 }\n`);
  });

  it('VCI:Y4 takes lang for locale, and serves locale', () => {
    const old = {
      extra: 1,
      display: [{ lang: 'de', name: 'PID', more: true }],
      claims: [{ path: ['a'], display: [{ lang: 'de', label: 'A' }] }, { path: ['b'] }],
    };
    const metadata = parse(old);
    expect(metadata.display).toEqual([{ locale: 'de', name: 'PID' }]);
    expect(metadata.claims[0]?.display).toEqual([{ locale: 'de', label: 'A' }]);
    expect(JSON.parse(served(old))).toEqual({
      vct: servedAt,
      extra: 1,
      display: [{ locale: 'de', name: 'PID', more: true }],
      claims: [{ path: ['a'], display: [{ locale: 'de', label: 'A' }] }, { path: ['b'] }],
    });
  });

  it('VCI:Y4 leaves lang alone where locale is there too', () => {
    const text = '{"display":[{"lang":"de","locale":"en","name":"PID"}]}';
    expect(parse(text).display[0]?.locale).toBe('en');
    expect(served(text)).toContain('"lang":"de"');
  });
});

describe('parseTypeMetadata: vct and document', () => {
  it.each(['urn:eudi:pid:de:1', 'https://types.example.org/pid/1', servedAt])('VCI:Y2 takes vct %s', (vct) => {
    expect(parse({ vct }).vct).toBe(vct);
  });

  it.each<[string, unknown]>([
    ['a bare word', 'PID'],
    ['http', 'http://types.example.org/pid'],
    ['a number', 1],
    ['an empty text', ''],
    ['another address of this issuer', `${issuerUrl}/oidc4vci/types/other`],
    ['the issuer itself', issuerUrl],
    ['a URN without content', 'urn:example:'],
    ['null', null],
    ['an object that cannot be text', { toString: 0 }],
  ])('VCI:Y2 VCI:Y1 refuses %s as vct', (_what, vct) => {
    expect(faultPaths({ vct })).toEqual(['vct']);
  });

  it.each<[string, string | Buffer]>([
    ['text that is not JSON', 'vct'],
    ['an array', '[]'],
    ['a member that occurs twice', '{"name":"a","name":"b"}'],
    ['a byte order mark', '\uFEFF{}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('VCI:Y7 refuses %s', (_what, content) => {
    expect(() => parseTypeMetadata(Buffer.from(content), context)).toThrow(TypeMetadataError);
  });

  it.each(['', '.', '..', 'a/b', 'a b', 'ä', 'a"b', 'x'.repeat(257)])(
    'VCI:M12 refuses %j as configuration id: it must do as scope and as part of an address',
    (configurationId) => expect(faultPaths({}, { configurationId })).toEqual(['']),
  );

  it('VCI:Y7 names every number that would become another one', () => {
    const bytes = Buffer.from('{"vct":"urn:a","a":1e999,"b":[9007199254740993]}');
    const faults = [expect.objectContaining({ path: 'a' }), expect.objectContaining({ path: 'b[0]' })];
    expect(() => parseTypeMetadata(bytes, context)).toThrow(expect.objectContaining({ faults }));
  });

  it('VCI:Y5 names every fault, each with its path', () => {
    const document = { vct: 'PID', extends: 1, display: {}, claims: [{ path: [] }, 7, { path: ['b'], sd: 'no' }] };
    expect(faultPaths(document)).toEqual(['vct', 'extends', 'display', 'claims[0].path', 'claims[1]', 'claims[2].sd']);
  });
});

describe('parseTypeMetadata: display', () => {
  it.each<[string, unknown, string]>([
    ['VCI:Y4 an entry without locale', { display: [{ name: 'PID' }] }, 'display[0].locale'],
    ['VCI:Y4 an entry without name', { display: [{ locale: 'en' }] }, 'display[0].name'],
    ['VCI:M10 a locale that is none', { display: [{ locale: 'english language', name: 'x' }] }, 'display[0].locale'],
    [
      'VCI:M10 a locale that occurs twice',
      {
        display: [
          { locale: 'DE', name: 'x' },
          { locale: 'de', name: 'y' },
        ],
      },
      'display[1].locale',
    ],
    ['VCI:Y4 an entry that is no object', { display: ['PID'] }, 'display[0]'],
    [
      'VCI:Y4 a claim display with name',
      claim({ display: [{ locale: 'en', name: 'A' }] }),
      'claims[0].display[0].label',
    ],
    [
      'VCI:Y9 VCI:M23 an http logo',
      display({ rendering: { simple: { logo: { uri: 'http://x.example/l.png' } } } }),
      'display[0].rendering.simple.logo.uri',
    ],
    [
      'VCI:M10 a logo without uri',
      display({ rendering: { simple: { logo: {} } } }),
      'display[0].rendering.simple.logo.uri',
    ],
    [
      'VCI:Y9 an http background',
      display({ rendering: { simple: { background_image: { uri: 'http://x.example/b.png' } } } }),
      'display[0].rendering.simple.background_image.uri',
    ],
    ['VCI:Y9 a rendering of text', display({ rendering: 'simple' }), 'display[0].rendering'],
    [
      'VCI:Y9 an http SVG template',
      display({ rendering: { svg_templates: [{ uri: 'http://x.example/t.svg' }] } }),
      'display[0].rendering.svg_templates[0].uri',
    ],
    ...hostileUrls('x.example').flatMap(([what, uri]): [string, unknown, string][] => [
      [
        `VCI:Y9 a logo whose address has ${what}`,
        display({ rendering: { simple: { logo: { uri } } } }),
        'display[0].rendering.simple.logo.uri',
      ],
      [`VCI:Y2 a vct with ${what}`, { vct: uri }, 'vct'],
    ]),
    ['VCI:Y2 a URN with a blank', { vct: 'urn:example:a b' }, 'vct'],
    ['VCI:Y2 a URN with a backslash', { vct: 'urn:example:a\\b' }, 'vct'],
    ['VCI:Y6 an address with a blank that is extended', { extends: 'https://x.example/a b' }, 'extends'],
    ['VCI:Y6 an address with a user that is extended', { extends: 'https://u@x.example/a' }, 'extends'],
    [
      'VCI:Y9 a data: URI with a blank',
      display({ rendering: { simple: { logo: { uri: 'data:image/svg+xml,<svg xmlns="x"/>' } } } }),
      'display[0].rendering.simple.logo.uri',
    ],
    [
      'VCI:Y4 a color that is no text',
      display({ rendering: { simple: { text_color: 7 } } }),
      'display[0].rendering.simple.text_color',
    ],
    ...['red', '#12', '#12345', '12107c', '#12107g', 'rgb(1,2)', 'url(x)', '#fff;x'].map(
      (color): [string, unknown, string] => [
        `18.15 the color ${color}`,
        display({ rendering: { simple: { background_color: color } } }),
        'display[0].rendering.simple.background_color',
      ],
    ),
    ...['data:text/html,x', 'data:,x', 'data:image/x;base64,AA', 'data:application/json,{}'].map(
      (uri): [string, unknown, string] => [
        `18.15 the image ${uri}`,
        display({ rendering: { simple: { logo: { uri } } } }),
        'display[0].rendering.simple.logo.uri',
      ],
    ),
  ])('refuses %s', (_what, document, path) => {
    expect(faultPaths(document)).toEqual([path]);
  });

  it.each(['#fff', '#12107C', '#12107c80', 'rgb(18, 16, 124)', 'rgba(18,16,124,0.5)', 'rgb(7% 6% 49% / 50%)'])(
    '18.15 takes the color %s',
    (color) => {
      const rendering = { simple: { background_color: color, text_color: color } };
      expect(parse(display({ rendering })).display[0]).toMatchObject({ backgroundColor: color, textColor: color });
    },
  );

  it('VCI:Y9 asks for properties where there are two SVG templates', () => {
    const template = { uri: 'https://x.example/t.svg' };
    const two = display({ rendering: { svg_templates: [{ ...template, properties: {} }, template] } });
    expect(faultPaths(two)).toEqual(['display[0].rendering.svg_templates[1].properties']);
  });

  it('VCI:Y9 takes data: URIs', () => {
    const logo = { uri: 'data:image/png;base64,AAAA', alt_text: '' };
    expect(parse(display({ rendering: { simple: { logo } } })).display[0]?.logo).toEqual({ uri: logo.uri });
  });
});

describe('parseTypeMetadata: claims', () => {
  it.each<[string, unknown, string]>([
    ['VCI:M18 claims as an object', { claims: { a: {} } }, 'claims'],
    ['VCI:M19 a path that is empty', { claims: [{ path: [] }] }, 'claims[0].path'],
    ['VCI:M19 a path that is missing', { claims: [{}] }, 'claims[0].path'],
    ['VCI:M19 a path that starts with null', { claims: [{ path: [null] }] }, 'claims[0].path'],
    ['VCI:M19 a negative index', { claims: [{ path: ['a', -1] }] }, 'claims[0].path'],
    ['VCI:M19 a fractional index', { claims: [{ path: ['a', 0.5] }] }, 'claims[0].path'],
    ['VCI:M19 a path of 17 parts', { claims: [{ path: Array(17).fill('a') }] }, 'claims[0].path'],
    ['VCI:M19 a path that occurs twice', { claims: [{ path: ['a'] }, { path: ['a'] }] }, 'claims[1].path'],
    ['VCI:M19 null and index on one array', { claims: [{ path: ['a', null] }, { path: ['a', 0] }] }, 'claims[1].path'],
    ['VCI:M19 array and object', { claims: [{ path: ['a', null] }, { path: ['a', 'b'] }] }, 'claims[1].path'],
    ['VCI:M19 object and array', { claims: [{ path: ['a', 'b'] }, { path: ['a', 0, 'c'] }] }, 'claims[1].path'],
    ['VCI:V16 a name of SD-JWT', { claims: [{ path: ['a', '_sd'] }] }, 'claims[0].path'],
    ['VCI:Y5 another sd', claim({ sd: 'sometimes' }), 'claims[0].sd'],
    ['VCI:Y5 a mandatory of text', claim({ mandatory: 'true' }), 'claims[0].mandatory'],
    ['VCI:Y5 an svg_id that starts with a digit', claim({ svg_id: '1a' }), 'claims[0].svg_id'],
    [
      'VCI:Y5 an svg_id that occurs twice',
      {
        claims: [
          { path: ['a'], svg_id: 'x' },
          { path: ['b'], svg_id: 'x' },
        ],
      },
      'claims[1].svg_id',
    ],
    [
      'VCI:V19 a mandatory claim that is never issued',
      { claims: [{ path: ['nbf'], mandatory: true }] },
      'claims[0].mandatory',
    ],
  ])('refuses %s', (_what, document, path) => {
    expect(faultPaths(document)).toEqual([path]);
  });

  it.each(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts', 'sub', 'iat'])(
    'VCI:V4 VCI:V5 refuses sd always on %s and its sub-claims',
    (name) => {
      expect(faultPaths({ claims: [{ path: [name], sd: 'always' }] })).toEqual(['claims[0].sd']);
      expect(faultPaths({ claims: [{ path: [name, 'x'], sd: 'always' }] })).toEqual(['claims[0].sd']);
      expect(faultPaths({ claims: [{ path: [name], sd: 'never' }] })).toEqual([]);
    },
  );
});

describeWithVectors('parseTypeMetadata on the example of SD-JWT VC', () => {
  it('VCI:V18 reads education_credential v42', () => {
    const text = readVector('issuer/sd-jwt-vc/inline/example-type-metadata.json');
    const metadata = parse(text);
    expect(metadata.vct).toBe('https://betelgeuse.example.com/education_credential/v42');
    expect(metadata.claims.map(({ sd }) => sd)).toEqual([
      'always',
      'always',
      'always',
      'never',
      'always',
      'never',
      'always',
    ]);
    expect(metadata.claims[2]?.svgId).toBe('address_street_address');
    expect(metadata.display[0]).toMatchObject({ locale: 'en-US', backgroundColor: '#12107c', textColor: '#FFFFFF' });
    expect(Buffer.from(metadata.bytes).toString('utf8')).toBe(text);
  });
});
