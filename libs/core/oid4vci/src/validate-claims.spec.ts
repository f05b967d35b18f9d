import fc from 'fast-check';
import { loadCredentialTypes, validateClaims } from './index';
import { fastestMilliseconds } from '@vestibule/testkit';

const [type, bare] = loadCredentialTypes(
  [
    {
      configurationId: 'pid',
      bytes: Buffer.from(
        JSON.stringify({
          claims: [
            { path: ['given_name'], mandatory: true },
            { path: ['birth_date'] },
            { path: ['address'] },
            { path: ['address', 'country'] },
            { path: ['degrees', null, 'type'], mandatory: true },
            { path: ['place', 'town'] },
            { path: ['scores', 1] },
            { path: ['iss'], mandatory: true },
          ],
        }),
      ),
    },
    { configurationId: 'bare', bytes: Buffer.from('{}') },
  ],
  'https://c.example.com',
);
if (!type || !bare) throw new Error('no type');

const whole = { given_name: 'Erika', degrees: [{ type: 'BSc' }] };
const paths = (claims: unknown, of = type) => validateClaims(of, claims).map(({ path }) => path);
const with_ = (more: object) => paths({ ...whole, ...more });

describe('validateClaims', () => {
  it('VCI:V19 has nothing to say about whole claims', () => {
    const claims = { ...whole, birth_date: null, address: { country: 'DE', city: { any: ['thing'] } }, scores: [1, 2] };
    expect(paths(claims)).toEqual(['claims.scores[0]']);
    expect(with_({ address: { city: 'x' }, place: { town: 'y' } })).toEqual([]);
  });

  it('VCI:M24 names every claim that the type does not list', () => {
    expect(with_({ shoe_size: 42, place: { town: 'x', zip: 1 } })).toEqual(['claims.shoe_size', 'claims.place.zip']);
    expect(paths({ a: 1 }, bare)).toEqual(['claims.a']);
    expect(paths({}, bare)).toEqual([]);
  });

  it('VCI:M24 says what was probably meant', () => {
    const [fault] = validateClaims(type, { ...whole, givenNmae: 'x' });
    expect(fault?.message).toContain('given_name');
    expect(validateClaims(type, { ...whole, shoe_size: 1 })[0]?.message).not.toContain('did you mean');
  });

  it.each(['iss', 'sub', 'iat', 'exp', 'nbf', 'vct', 'vct#integrity', 'cnf', 'status', 'aka_vcts'])(
    'VCI:V17 refuses %s from the backend',
    (name) => expect(with_({ [name]: 'x' })).toEqual([`claims.${name}`]),
  );

  it('VCI:V17 takes those names deeper down', () => {
    expect(with_({ address: { status: 'moved', sub: 1 } })).toEqual([]);
  });

  it.each(['_sd', '...', '_sd_alg'])('VCI:V16 refuses %s at any depth', (name) => {
    expect(with_({ [name]: [] })).toEqual([`claims.${name}`]);
    expect(with_({ address: { x: [{ [name]: 1 }] } })).toEqual([`claims.address.x[0].${name}`]);
  });

  it('VCI:V19 names every mandatory claim that is missing; null is no value', () => {
    expect(paths({})).toEqual(['claims.given_name', 'claims.degrees[].type']);
    expect(paths({ given_name: null, degrees: [] })).toEqual(['claims.given_name', 'claims.degrees[].type']);
    expect(paths({ given_name: 'x', degrees: [{ type: 'a' }, {}] })).toEqual(['claims.degrees[1].type']);
  });

  it('VCI:M19 refuses the shape that the type contradicts', () => {
    expect(with_({ address: 'x' })).toEqual(['claims.address']);
    expect(with_({ address: ['x'] })).toEqual(['claims.address']);
    expect(with_({ scores: 'x' })).toEqual(['claims.scores']);
    expect(paths({ ...whole, degrees: { type: 'x' } })).toEqual([
      'claims.degrees',
      'claims.degrees.type',
      'claims.degrees[].type',
    ]);
  });

  it.each<[string, unknown]>([
    ['no object', 'x'],
    ['null', null],
    ['an array', []],
    ['nothing', undefined],
    ['what is not JSON', { given_name: () => 1 }],
    ['a number that is none', { given_name: Number.NaN }],
  ])('VCI:V19 refuses %s', (_what, claims) => expect(paths(claims)).toEqual(['claims']));

  it('VCI:V19 has limits of depth and size', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'x' : { a: nested(depth - 1) });
    expect(with_({ address: nested(15) })).toEqual([]);
    expect(with_({ address: nested(16) })).toEqual(['claims']);
    expect(with_({ address: { x: 'ä'.repeat(65_000) } })).toEqual([]);
    expect(with_({ address: { x: 'ä'.repeat(66_000) } })).toEqual(['claims']);
  });

  it('VCI:M24 sees own members only', () => {
    expect(paths(JSON.parse('{"__proto__":1,"given_name":"x","degrees":[{"type":1}]}'))).toEqual(['claims.__proto__']);
    expect(with_({ constructor: 1, toString: 1 })).toEqual(['claims.constructor', 'claims.toString']);
  });

  it('VCI:V18 refuses claims with more disclosures than a credential may have, and names the bound', () => {
    const [lists] = loadCredentialTypes(
      [
        {
          configurationId: 'lists',
          bytes: Buffer.from(
            JSON.stringify({
              claims: [
                { path: ['each', null], sd: 'always' },
                { path: ['named', null], sd: 'always' },
                { path: ['named', null, 'name'], sd: 'always' },
                { path: ['whole'], sd: 'always' },
                { path: ['plain'], sd: 'never' },
              ],
            }),
          ),
        },
      ],
      'https://c.example.com',
    );
    const many = (count: number, value: unknown = 1) => Array.from({ length: count }, () => value);
    const found = (claims: object) => validateClaims(lists ?? type, claims);
    expect(found({ each: many(499), whole: many(9_000), plain: many(9_000) })).toEqual([]);
    const message = expect.stringContaining('500') as string;
    expect(found({ each: many(501) })).toEqual([{ path: 'claims', message }]);
    expect(found({ each: many(500), whole: 1 })).toEqual([{ path: 'claims', message }]);
    expect(found({ named: many(251, { name: 'x' }) })).toEqual([{ path: 'claims', message }]);
    expect(validateClaims(lists ?? type, { each: many(20_000) }, 'later')).toEqual([{ path: 'claims', message }]);
  });

  it('VCI:M24 answers any JSON, and 64 KB of faults at once', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const { path, message } of validateClaims(type, value)) expect(`${path}${message}`).not.toBe('');
      }),
    );
    const faulty = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`given_n${index}`, 1]));
    expect(validateClaims(type, faulty).length).toBe(100);
    expect(fastestMilliseconds(() => validateClaims(type, faulty))).toBeLessThan(50);
  });
});
