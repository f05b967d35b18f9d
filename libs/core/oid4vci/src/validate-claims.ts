import {
  collectFaults,
  findProbableName,
  isJsonObject,
  ownMember,
  type Fault,
  type FaultNotes,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import { countDisclosures, MAX_DISCLOSURES } from '@vestibule/sd-jwt-vc';
import { formatClaimPath, type ClaimPath } from './claim-path';
import { childNode, type ClaimNode } from './claim-tree';
import type { CredentialType } from './credential-type';
import { disclosurePlan } from './disclosure-plan';
import { RESERVED_CLAIMS, SD_JWT_NAMES } from './reserved-claims';

/** Nesting of objects and arrays in claims, and their size as JSON in UTF-8. */
const CLAIMS_MAX_DEPTH = 16;
const CLAIMS_MAX_BYTES = 131_072;
/** A body of nothing but faults must not cost more than one of claims. */
const MAX_FAULTS = 100;
const TOO_MANY_DISCLOSURES = `must not have more than ${MAX_DISCLOSURES} separately disclosed claims and array elements`;

function add(list: FaultNotes, path: ClaimPath, message: string): void {
  if (!list.isFull()) list.note(formatClaimPath(['claims', ...path]), message);
}

function isJsonWithin(value: unknown, depth: number): value is JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0) return false;
  return Object.values(value).every((item) => isJsonWithin(item, depth - 1));
}

function formFault(claims: unknown): string | undefined {
  if (!isJsonObject(claims)) return 'must be an object';
  return isJsonWithin(claims, CLAIMS_MAX_DEPTH) ? undefined : `must be JSON, nested at most ${CLAIMS_MAX_DEPTH} deep`;
}

/** A fault if claims are larger, as JSON, than those of any credential may be; undefined also for what is no claims. */
export function claimsSizeFault(claims: unknown): Fault | undefined {
  if (formFault(claims) !== undefined) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(claims), 'utf8');
  return bytes > CLAIMS_MAX_BYTES
    ? { path: 'claims', message: `must have at most ${CLAIMS_MAX_BYTES} bytes` }
    : undefined;
}

/** A place in the claims: its node in the type, and whether a claim on the way to it is listed. */
interface Place {
  readonly node: ClaimNode | undefined;
  readonly listed: boolean;
  readonly path: ClaimPath;
}

function placeBelow(place: Place, part: string | number): Place {
  const node = place.node && childNode(place.node, part);
  return { node, listed: place.listed || node?.claim !== undefined, path: [...place.path, part] };
}

const isListed = (place: Place) => place.listed || place.node !== undefined;

function memberFault(parent: Place, name: string): string | undefined {
  if (SD_JWT_NAMES.has(name)) return 'is a name that SD-JWT reserves';
  if (parent.path.length === 0 && RESERVED_CLAIMS.has(name)) return 'is set by the issuer';
  if (isListed(placeBelow(parent, name))) return undefined;
  const meant = parent.node && findProbableName(name, parent.node.members.keys());
  return meant === undefined ? 'is not a claim of this type' : `is not a claim of this type; did you mean ${meant}?`;
}

function checkObject(value: JsonObject, place: Place, list: FaultNotes): void {
  if (place.node?.elements || place.node?.indexes.size) add(list, place.path, 'must be an array');
  for (const name of Object.keys(value)) {
    if (list.isFull()) return;
    const wrong = memberFault(place, name);
    if (wrong !== undefined) add(list, [...place.path, name], wrong);
    else checkValue(value[name] as JsonValue, placeBelow(place, name), list);
  }
}

function checkArray(value: readonly JsonValue[], place: Place, list: FaultNotes): void {
  if (place.node?.members.size) add(list, place.path, 'must be an object');
  value.forEach((item, index) => {
    const below = placeBelow(place, index);
    if (isListed(below)) checkValue(item, below, list);
    else add(list, below.path, 'is not a claim of this type');
  });
}

function checkValue(value: JsonValue, place: Place, list: FaultNotes): void {
  if (list.isFull()) return;
  if (Array.isArray(value)) return checkArray(value, place, list);
  if (isJsonObject(value)) return checkObject(value, place, list);
  if (place.node?.members.size) add(list, place.path, 'must be an object');
  else if (place.node?.elements || place.node?.indexes.size) add(list, place.path, 'must be an array');
}

function checkMandatoryMembers(node: ClaimNode, object: JsonObject, path: ClaimPath, list: FaultNotes): void {
  for (const [name, child] of node.members) {
    const setByIssuer = path.length === 0 && RESERVED_CLAIMS.has(name);
    if (!setByIssuer) checkMandatory(child, ownMember(object, name), [...path, name], list);
  }
}

function checkMandatoryElements(node: ClaimNode, array: readonly JsonValue[], path: ClaimPath, list: FaultNotes): void {
  for (const [index, child] of node.indexes) checkMandatory(child, array[index], [...path, index], list);
  const { elements } = node;
  if (!elements) return;
  if (array.length === 0) checkMandatory(elements, undefined, [...path, null], list);
  array.forEach((item, index) => checkMandatory(elements, item, [...path, index], list));
}

/** Notes mandatory claims without a value; JSON null counts as none. A claim within something absent is absent too. */
function checkMandatory(node: ClaimNode, value: JsonValue | undefined, path: ClaimPath, list: FaultNotes): void {
  if (list.isFull()) return;
  if (node.claim?.mandatory && (value === undefined || value === null)) return add(list, path, 'is mandatory');
  checkMandatoryMembers(node, isJsonObject(value) ? value : {}, path, list);
  checkMandatoryElements(node, Array.isArray(value) ? value : [], path, list);
}

/**
 * Judges the claims that a backend wants in a credential: every claim that the type does not list, every reserved name,
 * every mandatory claim that is missing and every object that the type knows as an array, or the reverse, each with its
 * path; at most 100 faults; and claims with more places that get a Disclosure of their own than a credential may have. A
 * sub-claim of a listed claim counts as listed unless the type forbids its shape.
 * An empty answer means that the claims can be issued (SD-JWT VC §9.3, RFC 9901 §4.1), or, where mandatory ones may come
 * `later`, that they are a part of such claims.
 */
export function validateClaims(type: CredentialType, claims: unknown, mandatory: 'now' | 'later' = 'now'): Fault[] {
  const wrong = formFault(claims);
  if (wrong !== undefined) return [{ path: 'claims', message: wrong }];
  const tooLarge = claimsSizeFault(claims);
  if (tooLarge) return [tooLarge];
  const list = collectFaults(MAX_FAULTS);
  checkObject(claims as JsonObject, { node: type.claimTree, listed: false, path: [] }, list);
  if (mandatory === 'now') checkMandatory(type.claimTree, claims as JsonObject, [], list);
  if (countDisclosures(claims as JsonObject, disclosurePlan(type)) > MAX_DISCLOSURES)
    add(list, [], TOO_MANY_DISCLOSURES);
  return list.faults;
}
