import { ApiError } from '@vestibule/foundation';

/** Makes the error of a command line that is wrong: why, and how the command is used. */
export type Misused = (message: string) => ApiError;

/** The error `command_invalid` of a command with this usage. */
export function misused(usage: string): Misused {
  return function misused(message) {
    return new ApiError({ kind: 'invalid', code: 'command_invalid', detail: `${message}; usage: ${usage}` });
  };
}

/** `--name value` pairs of a command, each at most once; throws what `usage` makes. */
export function readOptions(
  argv: readonly string[],
  known: readonly string[],
  usage: Misused,
): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (let index = 0; index < argv.length; index += 2) {
    const [option = '', value] = argv.slice(index, index + 2);
    const name = option.slice('--'.length);
    const taken = option.startsWith('--') && known.includes(name) && value !== undefined && !options.has(name);
    if (!taken) throw usage('an option is unknown, has no value or is repeated');
    options.set(name, value);
  }
  return options;
}
