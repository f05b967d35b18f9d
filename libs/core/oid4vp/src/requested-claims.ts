import type { ClaimPath } from '@vestibule/dcql';
import type { IssuedJsonObject, IssuedJsonValue } from '@vestibule/foundation';
import type { DisclosedPlaces } from '@vestibule/sd-jwt-vc';

/** A payload without the claims that were not requested. */
export interface RequestedClaims {
  /** A dropped member is gone, a dropped array element is a hole: as if neither had been disclosed. */
  readonly issued: IssuedJsonObject;
  /** How many disclosures are dropped, those within others included. */
  readonly surplus: number;
}

type Container = IssuedJsonObject | (IssuedJsonValue | undefined)[];
type Key = string | number;

/** What the paths of a query need. */
interface Needed {
  readonly disclosed: DisclosedPlaces;
  /** Disclosures on the way to what is asked for. */
  readonly onTheWay: Map<object, Set<Key>>;
  /** What is asked for, with everything in it. */
  readonly whole: Set<object>;
}

function isContainer(value: IssuedJsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

function childOf(container: Container, key: Key): IssuedJsonValue | undefined {
  return (container as Readonly<Record<Key, IssuedJsonValue | undefined>>)[key];
}

function* keysOf(container: Container): Generator<Key> {
  if (!Array.isArray(container)) yield* Object.keys(container);
  else yield* container.keys();
}

/** The keys that one part of a claims path pointer selects; none where the types do not fit (OpenID4VP 1.0 §7.1.1). */
function selectedKeys(container: Container, part: Key | null): Iterable<Key> {
  if (part === null) return Array.isArray(container) ? keysOf(container) : [];
  if ((typeof part === 'number') !== Array.isArray(container)) return [];
  return Object.hasOwn(container, part) ? [part] : [];
}

/** Notes what leads to the elements that a path, from its part `at` on, selects below `value`; true when there is one. */
function note(needed: Needed, value: IssuedJsonValue, path: ClaimPath, at: number): boolean {
  const part = path[at];
  if (part === undefined) {
    if (isContainer(value)) needed.whole.add(value);
    return true;
  }
  if (!isContainer(value)) return false;
  let found = false;
  for (const key of selectedKeys(value, part)) {
    const child = childOf(value, key);
    if (child === undefined || !note(needed, child, path, at + 1)) continue;
    found = true;
    if (needed.disclosed.get(value)?.has(key)) {
      const keys = needed.onTheWay.get(value) ?? new Set();
      needed.onTheWay.set(value, keys.add(key));
    }
  }
  return found;
}

/** The disclosures within a value. */
function countDisclosed(disclosed: DisclosedPlaces, value: IssuedJsonValue): number {
  if (!isContainer(value)) return 0;
  let count = disclosed.get(value)?.size ?? 0;
  for (const key of keysOf(value)) {
    const child = childOf(value, key);
    if (child !== undefined) count += countDisclosed(disclosed, child);
  }
  return count;
}

/** Copies what stays, and counts what does not. */
class Copy {
  surplus = 0;

  constructor(private readonly needed: Needed) {}

  of(value: IssuedJsonValue): IssuedJsonValue {
    if (!isContainer(value) || this.needed.whole.has(value)) return value;
    if (Array.isArray(value)) return value.map((item, index) => this.child(value, index, item));
    return this.object(value);
  }

  object(value: IssuedJsonObject): IssuedJsonObject {
    const target: IssuedJsonObject = {};
    for (const name of Object.keys(value)) {
      const member = this.child(value, name, value[name]);
      if (member === undefined) continue;
      Object.defineProperty(target, name, { value: member, writable: true, enumerable: true, configurable: true });
    }
    return target;
  }

  private child(container: Container, key: Key, value: IssuedJsonValue | undefined): IssuedJsonValue | undefined {
    const { disclosed, onTheWay } = this.needed;
    if (value === undefined) return undefined;
    const isSurplus = disclosed.get(container)?.has(key) && !onTheWay.get(container)?.has(key);
    if (!isSurplus) return this.of(value);
    this.surplus += 1 + countDisclosed(disclosed, value);
    return undefined;
  }
}

/**
 * Drops every disclosure that none of the paths needs. What a path selects stays with everything in it; a disclosure on
 * the way to it stays with all that is plain in it, because it cannot be taken apart; what was never selectively
 * disclosable stays in any case. Each path must select something in `issued`.
 */
export function keepRequestedClaims(
  issued: IssuedJsonObject,
  disclosed: DisclosedPlaces,
  paths: readonly ClaimPath[],
): RequestedClaims {
  if (disclosed.size === 0) return { issued, surplus: 0 };
  const needed: Needed = { disclosed, onTheWay: new Map(), whole: new Set() };
  for (const path of paths) note(needed, issued, path, 0);
  const copy = new Copy(needed);
  const kept = copy.object(issued);
  return { issued: copy.surplus === 0 ? issued : kept, surplus: copy.surplus };
}
