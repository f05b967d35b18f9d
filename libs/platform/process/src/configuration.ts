import { type z } from 'zod';

export interface VariableOptions {
  /** Heading in the reference. */
  readonly category: string;
  readonly description: string;
  /** As written in the environment; it is validated like any other value. */
  readonly default?: string;
  /** A secret may also come from a file named by `<NAME>_FILE`; its default is not shown. */
  readonly secret?: boolean;
}

/** One environment variable: its name, its syntax and its meaning. */
export interface Variable<Value> {
  readonly name: string;
  readonly schema: z.ZodType<Value, string>;
  readonly options: VariableOptions;
  /** False if it may be absent; its value is then undefined. */
  readonly required: boolean;
}

export type Definition = Readonly<Record<string, Variable<unknown>>>;

/** The values of a definition, frozen. */
export type Configuration<D extends Definition> = {
  readonly [K in keyof D]: D[K] extends Variable<infer Value> ? Value : never;
};

const NAME = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

/** A variable that must be set, unless it has a default. */
export function variable<Value>(
  name: string,
  schema: z.ZodType<Value, string>,
  options: VariableOptions,
): Variable<Value> {
  return { name, schema, options, required: true };
}

/** A variable that may be absent. */
export function optionalVariable<Value>(
  name: string,
  schema: z.ZodType<Value, string>,
  options: VariableOptions,
): Variable<Value | undefined> {
  return { name, schema, options, required: false };
}

/** The names that a variable may have in the environment. */
export function environmentNames({ name, options }: Variable<unknown>): readonly string[] {
  return options.secret ? [name, `${name}_FILE`] : [name];
}

/** Checks a definition: throws a RangeError for a malformed name, a repeated name or an invalid default. */
export function defineConfiguration<const D extends Definition>(definition: D): D {
  const seen = new Set<string>();
  for (const item of Object.values(definition)) {
    for (const name of environmentNames(item)) {
      if (!NAME.test(name) || seen.has(name)) throw new RangeError(`not a usable variable name: ${name}`);
      seen.add(name);
    }
    const preset = item.options.default;
    if (preset !== undefined && !item.schema.safeParse(preset).success)
      throw new RangeError(`the default of ${item.name} is not acceptable`);
  }
  return definition;
}
