import fc from 'fast-check';
import { DEFAULT_DCQL_LIMITS, parseDcqlQuery } from './index';
import { fastestMilliseconds } from '@vestibule/testkit';

const CANARY = 'Ms-Canary';
const PID = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['v'] } };
const NAMES = [
  ...['credentials', 'credential_sets', 'id', 'format', 'meta', 'vct_values', 'claims', 'claim_sets', 'path'],
  ...['values', 'multiple', 'trusted_authorities', 'type', 'options', 'required', '__proto__', 'claimSets', 'x y'],
];

/** JSON that looks like a query: the right names, any nesting, some right values. */
const { tree: queryLike } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '', 'pid', 'a', 'aki', 'dc+sd-jwt', 'AAEC', CANARY),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('tree'), { maxKeys: 6 }),
    fc.record({ id: tie('tree'), format: fc.constant('dc+sd-jwt'), meta: tie('tree'), claims: tie('tree') }),
  ),
}));

/** A good query with one value somewhere replaced. */
const damaged = fc
  .tuple(fc.nat({ max: 40 }), fc.oneof(fc.jsonValue(), queryLike, fc.constant(CANARY), fc.constant(undefined)))
  .map(([target, replacement]) => {
    let visited = 0;
    const replace = (value: unknown): unknown => {
      visited += 1;
      if (visited - 1 === target) return replacement;
      if (Array.isArray(value)) return value.map(replace);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item)]));
    };
    const claims = [
      { id: 'a', path: ['a', null, 0], values: ['x', 1, true] },
      { id: 'b', path: ['b'] },
    ];
    const trusted_authorities = [{ type: 'aki', values: ['AAEC'] }];
    const credential = { ...PID, multiple: true, trusted_authorities, claims, claim_sets: [['a'], ['a', 'b']] };
    return replace({ credentials: [credential], credential_sets: [{ options: [['pid']], required: false }] });
  });

const repeat = <T>(length: number, make: (index: number) => T) => Array.from({ length }, (_, index) => make(index));

