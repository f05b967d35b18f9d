/** An option of an action: `--name VALUE`, or `--name` alone if it has no `value`. */
export interface Option {
  /** What stands for the value in the help, for example `FILE`. Absent: the option takes no value. */
  readonly value?: string;
  /** True: the action does not work without it. */
  readonly required?: boolean;
  readonly about: string;
}

/** A word after the action. */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  /** The words that are accepted; absent: any. */
  readonly choices?: readonly string[];
}

/** What the command line says, checked against its action. */
export interface Input {
  /** The arguments by name. */
  readonly arguments: Readonly<Record<string, string>>;
  /** The options by name, without the dashes; an option without a value is the empty string. */
  readonly options: Readonly<Record<string, string>>;
  readonly host: Host;
}

/** The surroundings of the command. */
export interface Host {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder with the compiled apps, one folder each. */
  readonly apps: string;
  /** All of standard input, as UTF-8. Throws a {@link UsageError} for a keyboard, a {@link Failure} for too much. */
  read(): Promise<string>;
  /** Prints one line of the result; control characters in it are shown, and obeyed by no terminal. */
  print(line: string): void;
  /** Prints text of the command itself as it is, with its colours and line breaks. */
  paint(text: string): void;
  /** Prints one line about the work: progress, a warning or an error. */
  report(line: string): void;
}

/** One thing that a command does. */
export interface Action {
  /** Empty if the command does only one thing. */
  readonly name: string;
  readonly about: string;
  readonly arguments: readonly Argument[];
  readonly options: Readonly<Record<string, Option>>;
  /** Resolves to the exit code: 0 done, 1 failed, 2 misused. Throws a {@link UsageError} or a {@link Failure}. */
  run(input: Input): Promise<number>;
}

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Paragraphs, for a reader who does not know the command. */
  readonly about: readonly string[];
  readonly actions: readonly Action[];
  /** Complete command lines, each with what it does. */
  readonly examples: readonly (readonly [commandLine: string, effect: string])[];
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

/** The work cannot be done, for a reason that the message says: exit code 1. */
export class Failure extends Error {}
