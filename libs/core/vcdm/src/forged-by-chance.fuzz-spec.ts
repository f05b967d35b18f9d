import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import {
  isJsonObject,
  setOwnMember,
  VerificationFailure,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import fc from 'fast-check';
import { verifying } from './testing/knowing.fixture-spec';
import {
  CREDENTIALS,
  issueAsStranger,
  presentAsStranger,
  strangersKey,
  TERMS,
  UNDEFINED,
  UNDEFINED_TERMS,
  W3C,
} from './testing/stranger.fixture-spec';
import { verifyCredential, verifyPresentation } from './verify-documents';

const SEED = 42_112;
const RUNS = 400;
const ID = 'urn:uuid:5f2b6c1e-9f6b-4c53-8f3e-0d7c5a0f5f11';
const HOLDER = 'did:example:holder';
const V1 = 'https://www.w3.org/2018/credentials/v1';
const binding = { challenge: 'a-challenge', domain: 'https://verifier.example' };

let credential: JsonObject;
let presentation: JsonObject;
beforeAll(async () => {
  const [issuer, holder]: KeyPair[] = [await strangersKey(), await strangersKey()];
  if (!issuer || !holder) throw new Error('no keys');
  const of = (change: JsonObject) =>
    issueAsStranger(issuer, {
      '@context': [CREDENTIALS, UNDEFINED_TERMS, TERMS],
      id: ID,
      type: ['VerifiableCredential', 'CityCard'],
      validUntil: '2026-03-01T13:00:00Z',
      name: { '@value': 'Card', '@language': 'en', '@direction': 'ltr' },
      credentialSchema: { id: 'https://schema.example/1', type: 'JsonSchema' },
      credentialSubject: {
        id: HOLDER,
        given_name: 'Ada',
        over18: false,
        height: 1.83,
        age: 44,
        grades: [1, 2, 1],
        notes: { a: [null, [], {}], b: 'x' },
        nationalities: ['FR', 'DE'],
        office: { address: { street: 'High Street', no: 7 }, since: '2020-01-01' },
        offices: [{ city: 'Rome' }, { city: 'Oslo' }],
        employer: { id: 'did:example:acme', given_name: 'Acme' },
        source: ID,
      },
      ...change,
    });
  credential = await of({});
  const second = await of({ id: 'urn:second', credentialSubject: { id: holder.controller, given_name: 'Eve' } });
  presentation = await presentAsStranger(
    holder,
    {
      '@context': [CREDENTIALS, UNDEFINED_TERMS],
      id: 'urn:presentation',
      type: ['VerifiablePresentation'],
      holder: holder.controller,
      verifiableCredential: [credential, second],
    },
    binding,
  );
});

/** Members whose value is in the order in which it was signed, and those that are addresses however they are written. */
const ORDERED: readonly string[] = ['grades', 'notes'];
const ADDRESSES: readonly string[] = ['issuer', 'holder', 'employer', 'source', 'credentialSchema'];

function scalar(value: JsonValue, name: string): JsonValue {
  // -0 is 0 when it is written.
  if (typeof value === 'number') return value + 0;
  return name === '@language' && typeof value === 'string' ? value.toLowerCase() : value;
}

/**
 * What a reader of the JSON learns, but for what RDF has no words for: the order of an array, one value or an array of it, an
 * address or an object with nothing else, the case of a language, the contexts, which only say what members mean.
 */
function said(value: JsonValue, name = ''): JsonValue {
  if (ORDERED.includes(name)) return JSON.parse(JSON.stringify(value)) as JsonValue;
  if (Array.isArray(value)) {
    const [first, ...more] = value.map((item) => said(item, name));
    if (first !== undefined && more.length === 0) return first;
    return value.map((item) => JSON.stringify(said(item, name))).sort();
  }
  if (!isJsonObject(value)) return scalar(value, name);
  const names = Object.keys(value).filter((member) => member !== '@context');
  if (names.length === 1 && names[0] === 'id' && ADDRESSES.includes(name)) return value['id'] as JsonValue;
  // As pairs: `__proto__` is a member like any other here.
  return names.sort().map((member) => JSON.stringify([member, said(value[member] as JsonValue, member)]));
}

const MEMBERS = [
  ...['id', 'type', 'issuer', 'holder', 'proof', 'credentialSubject', 'credentialStatus', 'credentialSchema', 'name'],
  ...['validFrom', 'validUntil', 'evidence', 'termsOfUse', 'refreshService', 'relatedResource', 'verifiableCredential'],
  ...['given_name', 'over18', 'age', 'grades', 'notes', 'office', 'employer', 'source', 'admin', 'nationalities'],
  ...['@context', '@id', '@type', '@value', '@language', '@direction', '@index', '@nest', '@included', '@graph'],
  ...['@set', '@list', '@reverse', '@vocab', '@base', '@import', '@propagate', '@protected', '@version', '@json'],
  ...[
    '__proto__',
    'constructor',
    '',
    ' ',
    '_:b0',
    '＠id',
    '@\u200bid',
    'given\u005fname',
    'Given_name',
    'ID',
    'i\u0301d',
  ],
  ...[`${UNDEFINED}given_name`, `${W3C}validUntil`, `${W3C}credentialSubject`, 'terms:over18', 'over18 ', '#over18'],
  ...['validUntil> .\n<urn:x', `given_name> "Ada" .\n<${HOLDER}> <${UNDEFINED}x`],
] as const;

const VALUES: readonly JsonValue[] = [
  ...[
    null,
    [],
    {},
    '',
    0,
    -0,
    1,
    1.83,
    false,
    true,
    'Ada',
    '44',
    '1.83',
    'false',
    HOLDER,
    ID,
    '_:b0',
    'did:example:acme',
  ],
  ...[[null], [[]], [{}], { id: ID }, { '@id': ID }, { '@value': 'Ada' }, { '@set': ['Ada'] }, { '@list': [1, 2, 1] }],
  ...[
    { '@value': 'Ada', '@language': 'en' },
    { '@value': 'Ada', '@type': '@json' },
    { '@value': null },
    { type: '@json' },
  ],
  ...['2026-03-01T14:00:00Z', '2026-03-01T13:00:00.000Z', 'VerifiableCredential', 'VerifiablePresentation'],
  ...[[CREDENTIALS], [CREDENTIALS, UNDEFINED_TERMS], [CREDENTIALS, TERMS, UNDEFINED_TERMS], [CREDENTIALS, V1]],
  ...[
    [CREDENTIALS, V1, UNDEFINED_TERMS, TERMS],
    [CREDENTIALS, UNDEFINED_TERMS, TERMS, CREDENTIALS],
    { '@vocab': null },
  ],
  ...[
    [CREDENTIALS, UNDEFINED_TERMS, TERMS, UNDEFINED_TERMS],
    [CREDENTIALS, UNDEFINED_TERMS, TERMS, []],
  ],
];

const KINDS = ['set', 'remove', 'rename', 'move', 'swap', 'wrap', 'unwrap', 'repeat', 'reverse', 'copy'] as const;
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat(),
  to: fc.nat(),
  member: fc.constantFrom(...MEMBERS),
  value: fc.constantFrom(...VALUES),
});
interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
  readonly to: number;
  readonly member: string;
  readonly value: JsonValue;
}

