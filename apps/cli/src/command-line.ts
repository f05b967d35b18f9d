import { parseArgs } from 'node:util';
import { findProbableName } from '@vestibule/foundation';
import { type Action, type Argument, type Command, type Input, type Option, UsageError } from './command';

/** What to do: show help, about one command or about all, show the version, or run an action. */
export type Request =
  | { readonly kind: 'help'; readonly command?: Command }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly action: Action; readonly input: Omit<Input, 'host'> };

/** "; did you mean x?", or the words that are known. */
function hint(word: string, known: readonly string[], dashes = ''): string {
  const probable = findProbableName(word, known);
  if (probable !== undefined) return `did you mean ${dashes}${probable}?`;
  return known.length === 0 ? 'there are none here' : `known: ${known.map((name) => dashes + name).join(', ')}`;
}

function find<Named extends { readonly name: string }>(kind: string, word: string, among: readonly Named[]): Named {
  const found = among.find(({ name }) => name === word);
  if (found) return found;
  throw new UsageError(`unknown ${kind}: ${word}; ${hint(word, namesOf(among))}`);
}

const namesOf = (named: readonly { readonly name: string }[]) => named.map(({ name }) => name);

/** A command with one nameless action is that action; any other names its action next. */
function chooseAction({ name, actions }: Command, words: string[]): Action {
  const [only] = actions;
  if (only?.name === '') return only;
  const word = words.shift();
  if (word === undefined) throw new UsageError(`${name} needs an action: ${namesOf(actions).join(', ')}`);
  return find(`action of ${name}`, word, actions);
}

function readArguments(words: readonly string[], known: readonly Argument[]): Record<string, string> {
  const surplus = words[known.length];
  if (surplus !== undefined) throw new UsageError(`unexpected word: ${surplus}`);
  const read: Record<string, string> = {};
  known.forEach(({ name, required, choices }, index) => {
    const word = words[index];
    if (word === undefined && required)
      throw new UsageError(`<${name}> is missing${choices ? `: ${choices.join(' or ')}` : ''}`);
    if (word === undefined) return;
    if (choices && !choices.includes(word)) throw new UsageError(`unknown ${name}: ${word}; ${hint(word, choices)}`);
    read[name] = word;
  });
  return read;
}

interface Token {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
}

function addOption(read: Record<string, string>, { name, rawName, value }: Token, known: Action['options']): void {
  const option = Object.hasOwn(known, name) ? (known[name] as Option) : undefined;
  if (!option) throw new UsageError(`unknown option: ${rawName}; ${hint(name, Object.keys(known), '--')}`);
  if (Object.hasOwn(read, name)) throw new UsageError(`${rawName} is there twice`);
  if (option.value !== undefined && (value === undefined || value === ''))
    throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value}`);
  if (option.value === undefined && value !== undefined) throw new UsageError(`${rawName} takes no value`);
  read[name] = value ?? '';
}

/** Splits a command line into words and options; which options take the next word as value, the commands say. */
function tokenize(argv: readonly string[], commands: readonly Command[]) {
  const options = commands.flatMap(({ actions }) => actions.flatMap((action) => Object.entries(action.options)));
  const kinds = options.map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const { tokens } = parseArgs({
    args: [...argv],
    options: { ...Object.fromEntries(kinds), help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  return {
    words: tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])),
    given: tokens.flatMap((token) => (token.kind === 'option' ? [token] : [])),
  };
}

/** Reads a command line. Throws a {@link UsageError} that names the fault and, for a slip, what was meant. */
export function readCommandLine(argv: readonly string[], commands: readonly Command[]): Request {
  const { words, given } = tokenize(argv, commands);
  const asksForHelp = given.some(({ name }) => name === 'help') || words[0] === 'help';
  if (words[0] === 'help') words.shift();
  const word = words.shift();
  if (word === undefined) return readWithoutCommand(given, asksForHelp);
  const command = find('command', word, commands);
  if (asksForHelp) return { kind: 'help', command };
  const action = chooseAction(command, words);
  const options: Record<string, string> = {};
  for (const token of given) addOption(options, token, action.options);
  for (const [name, { required = false }] of Object.entries(action.options))
    if (required && !Object.hasOwn(options, name)) throw new UsageError(`--${name} is missing`);
  return { kind: 'run', action, input: { arguments: readArguments(words, action.arguments), options } };
}

function readWithoutCommand(given: readonly Token[], asksForHelp: boolean): Request {
  if (asksForHelp) return { kind: 'help' };
  const [first] = given;
  if (first?.name === 'version') return { kind: 'version' };
  if (first) throw new UsageError(`unknown option: ${first.rawName}; ${hint(first.name, ['help', 'version'], '--')}`);
  throw new UsageError('a command is required');
}
