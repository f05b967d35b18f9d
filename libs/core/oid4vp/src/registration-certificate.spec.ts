import { parseDcqlQuery } from '@vestibule/dcql';
import { encodeBase64url, type JsonObject, type JsonValue } from '@vestibule/foundation';
import fc from 'fast-check';
import { parseRegistrationCertificate, unregisteredClaims } from './index';

const VCT = 'urn:eudi:pid:1';
const HEADER = { typ: 'rc-wrp+jwt', alg: 'ES256', x5c: ['AA=='] };
const part = (value: JsonValue) => encodeBase64url(Buffer.from(JSON.stringify(value)));
const jwtOf = (claims: JsonValue, header: JsonValue = HEADER) => `${part(header)}.${part(claims)}.c2ln`;
const registered = (more: JsonObject = {}) => ({ format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, ...more });
const certifying = (...credentials: JsonValue[]) => jwtOf({ credentials });

function parsed(text: string) {
  const result = parseRegistrationCertificate(text);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.certificate;
}
function faultsOf(text: string) {
  const result = parseRegistrationCertificate(text);
  if (result.ok) throw new Error('it was accepted');
  return result.faults.map(({ path }) => path);
}

describe('18.5 a registration certificate', () => {
  it('is kept as it is, with its intended use and its end', () => {
    const jwt = jwtOf({ credentials: [registered()], intended_use_id: 'use-1', exp: 1_900_000_000 });
    expect(parsed(`${jwt}\n`)).toMatchObject({
      jwt,
      intendedUseId: 'use-1',
      expiresAt: new Date(1_900_000_000_000),
      credentials: [{ format: 'dc+sd-jwt', vctValues: [VCT], paths: undefined }],
    });
    expect(parsed(certifying(registered()))).toMatchObject({ intendedUseId: undefined, expiresAt: undefined });
  });

  it.each([
    ['a type alone, names alone and "claim", as in the tables', { meta: VCT, claim: [{ path: 'a' }] }],
    ['paths and "claims", as in DCQL', { claims: [{ path: ['a'] }] }],
    ['one type as vct', { meta: { vct: VCT }, claim: [{ path: ['a'] }] }],
  ])('may have %s', (_form, more) => {
    expect(parsed(certifying(registered(more))).credentials).toEqual([
      { format: 'dc+sd-jwt', vctValues: [VCT], paths: [['a']] },
    ]);
  });

  it('may register mdocs beside', () => {
    const mdoc = { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } };
    expect(parsed(certifying(mdoc, registered())).credentials.map(({ vctValues }) => vctValues)).toEqual([[], [VCT]]);
  });

  it.each([
    ['no JWT', 'x', ['']],
    ['four parts', `${certifying(registered())}.AA`, ['']],
    ['no signature', certifying(registered()).replace('c2ln', ''), ['']],
    ['too long', `${certifying(registered())}${'A'.repeat(65_536)}`, ['']],
    ['no JSON', `e.e.c2ln`, ['header', 'payload']],
    ['another type of JWT', jwtOf({ credentials: [registered()] }, { ...HEADER, typ: 'JWT' }), ['header.typ']],
    ['no chain', jwtOf({ credentials: [registered()] }, { ...HEADER, x5c: [] }), ['header.x5c']],
    ['nothing registered', jwtOf({ entitlements: [] }), ['payload.credentials']],
    ['a credential without format', certifying({ meta: VCT }), ['payload.credentials[0].format']],
    ['a claim without path', certifying(registered({ claim: [{}] })), ['payload.credentials[0].claim[0].path']],
    [
      'a path with a fraction',
      certifying(registered({ claims: [{ path: ['a', 0.5] }] })),
      ['payload.credentials[0].claims[0].path'],
    ],
    ['an end that is no time', jwtOf({ credentials: [registered()], exp: '2030' }), ['payload.exp']],
  ])('is faulty with %s', (_what, text, paths) => {
    expect(faultsOf(text)).toEqual(paths);
  });

  it('of any bytes is read or refused, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (header, claims, text) => {
        const read = parseRegistrationCertificate(`${part(header as JsonValue)}.${part(claims as JsonValue)}.c2ln`);
        expect(typeof read.ok).toBe('boolean');
        expect(parseRegistrationCertificate(text).ok).toBe(false);
        const credentials = parseRegistrationCertificate(jwtOf({ credentials: claims as JsonValue }));
        expect(typeof credentials.ok).toBe('boolean');
      }),
    );
  });
});