/** Every member and element of a document, by its container and its name there. */
function placesIn(value: JsonValue): Spot[] {
  if (value === null || typeof value !== 'object') return [];
  const container = value as JsonObject | JsonValue[];
  return Object.keys(container).flatMap((name) => {
    const inner = (container as JsonObject)[name] as JsonValue;
    return [{ container, name }, ...placesIn(inner)];
  });
}

function put(container: JsonObject | JsonValue[], name: string, value: JsonValue): void {
  if (Array.isArray(container)) container.splice(Number(name) || 0, 1, value);
  else setOwnMember(container, name, value);
}
function take(container: JsonObject | JsonValue[], name: string): void {
  if (Array.isArray(container)) container.splice(Number(name), 1);
  else Reflect.deleteProperty(container, name);
}

interface Spot {
  readonly container: JsonObject | JsonValue[];
  readonly name: string;
}

/** What a step does: `own` and `others` are copies of what stands at the two spots. */
type Work = (one: Spot, other: Spot, values: { own: JsonValue; others: JsonValue }, step: Step) => void;
const memberOf = ({ container, name }: Spot, member: string) => (Array.isArray(container) ? name : member);

const WORK: Readonly<Record<Step['kind'], Work>> = {
  set: (one, _other, _values, { member, value }) => put(one.container, memberOf(one, member), structuredClone(value)),
  remove: (one) => take(one.container, one.name),
  rename(one, _other, { own }, { member }) {
    take(one.container, one.name);
    put(one.container, memberOf(one, member), own);
  },
  move(one, other, { own }) {
    take(one.container, one.name);
    put(other.container, memberOf(other, one.name), own);
  },
  copy: (_one, other, { own }, { member }) => put(other.container, memberOf(other, member), own),
  swap(one, other, { own, others }) {
    put(one.container, one.name, others);
    put(other.container, other.name, own);
  },
  wrap: (one, _other, { own }) => put(one.container, one.name, [own]),
  unwrap: (one, _other, { own }, { value }) =>
    put(one.container, one.name, Array.isArray(own) ? (own[0] ?? null) : structuredClone(value)),
  repeat: (one, _other, { own }) =>
    put(one.container, one.name, Array.isArray(own) ? [...own, ...structuredClone(own)] : [own, own]),
  reverse: (one, _other, { own }) =>
    put(one.container, one.name, Array.isArray(own) ? own.reverse() : { '@value': own }),
};

function apply(document: JsonObject, step: Step): void {
  const places = placesIn(document);
  const [one, other] = [step.at, step.to].map((index) => places[index % places.length]);
  if (!one || !other) return;
  const valueAt = ({ container, name }: Spot) => structuredClone((container as JsonObject)[name] as JsonValue);
  WORK[step.kind](one, other, { own: valueAt(one), others: valueAt(other) }, step);
}

/** What verifies, changed at will, says what was signed; what does not verify says why. Some of both has to come up. */
async function expectUnforgeable(signed: () => JsonObject, verify: (document: JsonObject) => Promise<unknown>) {
  await expect(verify(signed())).resolves.toBeDefined();
  const seen = { refused: 0, taken: 0 };
  await fc.assert(property(signed, verify, seen), { seed: SEED, numRuns: RUNS });
  expect(Math.min(seen.refused, seen.taken)).toBeGreaterThan(2);
}

function property(
  signed: () => JsonObject,
  verify: (document: JsonObject) => Promise<unknown>,
  seen: { refused: number; taken: number },
) {
  return fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 3 }), async (steps: Step[]) => {
    const document = structuredClone(signed());
    for (const one of steps) apply(document, one);
    const error = await verify(document).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    seen[error === undefined ? 'taken' : 'refused'] += 1;
    if (error !== undefined) expect(error).toBeInstanceOf(VerificationFailure);
    else expect(said(document)).toEqual(said(signed()));
  });
}

describe('a signed document that is changed at random verifies only where it still says the same', () => {
  it('a credential', async () => {
    await expectUnforgeable(
      () => credential,
      (document) => verifyCredential(document, verifying),
    );
  });

  it('a presentation of two credentials', async () => {
    await expectUnforgeable(
      () => presentation,
      (document) => verifyPresentation(document, binding, verifying),
    );
  });
});