describe('parseDcqlQuery on hostile input', () => {
  it('VP:E19 never throws, and every refusal has a fault that carries no value', () => {
    fc.assert(
      fc.property(fc.oneof(damaged, queryLike, fc.jsonValue(), fc.anything()), (value) => {
        const result = parseDcqlQuery(value);
        if (result.ok) {
          expect(JSON.stringify(result.query.source)).toBe(JSON.stringify(value));
        } else {
          expect(result.faults.length).toBeGreaterThan(0);
          expect(JSON.stringify(result.faults.map((fault) => fault.message))).not.toContain(CANARY);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('VP:E20 what is accepted reads back as the same query with the same warnings', () => {
    fc.assert(
      fc.property(fc.oneof(damaged, queryLike), (value) => {
        const result = parseDcqlQuery(value);
        if (result.ok) expect(parseDcqlQuery(JSON.parse(JSON.stringify(value)))).toEqual(result);
      }),
      { numRuns: 500 },
    );
  });

  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
  const cyclic: Record<string, unknown> = { ...PID };
  cyclic['self'] = cyclic;
  const doubling = repeat(40, () => 0).reduce<unknown>((inner) => [inner, inner], 1);
  const name = 'require_cryptographic_holder_bind';

  it.each<[title: string, value: unknown]>([
    ['ten thousand claims', { credentials: [{ ...PID, claims: repeat(10_000, (i) => ({ path: [`c${i}`] })) }] }],
    ['five thousand credentials', { credentials: repeat(5_000, (i) => ({ id: `c${i}` })) }],
    ['a path of fifty thousand', { credentials: [{ ...PID, claims: [{ path: repeat(50_000, () => null) }] }] }],
    ['many values', { credentials: [{ ...PID, claims: [{ path: ['a'], values: repeat(20_000, (i) => i) }] }] }],
    ['fifty thousand open brackets', { credentials: nested(50_000) }],
    ['a long name', { credentials: [PID], ['x'.repeat(100_000)]: 1 }],
    ['a long text', { credentials: [{ ...PID, id: 'x'.repeat(100_000) }] }],
    ['many unknown members', { credentials: [PID], ...Object.fromEntries(repeat(10_000, (i) => [`m${i}`, i])) }],
    ['a cycle', { credentials: [cyclic] }],
    ['a structure that doubles at each level', { credentials: [{ ...PID, x: doubling }] }],
    ['many values in small portions', { credentials: repeat(20, () => ({ x: repeat(500, () => [1]) })) }],
  ])('VP:E19 refuses %s within 50 ms', (_title, value) => {
    expect(fastestMilliseconds(() => expect(parseDcqlQuery(value).ok).toBe(false))).toBeLessThan(50);
  });

  it.each<[title: string, value: unknown]>([
    [
      'near misses',
      repeat(20, (i) => ({ id: `c${i}`, ...Object.fromEntries(repeat(120, (j) => [`${name}${j}`, 1])) })),
    ],
    [
      'far misses',
      repeat(20, () =>
        Object.fromEntries(repeat(120, (j) => [`${'yhpargotpyrc'.repeat(3)}${j % 10}${j}`.slice(0, 36), 1])),
      ),
    ],
    ['faults', repeat(20, () => ({ claims: repeat(150, () => ({ path: [-1] })) }))],
    [
      'references',
      [{ ...PID, claims: [{ id: 'a', path: ['a'] }], claim_sets: repeat(500, () => repeat(15, () => 'a')) }],
    ],
  ])('VP:E19 reads 100 KB of %s within 50 ms', (_title, credentials) => {
    expect(fastestMilliseconds(() => void parseDcqlQuery({ credentials }))).toBeLessThan(50);
  });
});

describe('limits of a DCQL query', () => {
  const limits = { maxCredentials: 2, maxPathLength: 2, maxEntries: 8, maxValues: 60, maxDepth: 7, maxTextLength: 20 };
  const faultPaths = (value: unknown) => {
    const result = parseDcqlQuery(value, limits);
    return result.ok ? [] : result.faults.map((fault) => fault.path);
  };
  const withPid = (extra: object) => ({ credentials: [{ ...PID, ...extra }] });
  const byId = (ids: string[]) => ({ credentials: ids.map((id) => ({ ...PID, id })) });

  it.each<[title: string, within: unknown, beyond: unknown, path: string]>([
    ['credentials', byId(['a', 'b']), byId(['a', 'b', 'c']), 'credentials'],
    [
      'components of a path',
      withPid({ claims: [{ path: ['a', 'b'] }] }),
      withPid({ claims: [{ path: ['a', 'b', 'c'] }] }),
      'credentials[0].claims[0].path',
    ],
    ['entries of an array', withPid({ x: repeat(8, () => 1) }), withPid({ x: repeat(9, () => 1) }), 'credentials[0].x'],
    [
      'members of an object',
      withPid({ x: Object.fromEntries(repeat(8, (i) => [`${i}`, 1])) }),
      withPid({ x: Object.fromEntries(repeat(9, (i) => [`${i}`, 1])) }),
      'credentials[0].x',
    ],
    [
      'values',
      withPid({ x: repeat(6, () => repeat(7, () => 1)) }),
      withPid({ x: repeat(7, () => repeat(7, () => 1)) }),
      '',
    ],
    ['levels', withPid({ x: [[[[]]]] }), withPid({ x: [[[[[]]]]] }), 'credentials[0].x[0][0][0][0]'],
    ['characters of a text', withPid({ id: 'x'.repeat(20) }), withPid({ id: 'x'.repeat(21) }), 'credentials[0].id'],
    ['characters of a name', withPid({ ['x'.repeat(20)]: 1 }), withPid({ ['x'.repeat(21)]: 1 }), 'credentials[0]'],
  ])('VP:E19 bound the number of %s', (_title, within, beyond, path) => {
    expect(faultPaths(within)).toEqual([]);
    expect(faultPaths(beyond)).toEqual([path]);
  });

  it.each<[title: string, value: unknown, bound: number]>([
    ['credentials', byId(repeat(9, (i) => `${i}`)), 2],
    ['components of a path', withPid({ claims: [{ path: repeat(9, () => 'a') }] }), 2],
    ['other entries', withPid({ x: repeat(9, () => 1) }), 8],
  ])('VP:E19 name the bound that counts for %s, however many there are', (_title, value, bound) => {
    const result = parseDcqlQuery(value, limits);
    expect(!result.ok && result.faults.map(({ message }) => message)).toEqual([
      expect.stringContaining(`more than ${bound} `),
    ]);
  });

  it.each<[title: string, value: unknown]>([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a bigint', 1n],
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['a symbol', Symbol('x')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', Uint8Array.of(1)],
    ['a hole in an array', new Array(3)],
  ])('VP:E19 refuses %s, which is not JSON', (_title, value) => {
    expect(parseDcqlQuery(value).ok).toBe(false);
    expect(parseDcqlQuery(withPid({ x: value })).ok).toBe(false);
  });

  it('VP:E19 the default limits leave room for a large honest query', () => {
    const claims = repeat(300, (i) => ({ id: `c${i}`, path: ['a', 'b', null, `c${i}`] }));
    const value = { credentials: repeat(4, (i) => ({ ...PID, id: `p${i}`, claims })) };
    expect(parseDcqlQuery(value, DEFAULT_DCQL_LIMITS).ok).toBe(true);
  });
});
