import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { verifyVpToken, type SurplusPolicy } from './index';
import { digests, disclose, element, given, names, sets, show, type Shown } from './testing/disclosures.fixture-spec';
import {
  createStage,
  expectationOf,
  failsWith,
  pidQuery,
  queryOf,
  type Stage,
} from './testing/presentation.fixture-spec';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});

const decoded = (raw: JsonObject) => JSON.parse(JSON.stringify(raw)) as JsonObject;

/** The ordinary query with these members; null removes one. */
const credentialQuery = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(pidQuery(members)).filter(([, value]) => value !== null));

async function judge(query: JsonObject, shown: Shown, surplusClaims?: SurplusPolicy) {
  const expected = expectationOf(stage, {
    query: queryOf({ credentials: [credentialQuery(query)] }),
    ...(surplusClaims ? { surplusClaims } : {}),
  });
  const answer = verifyVpToken({ pid: [await show(stage, shown)] }, [], expected);
  const [delivered] = answer.delivered;
  const { surplusClaims: counted = 0 } = expected.checks.entries.find(({ check }) => check === 'dcql') ?? {};
  return { claims: delivered?.deliveredClaims, raw: decoded(delivered?.claims ?? {}), counted };
}

const [street, floor] = [disclose('street', 'Main Street'), disclose('floor', 3)];
/** An address that is plain, with members that are not. */
const plainAddress: Shown = {
  payload: { address: { country: 'DE', ...digests(street, floor) } },
  disclosures: [street, floor],
};
/** An address that is one disclosure, with a plain member, and two more disclosures within. */
const address = disclose('address', { country: 'DE', ...digests(street, floor) });
const nestedAddress: Shown = { payload: digests(address), disclosures: [address, street, floor] };

const [de, fr, us] = [disclose('DE'), disclose('FR'), disclose('US')];
const nationalities: Shown = {
  payload: { nationalities: [element(de), 'XX', element(fr), element(us)] },
  disclosures: [de, fr, us],
};
const [bachelor, note] = [disclose({ type: 'BSc', year: 1833 }), disclose({ remark: 'none' })];
const degrees: Shown = { payload: { degrees: [element(bachelor), element(note)] }, disclosures: [bachelor, note] };
const list = disclose('list', [element(de), element(fr)]);
const nestedList: Shown = { payload: digests(list), disclosures: [list, de, fr] };

const asking = (...paths: JsonValue[][]): JsonObject => ({ claims: paths.map((path) => ({ path })) });
const nothing: JsonObject = { claims: null };

