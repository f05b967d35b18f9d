import { DomainError } from '@vestibule/foundation';

/** Everything that a log line may contain about an error. */
export interface DescribedError {
  readonly name: string;
  readonly code?: string;
  readonly detail?: string;
  readonly stack?: string;
}

const WORD = /^[\w$.-]{1,80}$/;
const FRAME = /^\s+at /;
const MAXIMUM_FRAMES = 20;

function word(value: unknown): string | undefined {
  return typeof value === 'string' && WORD.test(value) ? value : undefined;
}

/** The frames without the first lines, which repeat the message: foreign errors quote the input there. */
function frames(stack: unknown): string | undefined {
  if (typeof stack !== 'string') return undefined;
  const lines = stack.split('\n').filter((line) => FRAME.test(line));
  return lines.length > 0 ? lines.slice(0, MAXIMUM_FRAMES).join('\n') : undefined;
}

/**
 * Name, code, stack frames and, for domain errors, the detail. Never the message, the cause or another member of a
 * foreign error: those of jose, zod and pg contain claims, input and column values.
 */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { name: `thrown ${typeof error}` };
  const code = word((error as { code?: unknown }).code);
  const stack = frames(error.stack);
  return {
    name: word(error.name) ?? 'Error',
    ...(code === undefined ? {} : { code }),
    ...(error instanceof DomainError ? { detail: error.detail } : {}),
    ...(stack === undefined ? {} : { stack }),
  };
}
