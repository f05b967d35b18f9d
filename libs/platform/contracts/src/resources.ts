import { z } from 'zod';
import { dictionary } from './dictionary';
import { idempotencyKey, inAnyCase, instant, jsonObject } from './fields';
import { annotations, isLabelKey, labels, UNSTORABLE } from './labels';

/** The versions of the schema and draft API; the first is the default. */
export const API_VERSIONS = ['0.40.11', '0.38.2'] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];

/** The labels and annotations of every resource. */
export const resourceMarks = {
  labels: labels.default({}).describe('For searches'),
  annotations: annotations.default({}).describe('For the backend alone'),
};

/** The envelope of every resource of the schema and draft API. */
export const resourceView = z
  .object({
    kind: z.object({ name: z.string(), version: z.enum(API_VERSIONS) }),
    id: z.string(),
    etag: z.string().describe('For If-Match'),
    revision: z.int().min(1),
    created_at: instant,
    modified_at: instant,
    labels: dictionary(z.string(), z.string()),
    annotations: dictionary(z.string(), z.string()),
    data: jsonObject,
    deleted_at: instant.optional(),
  })
  .meta({ id: 'Resource' });
export type ResourceView = z.infer<typeof resourceView>;

export const SEARCH_OPERATORS = ['EQUAL', 'NOT_EQUAL', 'IN', 'NOT_IN'] as const;

const searchText = z
  .string()
  .max(1024)
  .refine((text) => !UNSTORABLE.test(text), 'must have no NUL');

/** What a searchable field holds: the values that it can have, if they are few. */
export type FieldType = 'text' | 'integer' | 'boolean' | 'instant' | readonly [string, ...string[]];

const INTEGER = 'must be a whole number';
const BOOLEAN = 'must be true or false';

/** What conditions compare with, by the type of the field; read as the texts that the database compares. */
const VALUES = {
  text: searchText,
  integer: z
    .union([z.int().min(0).max(999_999_999), z.string().regex(/^\d{1,9}$/, INTEGER)], INTEGER)
    .transform((one) => String(Number(one))),
  boolean: z.union([z.boolean(), z.enum(['true', 'false'], BOOLEAN)], BOOLEAN).transform(String),
  instant: z.iso
    .datetime({ offset: true, error: 'must be a timestamp of RFC 3339, such as 2026-03-01T12:00:00Z' })
    .transform((text) => new Date(text).toISOString()),
} as const satisfies Readonly<Record<string, z.ZodType<string>>>;

const CONDITION_FORM = 'must be {"operator": …, "value": …}, such as {"operator": "EQUAL", "value": "x"}';

function conditionOn(type: FieldType) {
  const one: z.ZodType<string> = typeof type === 'string' ? VALUES[type] : inAnyCase(type);
  return z
    .strictObject(
      {
        operator: z.enum(SEARCH_OPERATORS),
        value: z.union([one, z.array(one).min(1).max(100)]),
      },
      { error: ({ code }) => (code === 'invalid_type' ? CONDITION_FORM : undefined) },
    )
    .refine(({ operator, value }) => Array.isArray(value) === operator.endsWith('IN'), {
      path: ['value'],
      message: 'must be an array for IN and NOT_IN, a single value for EQUAL and NOT_EQUAL',
    });
}

/** Limits of a filter: label conditions per entry, and values in total. */
const MAX_LABEL_CONDITIONS = 20;
const MAX_FILTER_VALUES = 500;

const countValues = (condition: unknown): number => {
  const { value } = condition as { readonly value: string | readonly string[] };
  return typeof value === 'string' ? 1 : value.length;
};

/**
 * The number of values that the entries of a filter compare with, because each row may have to be compared with all of
 * them.
 */
function valuesOf(entries: readonly Readonly<Record<string, unknown>>[] | null): number {
  const conditions = (entries ?? []).flatMap(({ labels: byKey = {}, ...fields }) => [
    ...Object.values(fields).filter((one) => one !== undefined),
    ...Object.values(byKey as object),
  ]);
  return conditions.reduce<number>((sum, one) => sum + countValues(one), 0);
}

/** A search, for any kind of resource. */
export interface SearchRequest {
  readonly filter: readonly Readonly<Record<string, unknown>>[] | null;
  readonly sort: readonly { readonly field: string; readonly order: 'ASC' | 'DESC' }[];
  readonly limit: number;
  readonly cursor?: string | undefined;
}
export type SearchSchema = z.ZodType<SearchRequest>;

/**
 * Body of a search over resources with these fields. Entries of `filter` are combined with OR, members of an entry with
 * AND.
 */
export function searchBody(fields: Readonly<Record<string, FieldType>>, sortable: readonly string[]): SearchSchema {
  const byField = Object.fromEntries(
    Object.entries(fields).map(([field, type]) => [field, conditionOn(type).optional()]),
  );
  const names = [...Object.keys(fields), 'labels'].join(', ');
  const entry = z
    .strictObject({
      ...byField,
      labels: dictionary(z.string().refine(isLabelKey, 'is not a label key'), conditionOn('text'))
        .refine((byKey) => Object.keys(byKey).length > 0, 'must have at least one label')
        .refine((byKey) => Object.keys(byKey).length <= MAX_LABEL_CONDITIONS, {
          message: `must have at most ${MAX_LABEL_CONDITIONS} members`,
        })
        .meta({ minProperties: 1 })
        .optional(),
    })
    .refine((conditions) => Object.values(conditions).some((one) => one !== undefined), {
      message: `must have at least one condition, on ${names}`,
      // An entry with another fault is not empty.
      when: ({ issues }) => issues.length === 0,
    })
    .meta({ minProperties: 1 });
  return z.strictObject({
    filter: z
      .array(entry)
      .min(1, 'must have at least one entry; send null, or no filter, to find everything')
      .max(20)
      .refine((entries) => valuesOf(entries) <= MAX_FILTER_VALUES, {
        message: `must compare with at most ${MAX_FILTER_VALUES} values in total`,
      })
      .nullable()
      .default(null)
      .describe('Entries are combined with OR, members of one entry with AND'),
    sort: z
      .array(z.strictObject({ field: z.enum(sortable), order: z.enum(['ASC', 'DESC']).default('ASC') }))
      .max(3)
      .default([]),
    limit: z.int().min(1).max(1000).default(100),
    cursor: z.string().max(2048).optional().describe('`next_cursor` of the previous page'),
  });
}

export const resourcePage = z.object({ items: z.array(resourceView), next_cursor: z.string().optional() });

/** The caller, and the version of the API that it uses. */
export const asCaller = { apiKeyDigest: z.string().length(43), version: z.enum(API_VERSIONS) };
export const repeatable = { idempotencyKey: idempotencyKey.optional() };
/** From `If-Match`: the only revision that may be changed; 0 for an entity tag that no revision has. */
export const ifRevision = { ifRevision: z.int().min(0).optional() };
/** A body that the service validates, member by member. */
export const judgedBody = { body: jsonObject };
