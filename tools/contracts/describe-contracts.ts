import { wireReply } from '@vestibule/contracts';
import { z } from 'zod';
import { contractsAmong } from '../docs/nats-configuration';

/** A node of JSON Schema, without the parts for human readers. */
export type Schema = { readonly [keyword: string]: unknown };

/** The schemas of one contract version: the content of its snapshot. */
export interface ContractSchemas {
  readonly version: number;
  /** The envelope of every answer, including errors. */
  readonly reply: Schema;
  readonly contracts: { readonly [subject: string]: { readonly question: Schema; readonly answer: Schema } };
}

/** For human readers, or replaced by what they refer to. */
const LEFT_OUT = new Set(['$schema', '$defs', '$ref', 'id', 'title', 'description', 'examples']);
/** Here, names are members of messages and not keywords of JSON Schema. */
const NAMED_SCHEMAS = new Set(['properties']);

type Definitions = Readonly<Record<string, Schema>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1);

function canonical(value: unknown, definitions: Definitions): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item, definitions));
  if (!isObject(value)) return value;
  const reference = value['$ref'];
  if (typeof reference === 'string')
    return canonical(definitions[reference.slice(reference.lastIndexOf('/') + 1)], definitions);
  const kept = Object.entries(value).flatMap(([keyword, inner]): [string, unknown][] => {
    // The pattern of a format belongs to zod: a new release may write it differently.
    if (LEFT_OUT.has(keyword) || (keyword === 'pattern' && 'format' in value)) return [];
    if (!NAMED_SCHEMAS.has(keyword) || !isObject(inner)) return [[keyword, canonical(inner, definitions)]];
    const members = Object.entries(inner).map(([name, schema]) => [name, canonical(schema, definitions)] as const);
    return [[keyword, Object.fromEntries([...members].sort(byName))]];
  });
  return Object.fromEntries(kept.sort(byName));
}

/**
 * A schema as JSON Schema of its input. Rules that are functions cannot be described: `x-rules` counts them, and
 * `x-custom` marks a value that only a function validates.
 */
export function describeSchema(schema: z.ZodType): Schema {
  const described = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const { type, checks = [] } = zodSchema._zod.def;
      const rules = checks.filter((check) => check._zod.def.check === 'custom').length;
      if (rules > 0) Object.assign(jsonSchema, { 'x-rules': rules });
      if (type === 'custom') Object.assign(jsonSchema, { 'x-custom': true });
    },
  }) as Schema;
  return canonical(described, (described['$defs'] ?? {}) as Definitions) as Schema;
}

interface Described {
  readonly subject: string;
  readonly question: z.ZodType;
  readonly answer: z.ZodType;
}

/** Describes every contract among the exports of the library of contracts. */
export function describeContracts(exported: Readonly<Record<string, unknown>>, version: number): ContractSchemas {
  const all = contractsAmong(exported) as unknown as readonly Described[];
  const contracts = all.map(({ subject, question, answer }) => {
    return [subject, { question: describeSchema(question), answer: describeSchema(answer) }] as const;
  });
  return { version, reply: describeSchema(wireReply), contracts: Object.fromEntries(contracts) };
}
