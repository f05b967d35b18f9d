import { DomainError } from '@vestibule/foundation';
import type { Definition, Variable } from './configuration';
import { findText, type Environment } from './load-configuration';

/** What an operator has to look at after a failed start: names of variables, and an address to listen at. Never a secret. */
export interface Blame {
  /** Comma-separated. */
  readonly variables?: string;
  readonly address?: string;
}

/** What a variable names in clear: a secret only names the file that it is in. */
interface Named {
  readonly name: string;
  readonly text: string;
}

const MORE_OF_A_NAME = /[\w-]/;

function namedBy(item: Variable<unknown>, environment: Environment): readonly Named[] {
  const name = item.options.secret ? `${item.name}_FILE` : item.name;
  const text = item.options.secret ? environment[name] : findText(item, environment);
  return text === undefined || text === '' ? [] : [{ name, text }];
}

/** Whether a sentence names this file, or one in this folder. */
function isNamedIn(sentence: string, { text }: Named): boolean {
  if (!text.includes('/') || text.includes('://') || /\s/.test(text)) return false;
  const end = sentence.indexOf(text) + text.length;
  return sentence.includes(text) && !MORE_OF_A_NAME.test(sentence.charAt(end));
}

/** The variables of the files in a sentence: of a file and its folder, that of the file. */
function ofFiles(sentence: string, named: readonly Named[]): readonly string[] {
  const found = named.filter((one) => isNamedIn(sentence, one));
  const longest = Math.max(...found.map(({ text }) => text.length));
  return found.filter(({ text }) => text.length === longest).map(({ name }) => name);
}

interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly address?: unknown;
  readonly hostname?: unknown;
  readonly port?: unknown;
}

/** A port that is taken or forbidden is that of a `…_PORT`; a name or address that this machine does not have, of a `…_HOST`. */
function ofListener(error: SystemError, named: readonly Named[]): Blame {
  const { code, syscall, port } = error;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo' && syscall !== 'bind') return {};
  const host = [error.hostname, error.address].find((one) => typeof one === 'string');
  const isPort = code === 'EADDRINUSE' || code === 'EACCES';
  const [ending, text] = isPort ? ['_PORT', String(port)] : ['_HOST', host];
  const names = named.filter((one) => one.name.endsWith(ending) && one.text === text).map(({ name }) => name);
  const place = [host, port].filter((part) => part !== undefined).join(':');
  return names.length === 0 ? {} : { variables: names.join(', '), address: place };
}

/** The variables behind a failed start, as far as its error names a file, a folder or an address that one of them names. */
export function blamedVariables(error: unknown, definition: Definition, environment: Environment): Blame {
  const named = Object.values(definition).flatMap((item) => namedBy(item, environment));
  if (!(error instanceof DomainError)) return error instanceof Error ? ofListener(error as SystemError, named) : {};
  const names = ofFiles(error.detail, named);
  return names.length === 0 ? {} : { variables: names.join(', ') };
}
