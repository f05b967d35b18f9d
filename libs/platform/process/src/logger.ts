import { pino } from 'pino';
import { describeError } from './describe-error';
import { currentRequestContext, currentSubjectHash } from './request-context';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Strings, numbers, booleans and errors. For any other value only its type is printed, so that no payload reaches a
 * log.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log lines. A message is a fixed sentence; variable parts are in the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LoggerOptions {
  /** The name of the service, in each line. */
  readonly name: string;
  readonly level: LogLevel;
  /** Where lines go; standard output by default. */
  readonly destination?: { write(line: string): void };
}

const PRIMITIVES: readonly string[] = ['string', 'number', 'boolean', 'undefined'];

function printable(name: string, value: unknown): unknown {
  if (value instanceof Error || name === 'error') return describeError(value);
  if (value === null || PRIMITIVES.includes(typeof value)) return value;
  return `[${typeof value}]`;
}

function printableFields(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, printable(name, value)]));
}

function requestFields(): Record<string, string> {
  const context = currentRequestContext();
  if (!context) return {};
  const traceId = context.traceparent?.split('-')[1];
  const subjectHash = currentSubjectHash();
  return {
    requestId: context.requestId,
    ...(traceId === undefined ? {} : { traceId }),
    ...(subjectHash === undefined ? {} : { subjectHash }),
  };
}

/**
 * JSON lines `{level, time, service, requestId?, traceId?, subjectHash?, msg, …fields}`. Errors are printed by {@link
 * describeError}, so that no claim, token, code or key reaches a log through an error either.
 */
export function createLogger({ name, level, destination = process.stdout }: LoggerOptions): Logger {
  const lines = pino(
    {
      level,
      base: { service: name },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: requestFields,
    },
    destination,
  );
  const at =
    (severity: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      if (lines.isLevelEnabled(severity)) lines[severity](printableFields(fields), message);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
