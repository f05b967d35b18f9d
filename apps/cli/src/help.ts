import type { Action, Command } from './command';

const columns = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
};

const EXIT_CODES = columns([
  ['0', 'done'],
  ['1', 'it failed; the last line says why'],
  ['2', 'the command line or the configuration is wrong; nothing was done'],
]);

/** `vestibule callbacks retry <service> [<id>] [options]`. */
function usageOf(command: Command, action: Action): string {
  const words = action.arguments.map(({ name, required }) => (required ? `<${name}>` : `[<${name}>]`));
  const options = Object.entries(action.options);
  const required = options.flatMap(([name, option]) => (option.required ? [`--${name} ${option.value ?? ''}`] : []));
  const others = options.length > required.length ? ['[options]'] : [];
  return ['vestibule', command.name, action.name, ...words, ...required, ...others]
    .filter((part) => part !== '')
    .join(' ');
}

/** The help of the whole program. */
export function renderHelp(commands: readonly Command[]): string[] {
  return [
    'vestibule operates an installation of Vestibule.',
    '',
    'usage: vestibule <command> [<action>] [arguments] [options]',
    '',
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    'vestibule <command> --help explains a command, with examples.',
    'vestibule --version shows the release.',
    '',
    'exit codes:',
    ...EXIT_CODES,
  ];
}

/** The help of one command. */
export function renderCommandHelp(command: Command): string[] {
  const { actions, about, examples, summary, name } = command;
  const described = actions.flatMap((action) => [[usageOf(command, action), action.about] as const]);
  const options = new Map(actions.flatMap((action) => Object.entries(action.options)));
  return [
    `vestibule ${name}: ${summary}`,
    '',
    'usage:',
    ...described.flatMap(([usage, text]) => [`  ${usage}`, `      ${text}`]),
    ...(options.size === 0 ? [] : ['', 'options:']),
    ...columns([...options].map(([option, { value, about: text }]) => [`--${option} ${value ?? ''}`.trim(), text])),
    '',
    ...about.flatMap((paragraph) => [paragraph, '']),
    'examples:',
    ...examples.flatMap(([line, effect]) => [`  ${line}`, `      ${effect}`]),
    '',
    'exit codes:',
    ...EXIT_CODES,
  ];
}
