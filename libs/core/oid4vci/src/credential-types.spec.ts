import { createHash } from 'node:crypto';
import { describeWithVectors, readJsonVector, readVector } from '@vestibule/testkit';
import { CredentialTypesError, loadCredentialTypes } from './index';

const issuerUrl = 'https://c.example.com/issuer';
const load = (documents: Record<string, unknown>) =>
  loadCredentialTypes(
    Object.entries(documents).map(([configurationId, document]) => ({
      configurationId,
      bytes: Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)),
    })),
    issuerUrl,
  );

function faults(documents: Record<string, unknown>): Record<string, string[]> {
  try {
    load(documents);
    return {};
  } catch (error) {
    expect(error).toBeInstanceOf(CredentialTypesError);
    const entries = (error as CredentialTypesError).documents.map(
      (one) => [one.configurationId, one.faults.map(({ path }) => path)] as const,
    );
    return Object.fromEntries(entries);
  }
}

const BASE = 'urn:example:base';
const base = (claims: unknown[]) => ({ vct: BASE, claims });
const child = (claims: unknown[], more = {}) => ({ vct: 'urn:example:child', extends: BASE, claims, ...more });

describe('loadCredentialTypes', () => {
  it('VCI:M24 keeps the order of the files and the address as vct', () => {
    const types = load({ b: {}, a: {} });
    expect(types.map(({ configurationId, vct }) => [configurationId, vct])).toEqual([
      ['b', `${issuerUrl}/oidc4vci/types/b`],
      ['a', `${issuerUrl}/oidc4vci/types/a`],
    ]);
  });

  it('VCI:Y5 names every broken document, not just the first', () => {
    expect(faults({ a: { vct: 'A' }, b: {}, c: '{' })).toEqual({ a: ['vct'], c: [''] });
  });

  it('VCI:Y1 refuses one vct for two documents', () => {
    expect(faults({ a: { vct: BASE }, b: { vct: BASE } })).toEqual({ b: ['vct'] });
  });

  it('VCI:M24 refuses one configuration id for two documents', () => {
    const one = { configurationId: 'a', bytes: Buffer.from('{"vct":"urn:example:1"}') };
    const two = { configurationId: 'a', bytes: Buffer.from('{"vct":"urn:example:2"}') };
    expect(() => loadCredentialTypes([one, two], issuerUrl)).toThrow(CredentialTypesError);
  });
});

