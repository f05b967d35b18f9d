import {
  findProbableName,
  foldName,
  MAX_URL_LENGTH,
  ownMember,
  type Fault,
  type JsonObject,
} from '@vestibule/foundation';
import type { z } from 'zod';
import { memberPlaces } from './member-places';
import { NO_FORM, sentenceOf, unionIssues } from './sentences';

/** `credentials[0].id` for the path ['credentials', 0, 'id']. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

const MAX_NAME_LENGTH = 64;

/** Names that belong elsewhere in a request than in its body, in the folded form. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['entitydid', 'the query string, as entityDid'],
  ['walletdid', 'the query string, as walletDid'],
  ['idempotencykey', 'the header Idempotency-Key'],
  ['ifmatch', 'the header If-Match'],
  ['etag', 'the header If-Match'],
  ['xapikey', 'the header X-API-KEY'],
  ['xserviceoasversion', 'the header X-Service-OAS-Version'],
]);

/** What judging can say beyond what the schema does. */
export interface Hints {
  /** Names of members below those that the schema knows, which may be meant by a misspelt one. */
  readonly names?: readonly string[];
  /** False for what is no body of a request: a query string, or a file. */
  readonly isBody?: boolean;
  /** Sentences about members that the schema does not know, by their names. */
  readonly about?: Readonly<Record<string, string>>;
}

interface Wrong {
  readonly path: readonly PropertyKey[];
  readonly name: string;
}

const placeOf = (path: readonly PropertyKey[]) => formatPath(path).replace(/\[\d+\]/g, '[]');
const pathOf = (place: string, name: string) => (place === '' ? name : `${place}.${name}`);

function belongsTo(path: string): string {
  return `is not a known member here; its place is ${path}${/[.[]/.test(path) ? '' : ', at the top level'}`;
}

/** Where members with these names stand: `[name, path]`. */
type Placed = readonly (readonly [name: string, path: string])[];

/** Where in the request a member belongs that no body has. */
function elsewhereInRequest(name: string): string | undefined {
  const place = name.length > MAX_NAME_LENGTH ? undefined : ELSEWHERE.get(foldName(name));
  return place && `is not a member of the body; its place is ${place}`;
}

/** The member, of all that there are, that was probably meant. */
function furtherHint(name: string, others: Placed, names: readonly string[]): string {
  const meant = findProbableName(name, [...others.map(([member]) => member), ...names]);
  if (meant === undefined) return 'is not a known member';
  return `is not a known member; did you mean ${others.find(([member]) => member === meant)?.[1] ?? meant}?`;
}

/** What an unknown member is told: where it belongs, or which one was probably meant. */
function unknownSentence({ path, name }: Wrong, schema: z.ZodType, hints: Hints): string {
  const { names = [], about = {}, isBody = true } = hints;
  if (Object.hasOwn(about, name)) return about[name] as string;
  const places = memberPlaces(schema);
  const near = findProbableName(name, places.get(placeOf(path)) ?? []);
  if (near !== undefined) return `is not a known member; did you mean ${near}?`;
  const others = [...places].flatMap(([place, members]) =>
    members.map((member) => [member, pathOf(place, member)] as const),
  );
  const exact = others.find(([member]) => member === name)?.[1];
  if (exact !== undefined) return belongsTo(exact);
  return (isBody ? elsewhereInRequest(name) : undefined) ?? furtherHint(name, others, names);
}

function faultsOf(issue: z.core.$ZodIssue, schema: z.ZodType, hints: Hints): Fault[] {
  const { path } = issue;
  if (issue.code === 'invalid_union' && issue.errors.length > 0 && issue.message === NO_FORM) {
    return unionIssues(issue).flatMap((one) => (one === issue ? faultOf(one) : faultsOf(one, schema, hints)));
  }
  if (issue.code !== 'unrecognized_keys') return [faultOf(issue)];
  return issue.keys.map((name) => ({
    path: formatPath([...path, name.slice(0, MAX_NAME_LENGTH)]),
    message: unknownSentence({ path, name }, schema, hints),
  }));
}

const faultOf = ({ path, message }: z.core.$ZodIssue): Fault => ({ path: formatPath(path), message });

/** Without what is said of the length of a value that is of another type: a text has a length, too. */
function tellingIssues(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const mistyped = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => formatPath(path)));
  const isOfLength = ({ code }: z.core.$ZodIssue) => code === 'too_big' || code === 'too_small';
  return issues.filter((one) => !isOfLength(one) || !mistyped.has(formatPath(one.path)));
}

/** A value that a schema has read, or every fault of it. */
export interface Judged<Value> {
  /** Undefined if there are faults. */
  readonly value: Value | undefined;
  readonly faults: Fault[];
}

/**
 * Reads a value by its schema. Each fault has a sentence that a caller can act on: that of the schema, or one in the
 * words of this API, never one of the library that validates. A member in the wrong place is told where it belongs.
 */
export function judge<Value>(schema: z.ZodType<Value>, given: unknown, hints: Hints = {}): Judged<Value> {
  const parsed = schema.safeParse(given, { error: sentenceOf });
  if (parsed.success) return { value: parsed.data, faults: [] };
  return {
    value: undefined,
    faults: tellingIssues(parsed.error.issues).flatMap((one) => faultsOf(one, schema, hints)),
  };
}

/**
 * The fault that `faultOf` finds in a member of a backend's body that is an address; none if it is absent. A value that is not
 * a string, or too long, is left to the schema.
 */
export function addressFaults(
  body: JsonObject,
  member: string,
  faultOf: (address: string) => string | undefined,
): Fault[] {
  const text = ownMember(body, member);
  if (typeof text !== 'string' || text.length > MAX_URL_LENGTH) return [];
  const message = faultOf(text);
  return message === undefined ? [] : [{ path: member, message }];
}
