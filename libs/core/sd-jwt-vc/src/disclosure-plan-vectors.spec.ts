import { randomBytes } from 'node:crypto';
import { isMap, isScalar, isSeq, parse as parseYaml, parseDocument, type Node } from 'yaml';
import { setOwnMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { describeWithVectors, readVector } from '@vestibule/testkit';
import { concealClaims, unpackClaims } from './index';
import { chooseDisclosures, type Path } from './testing/holder.fixture-spec';
import { basePayload, parse } from './testing/sd-jwt-builder.fixture-spec';

const SD = '!sd';

/** A specification file: claims in which the tag `!sd` marks what is selectively disclosable. */
interface Specification {
  readonly claims: JsonObject;
  readonly disclosable: ReadonlySet<string>;
  readonly wanted: unknown;
  readonly expected: JsonValue | undefined;
}

const key = (path: Path) => JSON.stringify(path);

/** A scalar under an unknown tag is read as text: read it again without the tag. */
function scalarOf(node: Node): JsonValue {
  if (!isScalar(node)) throw new TypeError('not a scalar');
  return node.tag === SD && node.type === 'PLAIN'
    ? (parseYaml(node.source ?? '') as JsonValue)
    : (node.value as JsonValue);
}

function readClaims(node: Node, path: Path, disclosable: Set<string>): JsonValue {
  if (isSeq<Node>(node)) {
    return node.items.map((item, index) => {
      const here = [...path, index];
      if (item.tag === SD) disclosable.add(key(here));
      return readClaims(item, here, disclosable);
    });
  }
  if (!isMap<Node, Node>(node)) return scalarOf(node);
  const target: JsonObject = {};
  for (const { key: name, value } of node.items) {
    const here = [...path, String(isScalar(name) ? name.value : '')];
    if (name.tag === SD) disclosable.add(key(here));
    setOwnMember(target, here.at(-1) as string, value ? readClaims(value, here, disclosable) : null);
  }
  return target;
}

function readSpecification(file: string): Specification {
  const document = parseDocument(readVector(file), { logLevel: 'silent' });
  const disclosable = new Set<string>();
  const claims = readClaims(document.get('user_claims', true) as Node, [], disclosable) as JsonObject;
  const rest = document.toJS() as Record<string, unknown>;
  const expected = rest['expect_verified_user_claims'] as JsonValue | undefined;
  return { claims, disclosable, wanted: rest['holder_disclosed_claims'], expected };
}

function isWanted(wanted: unknown, path: Path): boolean {
  let at = wanted;
  for (const part of path)
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[part] : undefined;
  return Boolean(at);
}

/** Issues the claims, presents what is wanted and returns what is left of the user's claims. */
function present({ claims, disclosable }: Specification, wants: (path: Path) => boolean): JsonValue {
  const plan = (path: Path) => (disclosable.has(key(path)) ? 'always' : 'never');
  const { payload, disclosures } = concealClaims(claims, plan, randomBytes);
  expect(disclosures).toHaveLength(disclosable.size);
  const chosen = chooseDisclosures(payload, disclosures, wants);
  const seen = unpackClaims(parse({ payload: { ...payload, vct: 'urn:a' }, disclosures: chosen })).claims;
  const ours = new Set([...Object.keys(basePayload), 'vct'].filter((name) => !Object.hasOwn(claims, name)));
  return Object.fromEntries(Object.entries(seen).filter(([name]) => !ours.has(name)));
}

const testCases = [
  'array_data_types',
  'array_full_sd',
  'array_in_sd',
  'array_nested_in_plain',
  'array_none_disclosed',
  'array_of_nulls',
  'array_of_objects',
  'array_of_scalars',
  'array_recursive_sd',
  'array_recursive_sd_some_disclosed',
  'header_mod',
  'json_serialization_flattened',
  'json_serialization_general',
  'key_binding',
  'no_sd',
  'object_data_types',
  'recursions',
];

describeWithVectors('VP:K14 VP:K17 VCI:V12 the test cases of the reference implementation', () => {
  it.each(testCases)('%s shows what is expected of it', (name) => {
    const specification = readSpecification(`verifier/sd-jwt-python-testcases/${name}.yml`);
    const { wanted, expected } = specification;
    expect(present(specification, (path) => isWanted(wanted, path))).toEqual(expected);
  });

  it.each(testCases)('%s shows everything when everything is disclosed', (name) => {
    const specification = readSpecification(`verifier/sd-jwt-python-testcases/${name}.yml`);
    expect(present(specification, () => true)).toEqual(specification.claims);
  });
});

describeWithVectors('VCI:V12 VCI:V18 the specifications of the examples in RFC 9901', () => {
  it.each([
    'address_only_flat',
    'address_only_recursive',
    'address_only_structured',
    'address_only_structured_one_open',
    'arf-pid',
    'complex_eidas',
    'complex_eidas_proposal',
    'complex_ekyc',
    'json_serialization_flattened',
    'json_serialization_general',
    'jsonld',
    'simple',
    'simple_structured',
    'w3c-vc',
    'w3c-vc_for_slide_deck',
  ])('%s shows everything when everything is disclosed', (name) => {
    const specification = readSpecification(`verifier/rfc9901-sd-jwt/specifications/${name}.yml`);
    const seen = present(specification, () => true) as JsonObject;
    // The verifier's own `vct` stands in for the credential's.
    expect({ ...seen, vct: 'urn:a' }).toEqual({ ...specification.claims, vct: 'urn:a' });
  });
});
