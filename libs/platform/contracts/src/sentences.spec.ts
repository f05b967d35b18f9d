import { z } from 'zod';
import {
  credentialImport,
  credentialOfferBody,
  credentialOfferChange,
  credentialStatusBody,
  draftCreateBody,
  draftIssueBody,
  draftSearchBody,
  judge,
  presentationBinding,
  presentationCreation,
  presentationRequestBody,
  previousDraftCreateBody,
  publishedSchemaSearchBody,
  schemaCreateBody,
  schemaPublishBody,
  schemaSearchBody,
} from './index';

/** What the sentences of the library begin with, or have in them. */
const RAW = /Invalid|Too (?:small|big)|expected|received|Unrecognized|Unknown error|discriminator|undefined|NaN|Zod/i;
const sentences = (schema: z.ZodType, given: unknown) => judge(schema, given).faults.map(({ message }) => message);
const sentence = (schema: z.ZodType, given: unknown) => sentences(z.strictObject({ a: schema }), { a: given })[0];

describe('17.13 sentences about faults', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['another type', z.string(), 1, 'must be a string'],
    ['nothing', z.string(), undefined, 'is required'],
    ['null', z.string(), null, 'must be a string'],
    ['a fraction', z.int(), 1.5, 'must be a whole number'],
    ['an unsafe integer', z.int(), 2 ** 60, 'must be at most 9007199254740991'],
    ['no boolean', z.boolean(), 'yes', 'must be true or false'],
    ['no object', z.strictObject({}), [], 'must be an object'],
    ['no array', z.array(z.string()), {}, 'must be an array'],
    ['a record', z.record(z.string(), z.string()), 1, 'must be an object'],
    ['another value', z.enum(['x', 'y']), 'z', 'must be one of x, y'],
    ['not the only value', z.literal('x'), 'z', 'must be x'],
    ['an empty text', z.string().min(1), '', 'must not be empty'],
    ['a short text', z.string().min(2), 'x', 'must have at least 2 characters'],
    ['a long text', z.string().max(1), 'xy', 'must have at most 1 character'],
    ['an empty array', z.array(z.string()).min(1), [], 'must not be empty'],
    ['a long array', z.array(z.string()).max(1), ['x', 'y'], 'must have at most 1 element'],
    ['a small number', z.int().min(4), 3, 'must be at least 4'],
    ['a large number', z.number().max(16), 17, 'must be at most 16'],
    ['too small a bound', z.number().positive(), 0, 'must be greater than 0'],
    ['too large a bound', z.number().lt(3), 3, 'must be less than 3'],
    ['no multiple', z.number().multipleOf(5), 3, 'must be a multiple of 5'],
    ['no timestamp', z.iso.datetime(), 'x', 'must be a timestamp of RFC 3339, such as 2026-03-01T12:00:00Z'],
    ['another pattern', z.string().regex(/^a$/), 'b', 'must match /^a$/'],
    ['neither of two types', z.union([z.string(), z.array(z.string())]), 1, 'must be a string, or an array'],
    [
      'a fault in one of two types',
      z.union([z.string().min(2), z.array(z.string())]),
      'x',
      'must have at least 2 characters',
    ],
    ['its own sentence', z.string().regex(/^a$/, 'must be an a'), 'b', 'must be an a'],
    [
      'the own sentence of a union',
      z.union([z.int(), z.boolean()], 'must be this or that'),
      'x',
      'must be this or that',
    ],
  ])('%s', (_what, schema, given, expected) => {
    expect(sentence(schema, given)).toBe(expected);
  });

  const BODIES = {
    credentialImport,
    credentialOfferBody,
    credentialOfferChange,
    credentialStatusBody,
    draftCreateBody,
    draftIssueBody,
    draftSearchBody,
    presentationBinding,
    presentationCreation,
    presentationRequestBody,
    previousDraftCreateBody,
    publishedSchemaSearchBody,
    schemaCreateBody,
    schemaPublishBody,
    schemaSearchBody,
  };
  const WRONG = [null, 1, 1.5, -1, 1e9, true, '', 'x', 'x'.repeat(5_000), [], [1], [null], {}, { x: 1 }];

  const SOME = WRONG.filter((_, index) => index % 4 === 1);

  it.each(Object.entries(BODIES))('of %s are never those of the library, whatever is wrong', (_name, schema) => {
    const members = ['labels', 'annotations', 'data', 'filter', 'sort', 'limit', 'MetaData', 'tx_code', 'expires_in'];
    const names = [...members, 'status', 'slug', 'version', 'Challenge', 'CredentialDids', 'valid_from', 'dcql_query'];
    const inner = [
      'schema',
      'meta_schema',
      'values',
      'json_ld_vocabs',
      'id',
      'state',
      'labels',
      'length',
      'created_at',
    ];
    const cases = WRONG.flatMap((wrong) => [
      wrong,
      ...names.flatMap((name) => [
        { [name]: wrong },
        ...(SOME.includes(wrong) ? inner : []).flatMap((part) => [
          { [name]: { [part]: wrong } },
          { [name]: [{ [part]: wrong }, wrong] },
        ]),
        { [name]: [{ state: { operator: wrong, value: wrong }, version: { operator: 'IN', value: [wrong] } }] },
      ]),
    ]);
    const found = new Set(cases.flatMap((given) => sentences(schema, given)));
    expect([...found].filter((one) => RAW.test(one))).toEqual([]);
    expect(found.size).toBeGreaterThan(0);
  });
});

