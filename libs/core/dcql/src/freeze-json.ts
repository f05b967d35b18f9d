import { isWithin, memberPath, setOwnMember, type Fault, type JsonObject, type JsonValue } from '@vestibule/foundation';
import type { DcqlLimits } from './dcql-limits';

interface Walk {
  readonly limits: DcqlLimits;
  readonly faults: Fault[];
  values: number;
}

/** Where the walk is. Its path is written only when there is a fault. */
interface Spot {
  readonly parent: Spot | undefined;
  /** Name or index in the parent; of the root, the path that everything is below. */
  readonly key: string | number;
  readonly depth: number;
}

function pathOf(spot: Spot): string {
  if (spot.parent === undefined) return String(spot.key);
  const parent = pathOf(spot.parent);
  return typeof spot.key === 'number' ? `${parent}[${spot.key}]` : memberPath(parent, spot.key);
}

const MAX_FAULTS = 100;

/** True when there is too much of it, or so much wrong with it that the rest does not matter. */
function isOver(walk: Walk): boolean {
  return walk.values > walk.limits.maxValues || walk.faults.length >= MAX_FAULTS;
}

/** True for an object as JSON.parse creates it, in any realm: its prototype is the root of all objects. */
function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Records the fault; the null in its place is never used. */
function fail(walk: Walk, spot: Spot, message: string): null {
  walk.faults.push({ path: pathOf(spot), message });
  return null;
}

function freezeArray(value: readonly unknown[], spot: Spot, walk: Walk): JsonValue {
  const copy: JsonValue[] = [];
  for (let index = 0; index < value.length && !isOver(walk); index += 1) {
    copy.push(freezeValue(value[index], { parent: spot, key: index, depth: spot.depth + 1 }, walk));
  }
  return Object.freeze(copy) as JsonValue[];
}

function freezeObject(value: Record<string, unknown>, names: readonly string[], spot: Spot, walk: Walk): JsonValue {
  const copy: JsonObject = {};
  for (const name of names) {
    if (isOver(walk)) break;
    if (!isWithin(name, walk.limits.maxTextLength)) {
      fail(walk, spot, `has a member name longer than ${walk.limits.maxTextLength} characters`);
    } else {
      const item = freezeValue(value[name], { parent: spot, key: name, depth: spot.depth + 1 }, walk);
      if (name === '__proto__') setOwnMember(copy, name, item);
      else copy[name] = item;
    }
  }
  return Object.freeze(copy);
}

/** What the author may have there: a list of its own kind can be bounded more closely than any array. */
function entriesAt({ key }: Spot, { limits }: Walk): number {
  if (key === 'credentials') return limits.maxCredentials;
  return key === 'path' ? limits.maxPathLength : limits.maxEntries;
}

function freezeContainer(value: object, spot: Spot, walk: Walk): JsonValue {
  const { maxDepth, maxEntries } = walk.limits;
  if (spot.depth > maxDepth) return fail(walk, spot, `is nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) {
    if (value.length > maxEntries) return fail(walk, spot, `must not have more than ${entriesAt(spot, walk)} entries`);
    return freezeArray(value, spot, walk);
  }
  if (!isPlainObject(value)) return fail(walk, spot, 'must be a JSON value');
  const names = Object.keys(value);
  if (names.length > maxEntries) return fail(walk, spot, `must not have more than ${maxEntries} members`);
  return freezeObject(value, names, spot, walk);
}

function freezeValue(value: unknown, spot: Spot, walk: Walk): JsonValue {
  walk.values += 1;
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string') {
    const { maxTextLength } = walk.limits;
    return isWithin(value, maxTextLength)
      ? value
      : fail(walk, spot, `must not be longer than ${maxTextLength} characters`);
  }
  if (typeof value === 'object') return freezeContainer(value, spot, walk);
  return fail(walk, spot, 'must be a JSON value');
}

/**
 * A deep-frozen copy of a JSON value within the limits, with every member in its order; otherwise the faults. Ends in
 * bounded time for cyclic and shared structures too, because depth and number of values are bounded.
 */
export function freezeJson(
  value: unknown,
  limits: DcqlLimits,
  at: string,
): { readonly value: JsonValue; readonly faults: readonly Fault[] } {
  const walk: Walk = { limits, faults: [], values: 0 };
  const root: Spot = { parent: undefined, key: at, depth: 1 };
  const copy = freezeValue(value, root, walk);
  if (walk.values > limits.maxValues) fail(walk, root, `must not hold more than ${limits.maxValues} values`);
  return { value: copy, faults: walk.faults };
}
