import {
  isJsonObject,
  ownMember,
  type IssuedJsonObject,
  type IssuedJsonValue,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import type { Disclosure } from './disclosure';
import { sdJwtFailure } from './failures';
import { hashBase64url } from './hash-algorithm';
import type { SdJwt } from './parse-sd-jwt';

/** Claims that must be plain in the payload, with everything in them (SD-JWT VC §3.2.2.2). */
const ALWAYS_VISIBLE: readonly string[] = ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts'];

const TOP_LEVEL = 1;

/**
 * The positions of disclosures in an unpacked payload: for each object and array that has some, the names or positions
 * of the values that came from their own disclosure. Plain values inside a disclosed value are not listed.
 */
export type DisclosedPlaces = ReadonlyMap<object, ReadonlySet<string | number>>;

/** A payload whose digests are replaced. */
export interface UnpackedPayload {
  /** With holes where array elements were not disclosed. */
  readonly issued: IssuedJsonObject;
  readonly disclosed: DisclosedPlaces;
  /** How many JSON values were visited. */
  readonly values: number;
}

interface Unpacking {
  readonly disclosureOf: ReadonlyMap<string, Disclosure>;
  readonly seenDigests: Set<string>;
  readonly used: Set<Disclosure>;
  readonly disclosed: Map<object, Set<string | number>>;
  readonly maxDepth: number;
  /** JSON values that may still come. */
  valuesLeft: number;
}

function spendValues(unpacking: Unpacking, count: number): void {
  unpacking.valuesLeft -= count;
  if (unpacking.valuesLeft < 0) throw sdJwtFailure('sd_jwt_too_large', 'the credential contains too many values');
}

function indexByDigest(sdJwt: SdJwt): Map<string, Disclosure> {
  const disclosureOf = new Map<string, Disclosure>();
  for (const disclosure of sdJwt.disclosures) {
    const digest = hashBase64url(sdJwt.hashAlgorithm, disclosure.encoded);
    if (disclosureOf.has(digest)) throw sdJwtFailure('disclosure_duplicate');
    disclosureOf.set(digest, disclosure);
  }
  return disclosureOf;
}

/** The disclosure of a digest, or undefined for a decoy and for what the holder keeps back. */
function takeDisclosure(unpacking: Unpacking, digest: string): Disclosure | undefined {
  if (unpacking.seenDigests.has(digest)) throw sdJwtFailure('digest_repeated');
  unpacking.seenDigests.add(digest);
  const disclosure = unpacking.disclosureOf.get(digest);
  if (disclosure) unpacking.used.add(disclosure);
  return disclosure;
}

function memberDigests(object: JsonObject): readonly string[] {
  if (!Object.hasOwn(object, '_sd')) return [];
  const digests = object['_sd'];
  const valid = Array.isArray(digests) && digests.every((digest) => typeof digest === 'string');
  if (!valid) throw sdJwtFailure('digests_malformed');
  return digests;
}

function setMember(object: IssuedJsonObject, name: string, value: IssuedJsonValue): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function noteDisclosed(unpacking: Unpacking, container: object, key: string | number): void {
  const keys = unpacking.disclosed.get(container);
  if (keys) keys.add(key);
  else unpacking.disclosed.set(container, new Set([key]));
}

/** Copies the members that were plain; the control members are left behind. */
function unpackPlainMembers(unpacking: Unpacking, source: JsonObject, depth: number): IssuedJsonObject {
  const target: IssuedJsonObject = {};
  for (const name of Object.keys(source)) {
    if (name === '_sd') continue;
    if (name === '...') throw sdJwtFailure('ellipsis_misused');
    if (name !== '_sd_alg') setMember(target, name, unpackValue(unpacking, source[name] as JsonValue, depth + 1));
    else if (depth !== TOP_LEVEL) throw sdJwtFailure('sd_alg_misplaced');
  }
  return target;
}

function unpackObject(unpacking: Unpacking, source: JsonObject, depth: number): IssuedJsonObject {
  const target = unpackPlainMembers(unpacking, source, depth);
  const digests = memberDigests(source);
  spendValues(unpacking, digests.length);
  for (const digest of digests) {
    const disclosure = takeDisclosure(unpacking, digest);
    if (!disclosure) continue;
    const { name, value } = disclosure;
    if (name === undefined) throw sdJwtFailure('disclosure_kind_wrong');
    if (depth === TOP_LEVEL && ALWAYS_VISIBLE.includes(name)) throw sdJwtFailure('registered_claim_disclosed');
    if (Object.hasOwn(target, name)) throw sdJwtFailure('claim_name_collision');
    setMember(target, name, unpackValue(unpacking, value, depth + 1));
    noteDisclosed(unpacking, target, name);
  }
  return target;
}

/** The value behind the placeholder of an array element, or undefined when it was not disclosed. */
function unpackPlaceholder(unpacking: Unpacking, placeholder: JsonObject, depth: number): IssuedJsonValue | undefined {
  const digest = ownMember(placeholder, '...');
  if (typeof digest !== 'string' || Object.keys(placeholder).length !== 1) throw sdJwtFailure('ellipsis_misused');
  const disclosure = takeDisclosure(unpacking, digest);
  if (!disclosure) return undefined;
  if (disclosure.name !== undefined) throw sdJwtFailure('disclosure_kind_wrong');
  return unpackValue(unpacking, disclosure.value, depth);
}

function unpackValue(unpacking: Unpacking, value: JsonValue, depth: number): IssuedJsonValue {
  spendValues(unpacking, 1);
  if (value === null || typeof value !== 'object') return value;
  if (depth > unpacking.maxDepth) throw sdJwtFailure('nesting_too_deep');
  return Array.isArray(value) ? unpackArray(unpacking, value, depth) : unpackObject(unpacking, value, depth);
}

function unpackArray(unpacking: Unpacking, source: readonly JsonValue[], depth: number): IssuedJsonValue {
  const target: (IssuedJsonValue | undefined)[] = [];
  source.forEach((item, index) => {
    const isPlaceholder = isJsonObject(item) && Object.hasOwn(item, '...');
    const value = isPlaceholder
      ? unpackPlaceholder(unpacking, item, depth + 1)
      : unpackValue(unpacking, item, depth + 1);
    target.push(value);
    if (isPlaceholder && value !== undefined) noteDisclosed(unpacking, target, index);
  });
  return target;
}

function containsDigests(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(containsDigests);
  return Object.keys(value).some(
    (name) => name === '_sd' || name === '...' || containsDigests(value[name] as JsonValue),
  );
}

function requireVisible(payload: JsonObject): void {
  for (const name of ALWAYS_VISIBLE) {
    const value = ownMember(payload, name);
    if (value !== undefined && containsDigests(value)) throw sdJwtFailure('registered_claim_disclosed');
  }
}

/**
 * Replaces every digest of the payload by what was disclosed for it (RFC 9901 §7.1 steps 3 to 5, SD-JWT VC §3.2.2.2).
 * An array element that was not disclosed is left as a hole, so that positions stay those of the issuer.
 * Throws the `disclosure_…`, `digest…`, `claim_name_collision`, `ellipsis_misused`, `sd_alg_misplaced`,
 * `nesting_too_deep`, `registered_claim_disclosed` and `sd_jwt_too_large` failures.
 */
export function unpackWithPlaces(sdJwt: SdJwt): UnpackedPayload {
  const { payload, disclosures, limits } = sdJwt;
  const unpacking: Unpacking = {
    disclosureOf: indexByDigest(sdJwt),
    seenDigests: new Set(),
    used: new Set(),
    disclosed: new Map(),
    maxDepth: limits.maxDepth,
    valuesLeft: limits.maxValues,
  };
  requireVisible(payload);
  const issued = unpackObject(unpacking, payload, TOP_LEVEL);
  if (unpacking.used.size !== disclosures.length) throw sdJwtFailure('disclosure_unreferenced');
  const values = limits.maxValues - unpacking.valuesLeft;
  return { issued, disclosed: unpacking.disclosed, values };
}

/** As {@link unpackWithPlaces}, where it does not matter what was disclosed. */
export function unpackPayload(sdJwt: SdJwt): IssuedJsonObject {
  return unpackWithPlaces(sdJwt).issued;
}

function compactValue(value: IssuedJsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (!Array.isArray(value)) return compactClaims(value);
  return value.flatMap((item) => (item === undefined ? [] : [compactValue(item)]));
}

/** The same claims with the holes in arrays closed: the processed payload of RFC 9901 §7.1. */
export function compactClaims(issued: IssuedJsonObject): JsonObject {
  const target: JsonObject = {};
  for (const name of Object.keys(issued)) {
    setMember(target, name, compactValue(issued[name] as IssuedJsonValue));
  }
  return target;
}