describe('loadCredentialTypes: extends', () => {
  it('VCI:Y6 inherits claims and display, whatever the order of the files', () => {
    const parent = { ...base([{ path: ['name'], mandatory: true }]), display: [{ locale: 'en', name: 'Base' }] };
    const [first] = load({ child: child([{ path: ['more'] }]), parent });
    expect(first?.claims.map(({ path }) => path)).toEqual([['name'], ['more']]);
    expect(first?.claims[0]).toMatchObject({ mandatory: true, sd: 'allowed' });
    expect(first?.display).toEqual([{ locale: 'en', name: 'Base' }]);
  });

  it('VCI:Y6 tightens sd and mandatory, and keeps what it does not speak of', () => {
    const parent = base([
      { path: ['a'], sd: 'always', mandatory: true },
      { path: ['b'] },
      { path: ['c'], sd: 'allowed', mandatory: false },
    ]);
    const own = child([
      { path: ['a'], display: [{ locale: 'en', label: 'A' }] },
      { path: ['b'], sd: 'never', mandatory: true },
      { path: ['c'], sd: 'always' },
    ]);
    const claims = load({ parent, own })[1]?.claims;
    expect(claims?.map(({ sd, mandatory }) => [sd, mandatory])).toEqual([
      ['always', true],
      ['never', true],
      ['always', false],
    ]);
    expect(claims?.[0]?.display).toEqual([{ locale: 'en', label: 'A' }]);
  });

  it.each<[string, unknown, unknown, string]>([
    ['always to allowed', { path: ['a'], sd: 'always' }, { path: ['a'], sd: 'allowed' }, 'claims[0].sd'],
    ['always to never', { path: ['a'], sd: 'always' }, { path: ['a'], sd: 'never' }, 'claims[0].sd'],
    ['never to always', { path: ['a'], sd: 'never' }, { path: ['a'], sd: 'always' }, 'claims[0].sd'],
    [
      'mandatory to optional',
      { path: ['a'], mandatory: true },
      { path: ['a'], mandatory: false },
      'claims[0].mandatory',
    ],
    ['an array to an object', { path: ['a', null] }, { path: ['a', 'b'] }, 'claims[0].path'],
    ['all elements to one', { path: ['a', null] }, { path: ['a', 0] }, 'claims[0].path'],
    ['the svg_id of another claim', { path: ['a'], svg_id: 'x' }, { path: ['b'], svg_id: 'x' }, 'claims'],
  ])('VCI:Y6 refuses to change %s', (_what, inherited, own, path) => {
    expect(faults({ parent: base([inherited]), own: child([own]) })).toEqual({ own: [path] });
  });

  it('VCI:Y6 refuses a type that extends itself, directly or through others', () => {
    const ring = (name: string, next: string) => ({ vct: `urn:example:${name}`, extends: `urn:example:${next}` });
    expect(faults({ a: ring('a', 'a') })).toEqual({ a: ['extends'] });
    const found = faults({ a: ring('a', 'b'), b: ring('b', 'c'), c: ring('c', 'a'), free: {} });
    expect(Object.keys(found).length).toBeGreaterThan(0);
    expect(Object.keys(found)).not.toContain('free');
    expect(Object.values(found).flat()).toEqual(Object.keys(found).map(() => 'extends'));
  });

  it('VCI:Y6 refuses to extend what is not loaded', () => {
    expect(faults({ own: child([]) })).toEqual({ own: ['extends'] });
  });

  it('VCI:Y3 holds extends#integrity against the bytes that are served', () => {
    const parent = JSON.stringify(base([]));
    const hash = (name: string) => `${name}-${createHash(name).update(parent).digest('base64')}`;
    const withIntegrity = (integrity: string) => ({
      parent,
      own: child([], { 'extends#integrity': integrity }),
    });
    expect(faults(withIntegrity(hash('sha256')))).toEqual({});
    expect(faults(withIntegrity(`sha256-AAAA ${hash('sha384')}?x`))).toEqual({});
    expect(faults(withIntegrity('sha256-AAAA'))).toEqual({ own: ['extends#integrity'] });
    expect(faults(withIntegrity(`${hash('sha256')} sha512-AAAA`))).toEqual({ own: ['extends#integrity'] });
    expect(faults(withIntegrity('md5-AAAA'))).toEqual({ own: ['extends#integrity'] });
  });
});

describe('the claims of a type that get a disclosure of their own', () => {
  const listed = (count: number, more: object = {}, prefix = 'c') =>
    Array.from({ length: count }, (_, at) => ({ path: [`${prefix}${at}`], ...more }));

  it('VCI:V18 VCI:Y5 are at most as many as a credential may have, and the others are none', () => {
    const others = [...listed(100, { sd: 'never' }, 'plain'), { path: ['iat'], sd: 'never' }, { path: ['sub'] }];
    expect(faults({ card: { claims: [...listed(500), ...others] } })).toEqual({});
    expect(faults({ card: { claims: listed(501, { sd: 'always' }) } })).toEqual({ card: ['claims'] });
    expect(faults({ card: { claims: [...listed(400), ...listed(101, { sd: 'always' }, 'd')] } })).toEqual({
      card: ['claims'],
    });
  });

  it('VCI:V18 VCI:Y6 count with those that are inherited, as they are in the end', () => {
    const parent = base(listed(300));
    expect(faults({ parent, own: child(listed(200, {}, 'd')) })).toEqual({});
    expect(faults({ parent, own: child(listed(201, {}, 'd')) })).toEqual({ own: ['claims'] });
    expect(faults({ parent, own: child([...listed(1, { sd: 'never' }), ...listed(201, {}, 'd')]) })).toEqual({});
  });

  it('VCI:V18 VCI:Y5 are named with their number and the remedy', () => {
    try {
      load({ card: { claims: listed(777) } });
      throw new Error('accepted');
    } catch (error) {
      const [fault] = (error as CredentialTypesError).faults;
      expect(fault?.message).toMatch(/777.*500.*"sd": "never"/);
    }
  });
});

describeWithVectors('loadCredentialTypes on the example of SD-JWT VC §9.5.1', () => {
  it('VCI:Y6 gets the printed effective claims', () => {
    const read = (name: string) => readVector(`issuer/sd-jwt-vc/inline/${name}.json`);
    const types = load({
      custom: read('example-child-type-metadata'),
      base: read('example-base-type-metadata'),
    });
    const expected = readJsonVector('issuer/sd-jwt-vc/inline/effective-claim-metadata-child-type.json');
    expect({ claims: types[0]?.claims.map(({ path, display }) => ({ path, display })) }).toEqual(expected);
  });
});
