import { isJsonObject, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { vcdmFailure } from './failures';
import { isCoveredScalar } from './covered-scalars';
import { createScope, describesOnce, type Scope } from './node-places';
import { CREDENTIAL, CREDENTIAL_SUBJECT, PRESENTATION } from './w3c-terms';

/** An object of expanded JSON-LD: a node, or a value. */
export type Expanded = Readonly<Record<string, unknown>>;

/** Where the walk is: how deep in which graph, and whether within the value of `credentialSubject`. */
interface Place {
  readonly scope: Scope;
  readonly depth: number;
  readonly isSubject: boolean;
}

/** The triples that the document must become if nothing of it is dropped and nothing falls together. */
interface Count {
  quads: number;
}

const isObject = (value: unknown): value is Expanded => isJsonObject(value);

function uncovered(): Error {
  return vcdmFailure('vc_member_unsigned');
}

/** JSON-LD names members by terms; an address says the same in another way, so that a reader of the JSON overlooks it. */
function checkTerm(name: string): void {
  if (name.includes(':'))
    throw vcdmFailure('vc_member_unsigned', 'members and types must be named by terms, not by IRIs');
}

function coverTypes(json: JsonValue, types: unknown, count: Count): void {
  const names = Array.isArray(json) ? json : [json];
  if (!Array.isArray(types) || types.length !== names.length) throw uncovered();
  for (const name of names) {
    if (typeof name !== 'string') throw uncovered();
    checkTerm(name);
  }
  count.quads += types.length;
}

/** An id is written as it is signed: neither with a prefix nor as the name of a blank node, which nobody signs. */
function coverId(json: JsonValue, id: unknown): void {
  if (typeof json !== 'string' || json !== id || json.startsWith('_:')) throw uncovered();
}

function coverReference(json: string, { '@id': id, ...rest }: Expanded, place: Place): void {
  const isTerm = !json.includes(':');
  if (typeof id !== 'string' || id.startsWith('_:') || Object.keys(rest).length > 0) throw uncovered();
  if (!isTerm && json !== id) throw uncovered();
  place.scope.note(id, { ...place, described: false });
}

function coverGraph(json: JsonObject, graph: unknown, count: Count): void {
  const [root, ...more] = Array.isArray(graph) ? graph : [];
  if (!isObject(root) || more.length > 0) throw uncovered();
  coverDocument(json, root, count);
}

function coverObject(json: JsonObject, value: Expanded, place: Place, count: Count): void {
  if ('@value' in json || '@value' in value) {
    if (!isCoveredScalar(json, value)) throw uncovered();
    return;
  }
  if ('@graph' in value) {
    if (Object.keys(value).length > 1) throw uncovered();
    return coverGraph(json, value['@graph'], count);
  }
  coverNode(json, value, place, count);
}

function coverValue(json: JsonValue, value: unknown, place: Place, count: Count): void {
  if (!isObject(value) || json === null || Array.isArray(json)) throw uncovered();
  if (typeof json === 'object') return coverObject(json, value, place, count);
  if (typeof json === 'string' && '@id' in value) return coverReference(json, value, place);
  if (!isCoveredScalar(json, value)) throw uncovered();
}

function coverList(json: JsonValue, { '@list': list, ...rest }: Expanded, place: Place, count: Count): void {
  const items = Array.isArray(json) ? json : [json];
  if (!Array.isArray(list) || list.length !== items.length || Object.keys(rest).length > 0) throw uncovered();
  // A cell of a list is a node of its own: what it has, and what follows.
  count.quads += 2 * list.length;
  items.forEach((item, index) => {
    const value: unknown = list[index];
    if (isObject(value) && '@list' in value) coverList(item, value, place, count);
    else coverValue(item, value, place, count);
  });
}

function coverProperty(json: JsonValue, values: unknown, place: Place, count: Count): void {
  if (!Array.isArray(values) || values.length === 0) throw uncovered();
  count.quads += values.length;
  const [first] = values as unknown[];
  if (values.length === 1 && isObject(first) && first['@type'] === '@json') {
    if (JSON.stringify(first) !== JSON.stringify({ '@type': '@json', '@value': json })) throw uncovered();
    return;
  }
  if (values.length === 1 && isObject(first) && '@list' in first) return coverList(json, first, place, count);
  const items = Array.isArray(json) ? json : [json];
  if (items.length !== values.length) throw uncovered();
  items.forEach((item, index) => coverValue(item, values[index], place, count));
}

function coverMember(
  name: string,
  json: JsonValue,
  [property, value]: [string, unknown],
  at: { place: Place; count: Count },
) {
  const { place, count } = at;
  checkTerm(name);
  if (property === '@id' && name === 'id') return coverId(json, value);
  if (property === '@type' && name === 'type') return coverTypes(json, value, count);
  if (property.startsWith('@')) throw uncovered();
  const inner = { ...place, depth: place.depth + 1, isSubject: property === CREDENTIAL_SUBJECT };
  coverProperty(json, value, inner, count);
}

/**
 * The members of a node stand in the order of their names in the expanded node as well (JSON-LD API §5.1.2, step 13):
 * one entry for each, or the node is not what the object says.
 */
function coverNode(json: JsonObject, node: Expanded, place: Place, count: Count): void {
  const names = Object.keys(json)
    .filter((name) => name !== '@context')
    .sort();
  const entries = Object.entries(node);
  if (names.length !== entries.length) throw uncovered();
  const types = node['@type'];
  const isDocument = Array.isArray(types) && (types.includes(CREDENTIAL) || types.includes(PRESENTATION));
  if (isDocument && place.depth > 0) {
    throw vcdmFailure('vc_member_unsigned', 'a credential or presentation must not be inside the graph of another one');
  }
  const id = node['@id'];
  if (typeof id === 'string') place.scope.note(id, { ...place, described: entries.length > 1 });
  names.forEach((name, index) => {
    coverMember(name, json[name] as JsonValue, entries[index] as [string, unknown], { place, count });
  });
}

/** One graph of a document: its root, and what it leads to. */
function coverDocument(json: JsonObject, root: Expanded, count: Count): void {
  const scope = createScope();
  coverNode(json, root, { scope, depth: 0, isSubject: false }, count);
  if (!describesOnce(scope)) {
    throw vcdmFailure('vc_member_unsigned', 'a node must be described in one place, the one nearest to the root');
  }
}

/**
 * Holds a document against its expansion, member by member: each has an entry of its own there, says the same there, and
 * could stand nowhere else and under no other name. The members of `@context` are left out. Returns the triples that the
 * expansion must become; throws `vc_member_unsigned` and `vc_number_inexact`.
 */
export function countCoveredQuads(json: JsonObject, root: Expanded): number {
  const count: Count = { quads: 0 };
  coverDocument(json, root, count);
  return count.quads;
}
