import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;
type Sentence = (issue: never) => string;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  tuple: 'an array',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a timestamp of RFC 3339, such as 2026-03-01T12:00:00Z',
  date: 'a date, such as 2026-03-01',
  url: 'an absolute URL',
};

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['element', 'elements'],
  set: ['element', 'elements'],
};

/** `at least 2 elements` where things are counted, `at least 2` for a number. */
function bound(origin: string, how: 'at least' | 'at most', count: number | bigint): string {
  const [one, many] = UNITS[origin] ?? [];
  return one === undefined
    ? `must be ${how} ${String(count)}`
    : `must have ${how} ${String(count)} ${Number(count) === 1 ? one : many}`;
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (origin in UNITS && Number(minimum) === 1) return 'must not be empty';
  if (!(origin in UNITS) && inclusive === false) return `must be greater than ${String(minimum)}`;
  return bound(origin, 'at least', minimum);
}

function tooBig({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig): string {
  if (!(origin in UNITS) && inclusive === false) return `must be less than ${String(maximum)}`;
  return bound(origin, 'at most', maximum);
}

const FURTHEST_NAMED = 40;

function oneOf(values: readonly unknown[]): string {
  const named = values.slice(0, FURTHEST_NAMED).map(String);
  if (named.length === 1) return `must be ${named[0]}`;
  return `must be one of ${named.join(', ')}${values.length > named.length ? ', …' : ''}`;
}

/** Of a union that has no sentence of its own: its alternatives say more. */
export const NO_FORM = 'has none of the forms that are allowed';

const REQUIRED = 'is required';

/** What is wrong, without the value itself. Only for issues that the schema has no sentence of its own for. */
const SENTENCES: Readonly<Record<Issue['code'], Sentence>> = {
  invalid_type: ({ expected, input }: z.core.$ZodIssueInvalidType) =>
    input === undefined ? REQUIRED : `must be ${TYPES[expected] ?? 'of another type'}`,
  invalid_value: ({ values }: z.core.$ZodIssueInvalidValue) => oneOf(values),
  too_small: tooSmall,
  too_big: tooBig,
  invalid_format: ({ format, pattern }: z.core.$ZodIssueInvalidStringFormat) =>
    pattern !== undefined && FORMATS[format] === undefined
      ? `must match ${pattern}`
      : `must be ${FORMATS[format] ?? 'in another form'}`,
  not_multiple_of: ({ divisor }: z.core.$ZodIssueNotMultipleOf) => `must be a multiple of ${divisor}`,
  unrecognized_keys: () => 'has members that are not known',
  invalid_union: () => NO_FORM,
  invalid_key: () => 'has a name that is not allowed',
  invalid_element: () => 'has an element that is not allowed',
  custom: () => 'is not allowed',
};

/** The sentence for an issue, in the words of this API. */
export const sentenceOf = (issue: Issue): string => SENTENCES[issue.code](issue as never);

/** Is it only that the value is of another type than this alternative of a union? */
const isOtherType = (issues: readonly z.core.$ZodIssue[]) =>
  issues.some(({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'custom'));

/**
 * What is wrong with a value that fits no alternative of a union: what the only alternative of its type says, or what
 * each of them demands.
 */
export function unionIssues(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const alternatives = issue.errors as z.core.$ZodIssue[][];
  const ofType = alternatives.filter((issues) => !isOtherType(issues));
  const [only] = ofType;
  if (only && ofType.length === 1) return only.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
  const demands = [...new Set(alternatives.flatMap((issues) => issues.slice(0, 1).map(({ message }) => message)))];
  if (demands.length === 0) return [issue];
  // An alternative that is missing a value says so, whatever the others demand.
  const message = demands.includes(REQUIRED)
    ? REQUIRED
    : demands.map((one, index) => (index === 0 ? one : one.replace(/^must be /, ''))).join(', or ');
  return [{ code: 'custom', path: [...issue.path], message, params: {} }];
}
