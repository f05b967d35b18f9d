import { DomainError } from '@vestibule/foundation';

/** Everything that a log line may contain about an error. */
export interface DescribedError {
  readonly name: string;
  readonly code?: string;
  readonly detail?: string;
  /** The code of the error behind one of ours, or its name: the SQLSTATE of Postgres, or a code of Node.js. */
  readonly cause?: string;
  readonly stack?: string;
}

/** A word of a program, not of a person. OpenSSL names the alerts of the oldest version of TLS with a slash (Node.js 22). */
const WORD = /^(?:ERR_SSL_SSL\/)?[\w$.-]{1,80}$/;
/**
 * A frame as V8 writes it, up to where it is: a position in a file, or none for what is in no file. Frames of code that was
 * evaluated do not count.
 */
const FRAME =
  /^ {4}at (?:async |.+ \()?(?:(?:node:|file:|\/|[A-Za-z]:\\)[^()]+:\d+:\d+|<anonymous>|native|index \d+)\)?$/;
const MAXIMUM_FRAMES = 20;

function word(value: unknown): string | undefined {
  return typeof value === 'string' && WORD.test(value) ? value : undefined;
}

/**
 * The frames, without the message before them: foreign errors quote the input in it, and a line of that may look like a
 * frame. None if the message is not there: it was changed, and the stack still has it as it was. Of one that was shortened,
 * the rest is still there, so a line has to name a place to be a frame.
 */
function frames({ stack, message }: Error): string | undefined {
  if (typeof stack !== 'string') return undefined;
  const before = stack.indexOf(message);
  const after = before === -1 ? '' : stack.slice(before + message.length);
  const lines = after.split('\n').filter((line) => FRAME.test(line));
  return lines.length > 0 ? lines.slice(0, MAXIMUM_FRAMES).join('\n') : undefined;
}

/** Which error is behind one of ours: the same two words as of a foreign error itself, and as little else. */
function causeOf(error: DomainError): string | undefined {
  const cause = error.hiddenCause();
  return cause instanceof Error ? (word((cause as { code?: unknown }).code) ?? word(cause.name)) : undefined;
}

/**
 * Name, code, stack frames and, for domain errors, the detail and which error is behind them. Never the message or another
 * member of a foreign error: those of jose, zod and pg contain claims, input and column values.
 */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { name: `thrown ${typeof error}` };
  const code = word((error as { code?: unknown }).code);
  const stack = frames(error);
  const cause = error instanceof DomainError ? causeOf(error) : undefined;
  return {
    name: word(error.name) ?? 'Error',
    ...(code === undefined ? {} : { code }),
    ...(error instanceof DomainError ? { detail: error.detail } : {}),
    ...(cause === undefined ? {} : { cause }),
    ...(stack === undefined ? {} : { stack }),
  };
}
