import { type LoggerService } from '@nestjs/common';
import { type LogFields, type Logger } from './logger';

const MAXIMUM_LENGTH = 300;

/** Nest passes `(message, …, context)`; the message may also be an error or an object. */
function toLine(message: unknown, rest: readonly unknown[]): { text: string; fields: LogFields } {
  const last = rest.at(-1);
  const context = typeof last === 'string' && !last.includes('\n') ? { context: last.slice(0, MAXIMUM_LENGTH) } : {};
  if (typeof message === 'string') return { text: message.slice(0, MAXIMUM_LENGTH), fields: context };
  return { text: 'the framework reports an error', fields: { ...context, error: message } };
}

/** Makes Nest write to our logger: its messages unchanged, its errors without message and payload. */
export function createNestLogger(logger: Logger): LoggerService {
  const at =
    (severity: keyof Logger) =>
    (message: unknown, ...rest: unknown[]): void => {
      const { text, fields } = toLine(message, rest);
      logger[severity](text, fields);
    };
  return {
    log: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('error'),
    debug: at('debug'),
    verbose: at('debug'),
  };
}
