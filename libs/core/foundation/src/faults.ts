import type { Fault } from './domain-error';
import { isJsonObject, ownMember } from './json';
import type { JsonObject, JsonValue } from './json-value';

/** Notes a fault: where in the document, and what is expected there. */
export type FaultNote = (path: string, message: string) => void;

/** The faults of a document, collected until it is read completely. */
export interface FaultNotes {
  readonly faults: Fault[];
  readonly note: FaultNote;
  /** True if no further fault is recorded: there is no point in reading on. */
  readonly isFull: () => boolean;
}

/** Collects faults, at most `most` of them: a document of nothing but faults must not cost more than one without. */
export function collectFaults(most = Infinity): FaultNotes {
  const faults: Fault[] = [];
  const isFull = () => faults.length >= most;
  const note: FaultNote = (path, message) => {
    if (!isFull()) faults.push({ path, message });
  };
  return { faults, note, isFull };
}

/** Notes faults below `prefix`. */
export const below =
  (note: FaultNote, prefix: string): FaultNote =>
  (path, message) =>
    note(path.startsWith('[') || path === '' ? `${prefix}${path}` : `${prefix}.${path}`, message);

/** Faults, and what is allowed but may surprise. */
export interface Findings {
  readonly faults: Fault[];
  readonly warnings: Fault[];
}

/** One place in a document: the value there (undefined if absent), its path, and where its faults are recorded. */
export interface Place<V extends JsonValue | undefined = JsonValue | undefined> {
  readonly value: V;
  readonly path: string;
  readonly findings: Findings;
}

/** The root of a document, with a new collection of findings. */
export function placeOf<V extends JsonValue | undefined>(value: V, path = ''): Place<V> {
  return { value, path, findings: { faults: [], warnings: [] } };
}

const PLAIN_NAME = /^[\w$#-]{1,64}$/;
const MAX_SHOWN_NAME = 64;

/** The path of a member: `parent.name`, or `parent["na me"]` for a name that would be ambiguous; long names are cut. */
export function memberPath(parent: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${parent}[${JSON.stringify(name.slice(0, MAX_SHOWN_NAME))}]`;
  return parent === '' ? name : `${parent}.${name}`;
}

export function refuse({ findings, path }: Place, message: string): void {
  findings.faults.push({ path, message });
}

export function warn({ findings, path }: Place, message: string): void {
  findings.warnings.push({ path, message });
}

/** The place of a member; inherited names are absent. */
export function memberOf(place: Place<JsonObject>, name: string): Place {
  return { ...place, value: ownMember(place.value, name), path: memberPath(place.path, name) };
}

/** True when the place holds an object; otherwise that is a fault. */
export function holdsObject(place: Place): place is Place<JsonObject> {
  if (isJsonObject(place.value)) return true;
  refuse(place, place.value === undefined ? 'is required' : 'must be an object');
  return false;
}

/** How many elements an array may have. */
export interface ElementBounds {
  readonly least?: 1;
  readonly most?: number;
}

function arrayFault(value: JsonValue | undefined, { least, most = Infinity }: ElementBounds): string | undefined {
  const length = Array.isArray(value) ? value.length : undefined;
  if (least !== undefined && !length)
    return `${value === undefined ? 'is required, and ' : ''}must be a non-empty array`;
  if (value === undefined) return 'is required';
  if (length === undefined) return 'must be an array';
  return length > most ? `must have at most ${most} elements` : undefined;
}

/** The elements of an array within `bounds`; none, and a fault, for anything else. */
export function elementsOf(place: Place, bounds: ElementBounds = { least: 1 }): Place<JsonValue>[] {
  const { value, path, findings } = place;
  const wrong = arrayFault(value, bounds);
  if (wrong !== undefined) refuse(place, wrong);
  if (wrong !== undefined || !Array.isArray(value)) return [];
  return value.map((item, index) => ({ value: item, path: `${path}[${index}]`, findings }));
}

/** A boolean, absent when the member is, or when it holds anything else, which is a fault. */
export function readFlag(place: Place): boolean | undefined {
  if (place.value === undefined || typeof place.value === 'boolean') return place.value;
  refuse(place, 'must be true or false');
  return undefined;
}
