import fc from 'fast-check';
import { DomainError, ownMember, type JsonObject } from '@vestibule/foundation';
import { DEFAULT_SD_JWT_LIMITS, deliveredClaims, parseSdJwtVc, unpackClaims, type SdJwtLimits } from './index';
import {
  basePayload,
  build,
  disclose,
  discloseText,
  failsWith,
  hash,
  parse,
  type Disclosed,
  type Ingredients,
} from './testing/sd-jwt-builder.fixture-spec';

const unpack = (ingredients: Ingredients) => unpackClaims(parse(ingredients));
const refused = (ingredients: Ingredients, code: string) => expect(() => unpack(ingredients)).toThrow(failsWith(code));
const unpackWithin = (changes: Partial<SdJwtLimits>, ingredients: Ingredients) =>
  unpackClaims(parseSdJwtVc(build(ingredients), { limits: { ...DEFAULT_SD_JWT_LIMITS, ...changes } }));

describe('VP:K14 recursion', () => {
  const street = disclose('street', 'Main St');
  const city = disclose('city', 'Anytown');
  const address = disclose('address', { _sd: [street.digest, city.digest], country: 'DE' });
  const payload = { _sd: [address.digest] };

  it('puts children into disclosed objects (sd:pos-recursive-object)', () => {
    const { claims } = unpack({ payload, disclosures: [address, street, city] });
    expect(claims['address']).toEqual({ street: 'Main St', city: 'Anytown', country: 'DE' });
  });

  it('takes parents after children (sd:pos-recursive-parent-last)', () => {
    const { claims } = unpack({ payload, disclosures: [street, address] });
    expect(claims['address']).toEqual({ street: 'Main St', country: 'DE' });
  });

  it('puts elements into disclosed arrays (sd:pos-recursive-array)', () => {
    const [one, two] = [disclose('one'), disclose('two')];
    const inner = disclose([{ '...': one.digest }, { '...': two.digest }]);
    const outer = disclose('lists', [{ '...': inner.digest }, 'plain']);
    const { claims, issued } = unpack({ payload: { _sd: [outer.digest] }, disclosures: [two, inner, outer] });
    expect(claims['lists']).toEqual([['two'], 'plain']);
    expect(issued['lists']).toEqual([[undefined, 'two'], 'plain']);
  });

  it('VP:K17 leaves an object empty when all in it is hidden (sd:pos-recursive-all-hidden-object)', () => {
    const hidden = disclose('address', { _sd: [street.digest] });
    expect(unpack({ payload: { _sd: [hidden.digest] }, disclosures: [hidden] }).claims['address']).toEqual({});
    expect(unpack({ payload: { address: { _sd: [street.digest] } } }).claims['address']).toEqual({});
  });

  it('VP:K21 ends at the allowed depth (sd:neg-deep-recursion-600)', () => {
    const chain = (length: number) => {
      const links: Disclosed[] = [disclose('end', true)];
      for (let index = 1; index < length; index += 1) {
        links.push(disclose('next', { _sd: [(links.at(-1) as Disclosed).digest] }));
      }
      return { payload: { _sd: [(links.at(-1) as Disclosed).digest] }, disclosures: links };
    };
    expect(() => unpack(chain(32))).not.toThrow();
    refused(chain(33), 'nesting_too_deep');
    refused(chain(499), 'nesting_too_deep');
    refused(chain(600), 'sd_jwt_too_large');
  });

  it('VP:K21 ends at the allowed depth, by members or elements, plain or disclosed', () => {
    const maxDepth = 6;
    const steps = fc.array(fc.constantFrom('member', 'element', 'disclosed member', 'disclosed element'), {
      minLength: 1,
      maxLength: 9,
    });
    const nest = (path: readonly string[]): Ingredients => {
      const disclosures: Disclosed[] = [];
      const note = (disclosed: Disclosed) => {
        disclosures.push(disclosed);
        return disclosed.digest;
      };
      const nested = path.reduce<unknown>((value, step) => {
        if (step === 'member') return { a: value };
        if (step === 'element') return [value];
        if (step === 'disclosed member') return { _sd: [note(disclose('a', value))] };
        return [{ '...': note(disclose(value)) }];
      }, true);
      return { payload: { nested }, disclosures };
    };
    const isTaken = (path: readonly string[]) => {
      try {
        return unpackWithin({ maxDepth }, nest(path)).claims['nested'] !== undefined;
      } catch (error) {
        const { code } = error as DomainError;
        expect(['nesting_too_deep', 'issuer_jwt_malformed', 'disclosure_malformed']).toContain(code);
        return false;
      }
    };
    fc.assert(
      // The payload itself is the first level.
      fc.property(steps, (path) => expect(isTaken(path)).toBe(path.length < maxDepth)),
      { numRuns: 60, examples: [[['disclosed element', 'member', 'member', 'element', 'member']]] },
    );
  });
});

