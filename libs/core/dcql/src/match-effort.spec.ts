import {
  createSelection,
  matchDcql,
  MAX_SELECTED_ELEMENTS,
  parseDcqlQuery,
  resolveClaimPath,
  type DcqlQuery,
  type PresentedCredential,
} from './index';

const TYPE = 'urn:example:type';

function queryFor(members: object): DcqlQuery {
  const card = { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [TYPE] }, multiple: true, ...members };
  const parsed = parseDcqlQuery({ credentials: [card] });
  if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.faults));
  return parsed.query;
}

const presentedAs = (claims: object): PresentedCredential => ({
  vct: TYPE,
  claims: claims as PresentedCredential['claims'],
  authorityKeyIdentifiers: [],
});

function codeOf(query: DcqlQuery, ...claims: readonly object[]): string {
  try {
    matchDcql(query, new Map([['card', claims.map(presentedAs)]]));
    return 'satisfied';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const upTo = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));

/** An object that counts how often one of its members is read. */
function counting(name: string, value: unknown) {
  const reads = { count: 0 };
  const object = Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      reads.count += 1;
      return value;
    },
  });
  return { object, reads };
}

const pathsTo = (count: number) => upTo(count, (index) => ({ path: ['a', null, `m${index}`] }));

describe('what matching may cost', () => {
  it('stops at the first missing claim', () => {
    const { object, reads } = counting('later', 1);
    expect(codeOf(queryFor({ claims: [{ path: ['missing'] }, { path: ['later'] }] }), object)).toBe('claim_missing');
    expect(reads.count).toBe(0);
  });

  it('stops an alternative at its first missing claim, and looks each claim up once for all alternatives', () => {
    const { object, reads } = counting('there', 1);
    const claims = ['there', 'missing', 'never'].map((name) => ({ id: name, path: [name] }));
    const claimSets = [
      ['there', 'missing', 'never'],
      ['missing', 'there'],
      ['there', 'never'],
    ];
    expect(codeOf(queryFor({ claims, claim_sets: claimSets }), object)).toBe('claim_set_unsatisfied');
    expect(reads.count).toBe(1);
  });

  it('refuses 512 paths over an array of 180,000 elements, which took more than five seconds', () => {
    const a = [...upTo(180_000, () => ({})), Object.fromEntries(upTo(512, (index) => [`m${index}`, 0]))];
    expect(codeOf(queryFor({ claims: pathsTo(512) }), { a })).toBe('selection_too_large');
  });

  it('counts over all credentials of an answer', () => {
    const count = Math.ceil(MAX_SELECTED_ELEMENTS / 64 / 8);
    const card = { a: upTo(count, () => Object.fromEntries(upTo(8, (index) => [`m${index}`, 0]))) };
    const query = queryFor({ claims: pathsTo(8) });
    expect(codeOf(query, ...upTo(20, () => card))).toBe('satisfied');
    expect(codeOf(query, ...upTo(64, () => card))).toBe('selection_too_large');
  });

  it('counts over all alternatives, which may all fail', () => {
    const claims = pathsTo(512).map(({ path }, index) => ({ id: `c${index}`, path }));
    const query = queryFor({ claims, claim_sets: claims.map(({ id }) => [id]) });
    expect(codeOf(query, { a: upTo(2_000, () => ({})) })).toBe('selection_too_large');
  });

  it('counts elements that were not disclosed, nested arrays, and elements before one of another type', () => {
    const holes = [upTo(600, () => undefined)];
    expect(codeOf(queryFor({ claims: [{ path: ['a', null, null] }] }), { a: upTo(900, () => holes[0]) })).toBe(
      'selection_too_large',
    );
    const mixed = { a: [...upTo(400_000, () => ({ m: 1 })), 'text'] };
    expect(codeOf(queryFor({ claims: [{ path: ['a', null, 'm'] }] }), mixed)).toBe('selection_too_large');
  });

  it('lets what honest queries ask pass: 512 claims of 64 credentials, and every element of a long list', () => {
    const card = Object.fromEntries(upTo(512, (index) => [`m${index}`, { value: 0 }]));
    const claims = upTo(512, (index) => ({ path: [`m${index}`, 'value'], values: [1, 0] }));
    expect(codeOf(queryFor({ claims }), ...upTo(64, () => card))).toBe('satisfied');
    expect(codeOf(queryFor({ claims: [{ path: ['a', null, 'm'] }] }), { a: upTo(20_000, () => ({ m: 1 })) })).toBe(
      'satisfied',
    );
  });

  it('takes exactly what a path looks at', () => {
    const selection = createSelection(8);
    resolveClaimPath({ a: [{ m: 1 }, { m: 2 }, { m: 3 }] }, ['a', null, 'm'], selection);
    expect(selection.elementsLeft).toBe(0);
    expect(() => resolveClaimPath({ a: 1 }, ['a'], selection)).toThrow('selection_too_large');
  });
});
