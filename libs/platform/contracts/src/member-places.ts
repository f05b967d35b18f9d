import type { z } from 'zod';

type Definition = Readonly<Record<string, unknown>> & { readonly type: string };

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as unknown as Definition;

/** The schema inside those that only say whether a value may be absent or how it is transformed. */
export function bareSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const { type, innerType, in: input, getter } = definitionOf(schema);
  const inner = type === 'lazy' ? (getter as () => z.core.$ZodType)() : ((innerType ?? input) as z.core.$ZodType);
  return inner === undefined ? schema : bareSchema(inner);
}

/** The members of an object, by name; undefined for any other schema. */
export function membersOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const { type, shape } = definitionOf(schema);
  return type === 'object' ? (shape as Record<string, z.core.$ZodType>) : undefined;
}

/** The schema of the elements of an array; undefined for any other schema. */
export function elementOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { type, element } = definitionOf(schema);
  return type === 'array' ? (element as z.core.$ZodType) : undefined;
}

/** The alternatives of a union; none for any other schema. */
export function alternativesOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { type, options } = definitionOf(schema);
  return type === 'union' ? (options as readonly z.core.$ZodType[]) : [];
}

/** Deeper members are not named: schemas may contain themselves. */
const MAX_DEPTH = 4;

function collect(schema: z.core.$ZodType, path: string, places: Map<string, string[]>, depth: number): void {
  const bare = bareSchema(schema);
  const element = elementOf(bare);
  if (element) return collect(element, `${path}[]`, places, depth);
  const members = depth < MAX_DEPTH ? membersOf(bare) : undefined;
  if (!members) return;
  places.set(path, Object.keys(members));
  for (const [name, member] of Object.entries(members)) {
    collect(member, path === '' ? name : `${path}.${name}`, places, depth + 1);
  }
}

const known = new WeakMap<z.core.$ZodType, ReadonlyMap<string, readonly string[]>>();

/** The names of the members of each object in a schema, by its path; the elements of an array are at `path[]`. */
export function memberPlaces(schema: z.core.$ZodType): ReadonlyMap<string, readonly string[]> {
  const before = known.get(schema);
  if (before) return before;
  const places = new Map<string, string[]>();
  collect(schema, '', places, 0);
  known.set(schema, places);
  return places;
}
