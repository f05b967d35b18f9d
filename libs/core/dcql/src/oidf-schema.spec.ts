import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { describeWithVectors, readJsonVector } from '@vestibule/testkit';
import fc from 'fast-check';
import { parseDcqlQuery } from './index';

type Check = (rule: JsonValue, value: JsonValue, schema: JsonObject) => boolean;

const TYPES: Record<string, (value: JsonValue) => boolean> = {
  object: isJsonObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
};

/** A validator for the few keywords of JSON Schema (draft 7) that the schema of the conformance suite uses. */
function validator(root: JsonObject): (value: JsonValue) => boolean {
  const list = (rule: JsonValue) => rule as JsonValue[];
  const text = (rule: JsonValue) => rule as string;
  const properties = (schema: JsonObject) => (ownMember(schema, 'properties') ?? {}) as JsonObject;
  const checks: Record<string, Check> = {
    $ref: (rule, value) =>
      isValid(
        text(rule)
          .split('/')
          .slice(1)
          .reduce<JsonValue>((at, part) => (at as JsonObject)[part] as JsonValue, root),
        value,
      ),
    type: (rule, value) => TYPES[text(rule)]?.(value) === true,
    enum: (rule, value) => list(rule).includes(value),
    const: (rule, value) => rule === value,
    minItems: (rule, value) => !Array.isArray(value) || value.length >= Number(rule),
    minLength: (rule, value) => typeof value !== 'string' || value.length >= Number(rule),
    minimum: (rule, value) => typeof value !== 'number' || value >= Number(rule),
    pattern: (rule, value) => typeof value !== 'string' || new RegExp(text(rule)).test(value),
    items: (rule, value) => !Array.isArray(value) || value.every((item) => isValid(rule, item)),
    required: (rule, value) => !isJsonObject(value) || list(rule).every((name) => Object.hasOwn(value, text(name))),
    properties: (rule, value) =>
      !isJsonObject(value) ||
      Object.entries(rule as JsonObject).every(
        ([name, sub]) => !Object.hasOwn(value, name) || isValid(sub, value[name] as JsonValue),
      ),
    additionalProperties: (_rule, value, schema) =>
      !isJsonObject(value) || Object.keys(value).every((name) => Object.hasOwn(properties(schema), name)),
    anyOf: (rule, value) => list(rule).some((sub) => isValid(sub, value)),
    allOf: (rule, value) => list(rule).every((sub) => isValid(sub, value)),
    if: (rule, value, schema) => {
      const branch = ownMember(schema, isValid(rule, value) ? 'then' : 'else');
      return branch === undefined || isValid(branch, value);
    },
    then: () => true,
    else: () => true,
    $comment: () => true,
    $schema: () => true,
    definitions: () => true,
  };
  function isValid(schema: JsonValue, value: JsonValue): boolean {
    return Object.entries(schema as JsonObject).every(([keyword, rule]) => {
      const check = checks[keyword];
      if (!check) throw new Error(`keyword ${keyword} is not implemented`);
      return check(rule, value, schema as JsonObject);
    });
  }
  return (value) => isValid(root, value);
}

const FULL: JsonObject = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      multiple: true,
      require_cryptographic_holder_binding: false,
      meta: { vct_values: ['urn:pid'] },
      trusted_authorities: [{ type: 'aki', values: ['AAEC'] }],
      claims: [
        { id: 'a', path: ['a', null, 0], values: ['x', 1, true] },
        { id: 'b', path: ['b'] },
      ],
      claim_sets: [['a'], ['a', 'b']],
    },
  ],
  credential_sets: [{ options: [['pid']], required: false }],
};

const asking = (claim: JsonObject): JsonObject => ({
  credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['v'] }, claims: [claim] }],
});

/** `document` with the value at position `target` of a depth-first walk replaced, or removed when it is a member. */
function damage(document: JsonValue, target: number, replacement: JsonValue | undefined): JsonValue {
  let visited = -1;
  const walk = (value: JsonValue): JsonValue | undefined => {
    visited += 1;
    if (visited === target) return replacement;
    if (Array.isArray(value)) return value.map(walk).filter((item) => item !== undefined);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, item]) => [name, walk(item)] as const);
    return Object.fromEntries(members.filter((member): member is [string, JsonValue] => member[1] !== undefined));
  };
  return walk(document) ?? null;
}

describeWithVectors('parseDcqlQuery and the schema of the OpenID conformance suite', () => {
  const isValid = validator(readJsonVector('verifier/oidf-conformance-schemas/oid4vp_dcql_request.json') as JsonObject);
  const accepts = (value: JsonValue) => parseDcqlQuery(value).ok;

  it('VP:E1 agree on a query with every member', () => {
    expect([isValid(FULL), accepts(FULL)]).toEqual([true, true]);
  });

  it('VP:E1 what the schema refuses is refused, wherever one value of a good query is damaged', () => {
    const replacements = fc.constantFrom<JsonValue | undefined>(
      undefined,
      null,
      true,
      0,
      -1,
      1.5,
      'a b',
      'pid',
      [],
      {},
      [[]],
      ['a'],
      [1],
      [null],
      [{}],
    );
    let refused = 0;
    fc.assert(
      fc.property(fc.nat({ max: 36 }), replacements, (target, replacement) => {
        const value = damage(FULL, target, replacement);
        if (isValid(value)) return;
        refused += 1;
        expect([value, accepts(value)]).toEqual([value, false]);
      }),
      { numRuns: 1_500 },
    );
    expect(refused).toBeGreaterThan(300);
  });

  it.each<[title: string, value: JsonValue]>([
    ['VP:E16 unknown members', { ...FULL, extension: 1 }],
    ['VP:E6 the empty name in a path', asking({ path: [''] })],
    ['VP:E11 the empty text as a value', asking({ path: ['a'], values: [''] })],
  ])('%s: the specification allows it, the suite does not', (_title, value) => {
    expect([isValid(value), accepts(value)]).toEqual([false, true]);
  });

  it.each<[title: string, value: JsonValue]>([
    ['VP:E9 references to nothing', { ...FULL, credential_sets: [{ options: [['mdl']] }] }],
    [
      'VP:E2 a repeated id',
      { credentials: [...(FULL['credentials'] as JsonValue[]), ...(FULL['credentials'] as JsonValue[])] },
    ],
    ['VP:E3 mso_mdoc', { credentials: [{ id: 'a', format: 'mso_mdoc', meta: { doctype_value: 'x' } }] }],
    [
      'VP:E14 etsi_tl',
      {
        credentials: [
          {
            id: 'a',
            format: 'dc+sd-jwt',
            meta: { vct_values: ['v'] },
            trusted_authorities: [{ type: 'etsi_tl', values: ['x'] }],
          },
        ],
      },
    ],
  ])('%s: the schema cannot tell or allows it, we refuse', (_title, value) => {
    expect([isValid(value), accepts(value)]).toEqual([true, false]);
  });
});