describe('VP:K15 the placeholder of an array element', () => {
  const element = disclose('DE');
  it.each([
    ['extra-key', [{ '...': element.digest, other: 1 }]],
    ['extra-sd', [{ '...': element.digest, _sd: [] }]],
    ['not-string', [{ '...': 1 }]],
    ['null', [{ '...': null }]],
    ['array', [{ '...': [element.digest] }]],
    ['in-object', { nested: { '...': element.digest } }],
    ['not-in-array', { '...': element.digest }],
  ])('is refused in any other form (sd:neg-ellipsis-%s)', (_case, list) => {
    refused({ payload: { list } }, 'ellipsis_misused');
  });

  it('is refused at the top level, and as a disclosed value (sd:neg-ellipsis-top-level)', () => {
    refused({ payload: { '...': element.digest } }, 'ellipsis_misused');
    const value = disclose('a', { '...': element.digest });
    refused({ payload: { _sd: [value.digest] }, disclosures: [value] }, 'ellipsis_misused');
    const nested = disclose({ '...': element.digest });
    refused({ payload: { list: [{ '...': nested.digest }] }, disclosures: [nested, element] }, 'ellipsis_misused');
  });
});

describe('VP:K16 the digests of object members', () => {
  it.each([['text'], [null], [1], [{ 0: 'a', length: 1 }], [true]])('%j is refused (sd:neg-sd-not-array)', (_sd) => {
    refused({ payload: { _sd } }, 'digests_malformed');
    refused({ payload: { person: { _sd } } }, 'digests_malformed');
  });

  it.each([[[1]], [[null]], [[['a']]], [['a', {}]]])('%j is refused (sd:neg-sd-array-of-nonstrings)', (_sd) => {
    refused({ payload: { _sd } }, 'digests_malformed');
    const parent = disclose('person', { _sd });
    refused({ payload: { _sd: [parent.digest] }, disclosures: [parent] }, 'digests_malformed');
  });
});

describe('what is not disclosed', () => {
  it('VP:K17 leaves no trace of digests', () => {
    const payload = { _sd: [hash('a')], _sd_alg: 'sha-256', list: [{ '...': hash('b') }], o: { _sd: [hash('c')] } };
    const { claims } = unpack({ payload });
    expect(claims).toEqual({ ...basePayload, list: [], o: {} });
  });

  it('VP:K18 is not told from decoys (sd:pos-decoys)', () => {
    const name = disclose('given_name', 'Ada');
    const payload = { _sd: [hash('1'), name.digest, hash('2')], list: [{ '...': hash('3') }, 'x'], empty: { _sd: [] } };
    const { claims } = unpack({ payload, disclosures: [name] });
    expect(claims).toMatchObject({ given_name: 'Ada', list: ['x'], empty: {} });
  });

  it('VP:T9 leaves a hole in the issued array and none in the delivered one (sd:pos-array-index-shift)', () => {
    const [de, fr, us] = [disclose('DE'), disclose('FR'), disclose('US')];
    const nationalities = [de, fr, us].map(({ digest }) => ({ '...': digest }));
    const { claims, issued } = unpack({ payload: { nationalities }, disclosures: [de, us] });
    expect(issued['nationalities']).toEqual(['DE', undefined, 'US']);
    expect(claims['nationalities']).toEqual(['DE', 'US']);
  });

  it('is not among the places of what was', () => {
    const [us, street, city] = [disclose('US'), disclose('street', 'Main St'), disclose('city', 'Anytown')];
    const address = disclose('address', { _sd: [street.digest, city.digest, hash('hidden')], country: 'DE' });
    const payload = { list: ['DE', { '...': hash('FR') }, { '...': us.digest }], _sd: [address.digest] };
    const { issued, disclosed } = unpack({ payload, disclosures: [us, address, street, city] });
    const places = [issued, issued['list'], issued['address']].map((value) => [
      ...(disclosed.get(value as object) ?? []),
    ]);
    expect(places).toEqual([['address'], [2], ['street', 'city']]);
    expect(disclosed.size).toBe(3);
  });
});