type Row = readonly [what: string, query: JsonObject, shown: Shown, delivered: JsonObject, surplus: number];
const ROWS: Row[] = [
  ['one of three names', asking(['given_name']), names, { given_name: 'Ada' }, 2],
  [
    'all of them',
    asking(['given_name'], ['family_name'], ['birthdate']),
    names,
    {
      family_name: 'Lovelace',
      given_name: 'Ada',
      birthdate: '1815-12-10',
    },
    0,
  ],
  [
    'the first claim set that is there as a whole',
    {
      claims: ['given_name', 'nickname', 'birthdate'].map((name) => ({ id: name, path: [name] })),
      claim_sets: [['given_name', 'nickname'], ['birthdate']],
    },
    names,
    { birthdate: '1815-12-10' },
    2,
  ],
  ['no claims at all', nothing, names, {}, 3],
  [
    'plain claims stay',
    nothing,
    { payload: { age: 36, a: [1, { b: null }] }, disclosures: [] },
    { age: 36, a: [1, { b: null }] },
    0,
  ],
  [
    'a plain claim is asked for',
    asking(['age']),
    { payload: { age: 36, ...digests(given) }, disclosures: [given] },
    { age: 36 },
    1,
  ],
  ['a claim that is always there', asking(['vct']), names, {}, 3],
  [
    'a member of a plain object',
    asking(['address', 'street']),
    plainAddress,
    { address: { country: 'DE', street: 'Main Street' } },
    1,
  ],
  ['a plain member of a plain object', asking(['address', 'country']), plainAddress, { address: { country: 'DE' } }, 2],
  [
    'a plain object as a whole',
    asking(['address']),
    plainAddress,
    { address: { country: 'DE', street: 'Main Street', floor: 3 } },
    0,
  ],
  ['nothing of a plain object', nothing, plainAddress, { address: { country: 'DE' } }, 2],
  [
    'a disclosure within one',
    asking(['address', 'street']),
    nestedAddress,
    { address: { country: 'DE', street: 'Main Street' } },
    1,
  ],
  ['what is plain in a disclosure', asking(['address', 'country']), nestedAddress, { address: { country: 'DE' } }, 2],
  [
    'a disclosure with all within',
    asking(['address']),
    nestedAddress,
    { address: { country: 'DE', street: 'Main Street', floor: 3 } },
    0,
  ],
  ['nothing of a disclosure with others within', asking(['vct']), nestedAddress, {}, 3],
  [
    'one element of an array, by its place as issued',
    asking(['nationalities', 2]),
    nationalities,
    { nationalities: ['XX', 'FR'] },
    2,
  ],
  ['a plain element of an array', asking(['nationalities', 1]), nationalities, { nationalities: ['XX'] }, 3],
  ['every element', asking(['nationalities', null]), nationalities, { nationalities: ['DE', 'XX', 'FR', 'US'] }, 0],
  ['the array', asking(['nationalities']), nationalities, { nationalities: ['DE', 'XX', 'FR', 'US'] }, 0],
  ['nothing of an array', nothing, nationalities, { nationalities: ['XX'] }, 3],
  [
    'every element, with values',
    { claims: [{ path: ['nationalities', null], values: ['FR'] }] },
    nationalities,
    {
      nationalities: ['DE', 'XX', 'FR', 'US'],
    },
    0,
  ],
  [
    'a member of each element that has it',
    asking(['degrees', null, 'type']),
    degrees,
    { degrees: [{ type: 'BSc', year: 1833 }] },
    1,
  ],
  ['an element of an array that is a disclosure', asking(['list', 1]), nestedList, { list: ['FR'] }, 1],
  ['the first combination that is there', sets(['x'], ['g'], ['f', 'b']), names, { given_name: 'Ada' }, 2],
  [
    'the first of two combinations that are there',
    sets(['f', 'b'], ['g']),
    names,
    { family_name: 'Lovelace', birthdate: '1815-12-10' },
    1,
  ],
  ['a claim that no combination names', sets(['b']), names, { birthdate: '1815-12-10' }, 2],
  [
    'two claims with one disclosure',
    asking(['address', 'country'], ['address', 'floor']),
    nestedAddress,
    { address: { country: 'DE', floor: 3 } },
    1,
  ],
];

describe('VP:J16 what is delivered of the claims that were disclosed', () => {
  it.each(ROWS)('%s', async (...[, query, shown, delivered, surplus]) => {
    const { claims, raw, counted } = await judge(query, shown);
    expect(claims).toEqual(delivered);
    expect(raw).toMatchObject({ vct: expect.any(String), iss: expect.any(String), cnf: expect.any(Object) });
    const { iss: _iss, vct: _vct, iat: _iat, exp: _exp, cnf: _cnf, ...rest } = raw;
    expect(rest).toEqual(delivered);
    expect(counted).toBe(surplus);
  });

  it.each(ROWS)('with SURPLUS_CLAIMS=deliver everything: %s', async (...[, query, shown, , surplus]) => {
    const { claims, counted } = await judge(query, shown, 'deliver');
    const [everything] = verifyVpToken(
      { pid: [await show(stage, shown)] },
      [],
      expectationOf(stage, {
        query: queryOf({
          credentials: [pidQuery(asking(['vct'], ...Object.keys(claims ?? {}).map((name) => [name])))],
        }),
      }),
    ).delivered;
    expect(claims).toEqual(everything?.deliveredClaims);
    expect(counted).toBe(surplus);
  });

  it.each(ROWS)('with SURPLUS_CLAIMS=refuse nothing where there is a surplus: %s', async (...row) => {
    const [, query, shown, delivered, surplus] = row;
    if (surplus === 0) expect((await judge(query, shown, 'refuse')).claims).toEqual(delivered);
    else await expect(judge(query, shown, 'refuse')).rejects.toEqual(failsWith('surplus_claims'));
  });

  it('issued claims that can be kept back, such as iat and sub, are dropped too', async () => {
    const [iat, sub] = [disclose('iat', 1_700_000_000), disclose('sub', 'urn:example:1')];
    const shown = {
      payload: { iat: undefined as unknown as JsonValue, ...digests(iat, sub, given) },
      disclosures: [iat, sub, given],
    };
    const { raw } = await judge(asking(['given_name']), shown);
    expect(Object.keys(raw).sort()).toEqual(['cnf', 'exp', 'given_name', 'iss', 'vct']);
  });
});
