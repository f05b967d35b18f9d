import { existsSync } from 'node:fs';
import path from 'node:path';
import { DomainError, findProbableName, type Fault } from '@vestibule/foundation';
import { type z } from 'zod';
import { type Configuration, type Definition, environmentNames, type Variable } from './configuration';
import { readConfigurationFile } from './configuration-file';
import { namesWrappedKeys, sealingVariables } from './sealing-variables';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables are missing or invalid (`configuration_invalid`): all faults together, each by name and never by value. */
export class ConfigurationFault extends DomainError {
  constructor(faults: readonly Fault[]) {
    const names = faults.map(({ path, message }) => `${path} ${message}`).join('; ');
    super({ kind: 'internal', code: 'configuration_invalid', detail: names, faults });
  }
}

class VariableFault extends Error {}

/** An empty value counts as absent, because `VAR=${OTHER:-}` in a compose file produces one. */
function given(environment: Environment, name: string): string | undefined {
  const text = environment[name];
  return text === '' ? undefined : text;
}

/** True for a file in an existing folder. Anything else may be the secret itself, in the wrong variable. */
export const isPlace = (file: string) => path.dirname(file).length > 1 && existsSync(path.dirname(file));

function readSecretFile(name: string, file: string): string {
  const shown = isPlace(file) ? file : 'the file';
  const fail = (reason: string) => new VariableFault(`is in ${name}_FILE, but ${shown} ${reason}`);
  return readConfigurationFile(file, fail)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

function textOf(item: Variable<unknown>, environment: Environment): string | undefined {
  const direct = given(environment, item.name);
  const file = item.options.secret ? given(environment, `${item.name}_FILE`) : undefined;
  if (direct !== undefined && file !== undefined) throw new VariableFault(`is set twice: also as ${item.name}_FILE`);
  return (file === undefined ? direct : readSecretFile(item.name, file)) ?? item.options.default;
}

/** What is set for a variable, as text; undefined also where {@link loadConfiguration} finds a fault. */
export function findText(item: Variable<unknown>, environment: Environment): string | undefined {
  try {
    return textOf(item, environment);
  } catch (error) {
    if (error instanceof VariableFault) return undefined;
    throw error;
  }
}

type Refusal = Pick<z.ZodError, 'issues'>;

const sentenceOf = ({ issues }: Refusal) => [...new Set(issues.map(({ message }) => message))].join(', ');

/** A text that nobody sets: the environment cannot hold it. */
const NEVER_SET = '\0';

/**
 * The schema's sentence, unless it quotes the value. One that says the same of another value quotes none, even if it
 * holds the text by chance, as the bounds of a number often hold a number that is wrong.
 */
function explain({ schema }: Variable<unknown>, refusal: Refusal, text: string): string {
  const sentence = sentenceOf(refusal);
  if (text.length === 0 || !sentence.includes(text)) return sentence;
  const { error } = schema.safeParse(NEVER_SET);
  return error && sentenceOf(error) === sentence ? sentence : 'is not acceptable';
}

function valueOf(item: Variable<unknown>, environment: Environment): unknown {
  const text = textOf(item, environment);
  if (text === undefined) {
    if (item.required) throw new VariableFault('is missing');
    return undefined;
  }
  const parsed = item.schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new VariableFault(explain(item, parsed.error, text));
}

const TLS_SWITCH = 'NODE_TLS_REJECT_UNAUTHORIZED';
const TLS_FAULT: Fault = {
  path: TLS_SWITCH,
  message:
    'must not be 0, with which any certificate of any host is accepted: name the authorities of your hosts in EGRESS_CA_FILE, CALLBACK_CA_FILE, NATS_CA_FILE and DATABASE_CA_FILE, and those of status lists that the wallet store reads in NODE_EXTRA_CA_CERTS',
};

/**
 * Does this environment switch the verification of hosts off in all of Node.js? Then a host in between could give the keys of
 * issuers, take callbacks and sealing keys, and speak for the bus.
 */
export const trustsAnyHost = (environment: Environment): boolean => environment[TLS_SWITCH] === '0';

/** Where no host is verified, no device is asked for sealing keys: that they are still wrapped is no fault then. */
const staysWrapped = (item: Variable<unknown>, environment: Environment): boolean =>
  trustsAnyHost(environment) &&
  item.name === sealingVariables.sealingKeys.name &&
  namesWrappedKeys(findText(item, environment));

/** Reads all variables once and freezes them. Throws a {@link ConfigurationFault} that lists every fault. */
export function loadConfiguration<D extends Definition>(definition: D, environment: Environment): Configuration<D> {
  const values: Record<string, unknown> = {};
  const faults: Fault[] = trustsAnyHost(environment) ? [TLS_FAULT] : [];
  for (const [key, item] of Object.entries(definition)) {
    try {
      values[key] = valueOf(item, environment);
    } catch (error) {
      if (!(error instanceof VariableFault)) throw error;
      if (!staysWrapped(item, environment)) faults.push({ path: item.name, message: error.message });
    }
  }
  if (faults.length > 0) throw new ConfigurationFault(faults);
  return Object.freeze(values) as Configuration<D>;
}

const SHORTEST_NAME = 7;

/** Environment variables that look like misspelt names of the definition. */
export function findNearMisses(
  definition: Definition,
  environment: Environment,
): readonly { readonly name: string; readonly meant: string }[] {
  const known = Object.values(definition).flatMap(environmentNames);
  const unset = known.filter((name) => !(name in environment));
  return Object.keys(environment)
    .filter((name) => name.length >= SHORTEST_NAME && !known.includes(name))
    .flatMap((name) => {
      const meant = findProbableName(name, unset);
      return meant === undefined ? [] : [{ name, meant }];
    });
}
