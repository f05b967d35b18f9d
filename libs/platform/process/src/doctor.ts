import { DomainError, type Clock, type ErrorEntry, type Fault } from '@vestibule/foundation';
import type { Configuration, Definition } from './configuration';
import { finding, plainRemedy, type Finding } from './doctor-findings';
import { ConfigurationFault, type Environment, findNearMisses, loadConfiguration } from './load-configuration';
import type { LogFields, Logger } from './logger';
import { STARTUP_ERRORS } from './process-errors';
import { withSealingKeys, type SealingKeyDevices } from './sealing-keys';

/** What a check works with. Warnings and errors that it logs become findings. */
export interface CheckContext<Values> {
  readonly configuration: Values;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** One question about an installation. It changes nothing, and stores nothing. */
export interface Check<Values> {
  readonly name: string;
  /** The errors that it may end with, as a start would, and what to do about them. */
  readonly errors?: Readonly<Record<string, Pick<ErrorEntry, 'remedy'>>>;
  /** No findings: all is well. A DomainError is a finding, too. */
  run(context: CheckContext<Values>): readonly Finding[] | Promise<readonly Finding[]>;
}

/** A finding and the check that made it. */
export interface CheckResult extends Finding {
  readonly check: string;
}

const CHECK_MILLISECONDS = 30_000;
const UNSAID = ['error', 'level', 'msg'];

/** A log line as a sentence: fields are already free of payloads. */
function sentenceOf(message: string, fields: LogFields = {}): string {
  const said = Object.entries(fields).filter(([name, value]) => !UNSAID.includes(name) && value !== undefined);
  const rest = said.map(([name, value]) => `${name}: ${String(value)}`).join(', ');
  return rest === '' ? message : `${message} (${rest})`;
}

/** A logger whose warnings and errors become findings. */
function collectingLogger(found: Finding[]): Logger {
  const note = (message: string, fields?: LogFields) =>
    void found.push(finding('start_warning', sentenceOf(message, fields)));
  return { debug: () => undefined, info: () => undefined, warn: note, error: note };
}

/** The findings for an error that a start would end with. */
export function failureOf(error: unknown, errors: Check<never>['errors'] = {}): readonly Finding[] {
  if (error instanceof ConfigurationFault) {
    const remedy = plainRemedy(STARTUP_ERRORS.configuration_invalid.remedy);
    return error.faults.map(({ path, message }) => ({
      level: 'error',
      code: error.code,
      about: `${path} ${message}`,
      remedy,
    }));
  }
  if (!(error instanceof DomainError))
    return [finding('check_failed', error instanceof Error ? error.name : 'unknown error')];
  const { code, detail } = error;
  const known = { ...STARTUP_ERRORS, ...errors } as Readonly<Record<string, Pick<ErrorEntry, 'remedy'>>>;
  const remedy = known[code]?.remedy;
  const advice = remedy === undefined ? `see ${code} in docs/errors.md` : plainRemedy(remedy);
  return [{ level: 'error', code, about: detail, remedy: advice }];
}

async function inTime(work: Promise<readonly Finding[]>, milliseconds: number): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(
      () => resolve([finding('check_too_slow', `no result in ${milliseconds / 1000} s`)]),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function resultsOf<Values>(
  check: Check<Values>,
  context: Omit<CheckContext<Values>, 'logger'>,
): Promise<readonly CheckResult[]> {
  const logged: Finding[] = [];
  const work = Promise.resolve()
    .then(() => check.run({ ...context, logger: collectingLogger(logged) }))
    .catch((error: unknown) => failureOf(error, check.errors));
  const found = [...(await inTime(work, CHECK_MILLISECONDS)), ...logged];
  if (found.length === 0) found.push({ level: 'ok', about: 'nothing to say' });
  return found.map((one) => ({ check: check.name, ...one }));
}

/** What is checked of one process. */
export interface DoctorOptions<D extends Definition> {
  readonly configuration: D;
  /** Faults of valid values in combination. */
  readonly findFaults?: ((configuration: Configuration<D>) => readonly Fault[]) | undefined;
  readonly checks: readonly Check<Configuration<D>>[];
  readonly sealingKeyDevices?: SealingKeyDevices | undefined;
}

async function readConfiguration<D extends Definition>(
  { configuration, findFaults, sealingKeyDevices }: DoctorOptions<D>,
  environment: Environment,
): Promise<Configuration<D>> {
  const opened = sealingKeyDevices ? await withSealingKeys(environment, sealingKeyDevices) : environment;
  const values = loadConfiguration(configuration, opened);
  const faults = findFaults?.(values) ?? [];
  if (faults.length > 0) throw new ConfigurationFault(faults);
  return values;
}

/**
 * Checks an installation from the inside of one of its processes, with that process's environment: first the
 * configuration, and if that is sound, everything else, one check after another.
 */
export async function examine<D extends Definition>(
  options: DoctorOptions<D>,
  environment: Environment,
  clock: Clock,
): Promise<readonly CheckResult[]> {
  let values: Configuration<D>;
  try {
    values = await readConfiguration(options, environment);
  } catch (error) {
    return failureOf(error, options.sealingKeyDevices?.errors).map((one) => ({ check: 'configuration', ...one }));
  }
  const results: CheckResult[] = findNearMisses(options.configuration, environment).map(({ name, meant }) => ({
    check: 'configuration',
    ...finding('variable_unknown', `${name} looks like ${meant}`),
  }));
  if (results.length === 0)
    results.push({ check: 'configuration', level: 'ok', about: 'every variable is acceptable' });
  for (const check of options.checks) results.push(...(await resultsOf(check, { configuration: values, clock })));
  return results;
}
