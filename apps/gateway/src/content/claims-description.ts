import { schemaSlug } from '@vestibule/contracts';
import { z } from 'zod';

/** What a claim says about itself; `name` may be absent only for the item of a list. */
const item = {
  name: z
    .string()
    .max(64)
    .regex(/^[A-Za-z_][A-Za-z0-9_-]*$/)
    .optional()
    .describe('Absent only in `items` of a LIST'),
  not_empty: z.boolean().optional().describe('Must have a value, and none that is empty, when a draft is issued'),
  title: z.string().min(1).max(256).optional(),
  description: z.string().min(1).max(2048).optional(),
};

const plainField = <Kind extends string>(kind: Kind) =>
  z.strictObject({ kind: z.literal(kind), value: z.strictObject(item) });

const enumField = z.strictObject({
  kind: z.literal('ENUM'),
  value: z.strictObject({
    ...item,
    values: z
      .array(z.strictObject({ value: z.string().min(1).max(256), title: z.string().min(1).max(256).optional() }))
      .min(1)
      .max(512),
  }),
});

const objectField = z.strictObject({
  kind: z.literal('OBJECT'),
  value: z.strictObject({
    ...item,
    get fields() {
      return z.array(claimField).max(512);
    },
  }),
});

const listField = z.strictObject({
  kind: z.literal('LIST'),
  value: z.strictObject({
    ...item,
    get items() {
      return claimField;
    },
  }),
});

const claimField: z.ZodType = z
  .discriminatedUnion('kind', [
    plainField('STRING'),
    plainField('NUMBER'),
    plainField('BOOLEAN'),
    plainField('DATE'),
    plainField('DATE_TIME'),
    enumField,
    objectField,
    listField,
    plainField('LINKED_CREDENTIAL'),
    plainField('LINKED_FILE'),
  ])
  .meta({ id: 'ClaimField', description: 'A claim of a schema: its kind, and what the schema says about it' });

/** `ClaimsSchema` of the current version; the previous one calls it `DraftSchema`. */
export const claimsSchema = z
  .strictObject({ fields: z.array(claimField).max(512) })
  .meta({ id: 'ClaimsSchema', description: 'What a credential of one type can say about its subject' });

/** `MetaSchema`: a schema with the name under which it may be published. */
export const metaSchema = z
  .strictObject({
    schema: claimsSchema,
    slug: schemaSlug.optional(),
    version: z.int().min(1).max(1_000_000).optional(),
  })
  .meta({ id: 'MetaSchema', description: 'A definition: a schema, and the name under which it may be published' });

/** What a merge patch changes in a claims schema: an array replaces the one that is there. */
export const claimsSchemaPatch = z.looseObject({ fields: z.array(claimField).max(512).nullable().optional() });

/** What a merge patch changes in a definition. */
export const metaSchemaPatch = z.looseObject({
  schema: claimsSchemaPatch.nullable().optional(),
  slug: schemaSlug.nullable().optional(),
  version: z.int().min(1).max(1_000_000).nullable().optional(),
});

const text = z.string().max(32_768);
const typed = <Kind extends string, Value extends z.ZodType>(kind: Kind, value: Value) =>
  z.strictObject({ kind: z.literal(kind), value });

const objectValue = z.strictObject({
  kind: z.literal('OBJECT'),
  get value() {
    return z.record(z.string(), claimValue);
  },
});

const listValue = z.strictObject({
  kind: z.literal('LIST'),
  get value() {
    return z.array(claimValue).max(1000);
  },
});

const claimValue: z.ZodType = z
  .discriminatedUnion('kind', [
    typed('STRING', text),
    typed('NUMBER', z.number()),
    typed('BOOLEAN', z.boolean()),
    typed('DATE', text.meta({ format: 'date' })),
    typed('DATE_TIME', text.meta({ format: 'date-time' })),
    typed('ENUM', text),
    objectValue,
    listValue,
    typed('LINKED_CREDENTIAL', text.meta({ format: 'uri' })),
    typed('LINKED_FILE', text.meta({ format: 'uri' })),
  ])
  .meta({ id: 'ClaimValue', description: 'A value with its kind, which is that of its claim in the schema' });

/** Draft values of the current version. */
export const claimValues = z
  .record(z.string(), claimValue)
  .meta({ id: 'ClaimValues', description: 'Values by the names of their claims' });

/** Draft values of the previous version. */
export const plainValues = z
  .record(z.string(), z.unknown())
  .meta({ id: 'PlainValues', description: 'Plain values by the names of their claims' });