describe('values', () => {
  it('VP:K23 null, false, 0, empty text and empty containers are values (sd:pos-null-values)', () => {
    const values = { a: null, b: false, c: 0, d: '', e: [], f: {} };
    const disclosures = Object.entries(values).map(([name, value]) => disclose(name, value));
    const element = disclose(null);
    const { claims, issued } = unpack({
      payload: { _sd: disclosures.map(({ digest }) => digest), list: [{ '...': element.digest }, null] },
      disclosures: [...disclosures, element],
    });
    expect(claims).toMatchObject({ ...values, list: [null, null] });
    expect(issued['list']).toEqual([null, null]);
  });

  it('VP:K21 __proto__ is a claim like any other (sd:neg-proto-pollution)', () => {
    const evil = discloseText('["salt","__proto__",{"polluted":true}]');
    const inherited = disclose('toString', 'text');
    const payload = `{"vct":"a","constructor":{"__proto__":{"polluted":1}},"_sd":["${evil.digest}","${inherited.digest}"]}`;
    const { claims } = unpack({ payload, disclosures: [evil, inherited] });
    expect(ownMember(claims, '__proto__')).toEqual({ polluted: true });
    expect(ownMember(claims, 'toString')).toBe('text');
    expect(ownMember(deliveredClaims(claims), '__proto__')).toEqual({ polluted: true });
    expect(ownMember(claims['constructor'] as JsonObject, '__proto__')).toEqual({ polluted: 1 });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const twice = discloseText('["salt2","__proto__",{}]');
    const both = { payload: { _sd: [evil.digest, twice.digest] }, disclosures: [evil, twice] };
    refused(both, 'claim_name_collision');
  });

  it('never appear in an error', () => {
    const canary = 'Ms-Canary-Family-Name';
    const disclosure = disclose('_sd', canary);
    const provoke = () => unpack({ payload: { _sd: [disclosure.digest] }, disclosures: [disclosure] });
    expect(provoke).toThrow(DomainError);
    expect(provoke).not.toThrow(canary);
  });
});

describe('the number of JSON values', () => {
  const many = (count: number) => Array.from({ length: count }, () => 0);

  it('VP:G10 counts members, elements and digests, and may be exactly what is allowed', () => {
    const [name, element] = [disclose('given_name', ['Ada']), disclose('DE')];
    const list = [{ '...': element.digest }, { '...': hash('hidden') }, 1];
    const payload = JSON.stringify({ vct: 'a', list, _sd: [name.digest, hash('decoy')] });
    const ingredients = { payload, disclosures: [name, element] };
    // vct, list with two elements, two digests, given_name with one element.
    expect(unpack(ingredients).values).toBe(8);
    expect(unpackWithin({ maxValues: 8 }, ingredients).claims['given_name']).toEqual(['Ada']);
    expect(() => unpackWithin({ maxValues: 7 }, ingredients)).toThrow(failsWith('sd_jwt_too_large'));
  });

  it('VP:G10 is bounded in the payload', () => {
    expect(unpack({ payload: { list: many(19_900) } }).values).toBeGreaterThan(19_900);
    refused({ payload: { list: many(20_000) } }, 'sd_jwt_too_large');
  });

  it('VP:G10 is bounded over all disclosures together', () => {
    const disclosures = Array.from({ length: 25 }, (_, index) => disclose(`list${index}`, many(900)));
    refused({ payload: { _sd: disclosures.map(({ digest }) => digest) }, disclosures }, 'sd_jwt_too_large');
  });

  it('VP:G10 is bounded for digests that belong to nothing', () => {
    const digests = Array.from({ length: 20_001 }, (_, index) => hash(String(index)));
    refused({ payload: { _sd: digests } }, 'sd_jwt_too_large');
  });

  it('VP:G10 is bounded for nested objects', () => {
    const nested = Array.from({ length: 7_000 }, () => ({ a: { b: {} } }));
    refused({ payload: { nested } }, 'sd_jwt_too_large');
  });
});