describe('17.13 a member in the wrong place', () => {
  const about = (schema: z.ZodType, given: unknown, hints = {}) => judge(schema, given, hints).faults;

  it.each<[string, z.ZodType, unknown, string, string]>([
    ['a schema beside data', schemaCreateBody, { schema: {} }, 'schema', 'its place is data.schema'],
    ['a slug beside data', schemaCreateBody, { slug: 'a' }, 'slug', 'its place is data.slug'],
    [
      'labels in data',
      schemaCreateBody,
      { data: { labels: {} } },
      'data.labels',
      'its place is labels, at the top level',
    ],
    ['values beside data', draftCreateBody, { data: {}, values: {} }, 'values', 'its place is data.values'],
    [
      'Labels beside MetaData',
      presentationCreation,
      { Labels: {}, CredentialDids: ['did:x:y'] },
      'Labels',
      'its place is MetaData.Labels',
    ],
    [
      'a length of a code',
      credentialOfferBody,
      { credential_configuration_id: 'x', length: 4 },
      'length',
      'its place is tx_code.length',
    ],
    ['an operator', draftSearchBody, { operator: 'EQUAL' }, 'operator', 'its place is filter[].id.operator'],
    [
      'a wallet in the body',
      presentationCreation,
      { CredentialDids: ['did:x:y'], walletDid: 'did:x:w' },
      'walletDid',
      'the query string, as walletDid',
    ],
    ['an idempotency key', schemaCreateBody, { idempotency_key: 'x' }, 'idempotency_key', 'the header Idempotency-Key'],
    ['an etag', schemaPublishBody, { etag: '1' }, 'etag', 'the header If-Match'],
  ])('%s is told where it belongs', (...[, schema, given, path, place]) => {
    const fault = about(schema, given).find((one) => one.path === path);
    expect(fault?.message).toContain(place);
  });

  it('is told what was meant where a neighbour is nearly the same, and of one further away where that is', () => {
    expect(about(schemaCreateBody, { data: { shema: {} } })[0]?.message).toContain('did you mean schema?');
    expect(about(schemaCreateBody, { shema: {} })[0]?.message).toContain('did you mean data.schema?');
    expect(about(schemaCreateBody, { zebra: {} })[0]?.message).toBe('is not a known member');
  });

  it('says of a query string nothing about bodies', () => {
    expect(about(z.strictObject({}), { entityDid: 'x' }, { isBody: false })).toEqual([
      { path: 'entityDid', message: 'is not a known member' },
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'x'.repeat(100_000)])('is not confused by %s', (name) => {
    const given = JSON.parse(`{${JSON.stringify(name)}: 1}`) as unknown;
    for (const { path, message } of about(schemaCreateBody, given)) {
      expect(path.length).toBeLessThanOrEqual(64);
      expect(message).toBe('is not a known member');
    }
  });
});

describe('17.13 filters', () => {
  const faultsOf = (filter: unknown) => judge(draftSearchBody, { filter }).faults;
  const is = (value: unknown, operator = 'EQUAL') => ({ operator, value });

  it.each<[string, unknown, string, string]>([
    ['an unknown state', [{ state: is('signed') }], 'filter[0].state.value', 'must be one of draft, issued, abandoned'],
    [
      'one of several states',
      [{ state: is(['draft', 'x'], 'IN') }],
      'filter[0].state.value[1]',
      'must be one of draft, issued, abandoned',
    ],
    [
      'a state that is a number',
      [{ state: is(1) }],
      'filter[0].state.value',
      'must be one of draft, issued, abandoned, or an array',
    ],
    [
      'no timestamp',
      [{ created_at: is('yesterday') }],
      'filter[0].created_at.value',
      'must be a timestamp of RFC 3339',
    ],
    ['no text', [{ id: is(5) }], 'filter[0].id.value', 'must be a string, or an array'],
    [
      'an unknown operator',
      [{ id: is('x', 'LIKE') }],
      'filter[0].id.operator',
      'must be one of EQUAL, NOT_EQUAL, IN, NOT_IN',
    ],
    ['an array for EQUAL', [{ id: is(['x']) }], 'filter[0].id.value', 'must be an array for IN and NOT_IN'],
    ['no values', [{ id: is([], 'IN') }], 'filter[0].id.value', 'must not be empty'],
    ['an empty filter', [], 'filter', 'must have at least one entry'],
    ['an empty entry', [{}], 'filter[0]', 'must have at least one condition, on id, state, entity_did'],
    ['no labels', [{ labels: {} }], 'filter[0].labels', 'must have at least one label'],
    ['no array', {}, 'filter', 'must be an array'],
    ['an unknown field alone', [{ zebra: is('x') }], 'filter[0].zebra', 'is not a known member'],
  ])('with %s say what is allowed', (_what, filter, path, message) => {
    const found = faultsOf(filter);
    expect(found.map((one) => one.path)).toEqual([path]);
    expect(found[0]?.message).toContain(message);
  });

  it('read states in any case, times in any offset, and numbers and flags as JSON or as text', () => {
    const filter = [{ state: is(['DRAFT', 'Issued'], 'IN'), created_at: is('2026-03-01T13:00:00+01:00') }];
    expect(judge(draftSearchBody, { filter }).value?.filter).toEqual([
      { state: is(['draft', 'issued'], 'IN'), created_at: is('2026-03-01T12:00:00.000Z') },
    ]);
    for (const [version, published] of [
      [7, true],
      ['07', 'true'],
    ]) {
      const typed = [{ version: is(version), published: is(published) }];
      expect(judge(schemaSearchBody, { filter: typed }).value?.filter).toEqual([
        { version: is('7'), published: is('true') },
      ]);
    }
    expect(judge(schemaSearchBody, { filter: null }).faults).toEqual([]);
    expect(judge(schemaSearchBody, { filter: [{ version: is('x') }] }).faults[0]?.message).toContain(
      'must be a whole number',
    );
    expect(judge(schemaSearchBody, { filter: [{ published: is(1) }] }).faults[0]?.message).toContain(
      'must be true or false',
    );
  });
});