describe('18.5 what is not registered', () => {
  const other = 'urn:example:other:1';
  function missing(registrations: JsonValue[], claims: JsonValue[] | undefined, types: string[] = [VCT]) {
    const credential = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: types }, ...(claims ? { claims } : {}) };
    const query = parseDcqlQuery({ credentials: [credential] });
    if (!query.ok) throw new Error(JSON.stringify(query.faults));
    return unregisteredClaims(query.query, parsed(certifying(...registrations)).credentials);
  }
  const paths = (...listed: JsonValue[]) => listed.map((path) => ({ path }));
  const claim = (index: number) => `dcql_query.credentials[0].claims[${index}]`;

  it.each([
    ['all claims', [registered()], paths(['a'], ['b', 'c'])],
    ['the same claims', [registered({ claim: paths('a', ['b', 'c']) })], paths(['a'], ['b', 'c'])],
    ['what contains them', [registered({ claim: paths('b') })], paths(['b', 'c'], ['b', null], ['b', 0])],
    ['all elements', [registered({ claim: paths(['b', null]) })], paths(['b', null], ['b', 3], ['b', 3, 'c'])],
    [
      'them in two entries',
      [registered({ claim: paths('a') }), registered({ claim: paths('b') })],
      paths(['a'], ['b']),
    ],
    ['no claim, and none is requested', [registered({ claim: [] })], undefined],
  ])('is nothing where the certificate registers %s', (_what, registrations, claims) => {
    expect(missing(registrations, claims)).toEqual([]);
  });

  it.each([
    ['a claim', registered({ claim: paths('a') }), paths(['a'], ['b']), [1]],
    ['every claim', registered({ claim: [] }), paths(['a'], ['b']), [0, 1]],
    ['an object of which one member is registered', registered({ claim: paths(['a', 'x']) }), paths(['a']), [0]],
    ['another member', registered({ claim: paths(['a', 'x']) }), paths(['a', 'y']), [0]],
    ['all elements where one is registered', registered({ claim: paths(['a', 0]) }), paths(['a', null]), [0]],
    ['a member where elements are registered', registered({ claim: paths(['a', null]) }), paths(['a', 'x']), [0]],
    ['a name that differs in case', registered({ claim: paths('A') }), paths(['a']), [0]],
  ])('is named with its place: %s', (_what, registration, claims, places) => {
    const faults = missing([registration], claims);
    expect(faults.map(({ path }) => path)).toEqual(places.map(claim));
    expect(faults[0]?.message).toContain('which is not registered');
  });

  it('is a type that the certificate does not name, or names for another format', () => {
    const place = (index: number) => `dcql_query.credentials[0].meta.vct_values[${index}]`;
    expect(missing([registered()], undefined, [VCT, other]).map(({ path }) => path)).toEqual([place(1)]);
    const mdoc = registered({ format: 'mso_mdoc' });
    expect(missing([mdoc], paths(['a'])).map(({ path }) => path)).toEqual([place(0)]);
  });

  it('is a claim that is registered for another of the types alone', () => {
    const registrations = [registered({ claim: paths('a') }), registered({ meta: other, claim: paths('b') })];
    const faults = missing(registrations, paths(['a']), [VCT, other]);
    expect(faults.map(({ path }) => path)).toEqual([claim(0)]);
    expect(faults[0]?.message).toContain(other);
  });

  it('is listed up to a hundred, in a moment, however much is requested', () => {
    const claims = paths(...Array.from({ length: 500 }, (_, index) => [`c${index}`]));
    const types = Array.from({ length: 500 }, (_, index) => `urn:example:${index}`);
    const meta = { vct_values: types };
    expect(missing([registered({ meta, claim: claims })], claims, types)).toEqual([]);
    expect(missing([registered({ meta, claim: [] })], claims, types)).toHaveLength(100);
  });

  it('is never a claim whose path, or the beginning of it, is registered', () => {
    const step = fc.oneof(fc.constantFrom('a', 'b'), fc.constant(null), fc.nat(3));
    const path = fc
      .tuple(fc.constantFrom('a', 'b'), fc.array(step, { maxLength: 3 }))
      .map(([name, more]) => [name, ...more]);
    fc.assert(
      fc.property(path, fc.integer({ min: 1, max: 4 }), (requested, length) => {
        const listed = requested.slice(0, length);
        expect(missing([registered({ claim: paths(listed) })], paths(requested))).toEqual([]);
        const longer = [...requested, 'z'];
        expect(missing([registered({ claim: paths(longer) })], paths(requested))).toHaveLength(1);
      }),
    );
  });
});
