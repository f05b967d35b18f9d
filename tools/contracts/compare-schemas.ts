import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './describe-contracts';

/** The schema of the writing program, and that of the reading program. */
export interface Sides {
  readonly written: Schema;
  readonly read: Schema;
  /** The place in the message, for the error. */
  readonly path: string;
  /**
   * May the reader refuse a value that only a caller with a new need writes: another value, a larger one, a new member
   * of a strict object? This is acceptable for the questions of a newer gateway: its caller receives `invalid_message`.
   */
  readonly mayRefuseNews: boolean;
}

/** The reader's bound may be lower than the writer's, or absent. */
const LEAST = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum', 'minProperties', 'x-rules'];
/** The reader's bound may be higher. */
const MOST = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum', 'maxProperties'];
const VALUES = ['enum', 'const'];
const JUDGED_APART = new Set([
  ...[...LEAST, ...MOST, ...VALUES, 'type', 'anyOf', 'oneOf', 'properties', 'required', 'additionalProperties'],
  ...['items', 'prefixItems', 'propertyNames', 'default'],
]);

const asSchema = (value: unknown): Schema => (typeof value === 'object' && value !== null ? (value as Schema) : {});
const propertiesOf = (schema: Schema) => asSchema(schema['properties']) as Readonly<Record<string, Schema>>;
const requiredOf = (schema: Schema) => (schema['required'] ?? []) as readonly string[];
const alternativesOf = (schema: Schema) => (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;

/** Defaults are filled in by the writer. */
function isAlwaysWritten(schema: Schema, name: string): boolean {
  return requiredOf(schema).includes(name) || 'default' in asSchema(propertiesOf(schema)[name]);
}

function boundFaults({ written, read, path }: Sides): string[] {
  const number = (schema: Schema, keyword: string, without: number) => (schema[keyword] ?? without) as number;
  const higher = LEAST.filter((one) => number(written, one, -Infinity) < number(read, one, -Infinity));
  const lower = MOST.filter((one) => number(written, one, Infinity) > number(read, one, Infinity));
  return [...higher.map((one) => `${path}: ${one} is higher`), ...lower.map((one) => `${path}: ${one} is lower`)];
}

/** The values that a schema lists, if it does. */
const valuesOf = (schema: Schema): readonly unknown[] | undefined =>
  (schema['enum'] as readonly unknown[] | undefined) ?? ('const' in schema ? [schema['const']] : undefined);

function valueFaults(sides: Sides): string[] {
  const { written, read, path, mayRefuseNews } = sides;
  if (mayRefuseNews) return [];
  const known = valuesOf(read);
  const isKnown = !known || valuesOf(written)?.every((value) => known.includes(value)) === true;
  const others = Object.keys(read).filter((one) => !JUDGED_APART.has(one));
  return [
    ...boundFaults(sides),
    ...(isKnown ? [] : [`${path}: a value is not among ${known.join(', ')}`]),
    ...others.filter((one) => !isDeepStrictEqual(read[one], written[one])).map((one) => `${path}: ${one} differs`),
  ];
}

function memberFaults({ written, read, path, mayRefuseNews }: Sides): string[] {
  const faults = requiredOf(read)
    .filter((name) => !isAlwaysWritten(written, name))
    .map((name) => `${path}.${name}: is required, and may be absent`);
  const other = read['additionalProperties'];
  for (const [name, schema] of Object.entries(propertiesOf(written))) {
    const known = propertiesOf(read)[name];
    const next = { path: `${path}.${name}`, mayRefuseNews };
    if (known) faults.push(...compareSchemas({ written: schema, read: known, ...next }));
    else if (other === false && !(mayRefuseNews && !isAlwaysWritten(written, name)))
      faults.push(`${path}.${name}: is unknown to a strict reader`);
    else if (typeof other === 'object')
      faults.push(...compareSchemas({ written: schema, read: asSchema(other), ...next }));
  }
  return faults;
}

/** Faults in elements of lists, and in members of objects with arbitrary names. */
function innerFaults({ written, read, path, mayRefuseNews }: Sides): string[] {
  const inner = (name: string, step: string): string[] => {
    if (read[name] === undefined || typeof read[name] === 'boolean') return [];
    if (name === 'additionalProperties' && typeof written[name] !== 'object') return [];
    const sides = { written: asSchema(written[name]), read: asSchema(read[name]) };
    return compareSchemas({ ...sides, path: `${path}${step}`, mayRefuseNews });
  };
  const places = (read['prefixItems'] ?? []) as readonly Schema[];
  const placesWritten = (written['prefixItems'] ?? []) as readonly Schema[];
  return [
    ...(places.length === placesWritten.length ? [] : [`${path}: has another number of places`]),
    ...places.flatMap((place, at) =>
      compareSchemas({ written: placesWritten[at] ?? {}, read: place, path: `${path}[${at}]`, mayRefuseNews }),
    ),
    ...inner('items', '[]'),
    ...inner('propertyNames', '.(names)'),
    ...inner('additionalProperties', '.*'),
  ];
}

function alternativeFaults(sides: Sides): string[] {
  const known = alternativesOf(sides.read) ?? [sides.read];
  const written = alternativesOf(sides.written) ?? [sides.written];
  const isRead = (one: Schema) => known.some((read) => compareSchemas({ ...sides, written: one, read }).length === 0);
  if (sides.mayRefuseNews ? written.some(isRead) : written.every(isRead)) return [];
  return [`${sides.path}: an alternative is unknown`];
}

/**
 * Does the reader accept everything that the writer may write? One sentence for each place where it does not. Members
 * that are unknown to the reader are fine, because it drops them, except in strict objects.
 */
export function compareSchemas(sides: Sides): string[] {
  const { written, read, path } = sides;
  if (isDeepStrictEqual(written, read) || Object.keys(read).length === 0) return [];
  if (alternativesOf(read) ?? alternativesOf(written)) return alternativeFaults(sides);
  const isNumber = read['type'] === 'number' && written['type'] === 'integer';
  if (read['type'] !== undefined && read['type'] !== written['type'] && !isNumber)
    return [`${path}: is ${String(written['type'] ?? 'anything')}, not ${String(read['type'])}`];
  return [...valueFaults(sides), ...memberFaults(sides), ...innerFaults(sides)];
}

/** Members that were removed. */
export function missingMembers(before: Schema, now: Schema, path: string): string[] {
  const alternatives = alternativesOf(before);
  if (alternatives) {
    const others = alternativesOf(now) ?? [now];
    return alternatives.flatMap((one) => {
      const found = others.map((other) => missingMembers(one, other, path));
      return found.some((faults) => faults.length === 0) ? [] : (found[0] ?? []);
    });
  }
  const ofMembers = Object.entries(propertiesOf(before)).flatMap(([name, schema]) => {
    const next = propertiesOf(now)[name];
    return next ? missingMembers(schema, next, `${path}.${name}`) : [`${path}.${name}: is removed`];
  });
  const ofItems =
    'items' in before ? missingMembers(asSchema(before['items']), asSchema(now['items']), `${path}[]`) : [];
  return [...ofMembers, ...ofItems];
}

/** Changed defaults, which would give an absent member another meaning. */
export function changedDefaults(before: Schema, now: Schema, path: string): string[] {
  const own =
    'default' in before && !isDeepStrictEqual(before['default'], now['default'])
      ? [`${path}: has another default`]
      : [];
  const ofMembers = Object.entries(propertiesOf(before)).flatMap(([name, schema]) =>
    changedDefaults(schema, asSchema(propertiesOf(now)[name]), `${path}.${name}`),
  );
  return [...own, ...ofMembers];
}
