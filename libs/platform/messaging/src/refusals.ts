import { toWireError, type WireReply } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { createLineBudget, type LineBudget, type Logger } from '@vestibule/process';
import { versionMismatch, type ContractVersions } from './contract-version';

/** Per code, because clients can provoke these lines. */
const LINES_PER_SECOND = 20;
const REASON = /^[a-z0-9_]{1,80}$/;

/** A reason with spaces would be a bug, and might quote input. */
function worded(reason: string | undefined): { readonly reason?: string } {
  if (reason === undefined) return {};
  return { reason: REASON.test(reason) ? reason : 'unnamed' };
}

/**
 * Converts errors into what the asking side may see, and logs the rest: the code and reason of domain errors; the name,
 * code and stack of others; never a message, a cause or a value of the question.
 */
export class Refusals {
  readonly #budget: LineBudget;

  constructor(private readonly logger: Logger) {
    this.#budget = createLineBudget({
      perSecond: LINES_PER_SECOND,
      onLeftOut: (code, leftOut) => logger.info('log lines about refusals were omitted', { code, leftOut }),
    });
  }

  /** The wire form of an error that occurred while answering a question of this subject. */
  toReply(subject: string, error: unknown): WireReply {
    this.#log(subject, error);
    return { ok: false, error: toWireError(error) };
  }

  /** For a question whose deadline has passed: a log line, and no answer. */
  leave(subject: string): undefined {
    if (this.#budget('deadline_passed')) this.logger.warn('a question arrived too late and was dropped', { subject });
    return undefined;
  }

  /** For a question of a version that this program does not understand: a log line with both versions, and an error. */
  refuseVersion(subject: string, asked: number | undefined, { oldest, newest }: ContractVersions): WireReply {
    const error = versionMismatch();
    if (this.#budget(error.code))
      this.logger.error('a question has a contract version that this program does not understand', {
        subject,
        asked: asked ?? 'unreadable',
        oldest,
        newest,
      });
    return { ok: false, error: toWireError(error) };
  }

  #log(subject: string, error: unknown): void {
    if (!(error instanceof DomainError)) this.logger.error('a request failed unexpectedly', { subject, error });
    else if (error.kind === 'internal') this.logger.error('a request failed', { subject, error });
    else if (error.kind === 'unavailable') this.#complain(subject, error);
    else if (error.reason === undefined)
      this.logger.debug('a request was refused', { subject, kind: error.kind, code: error.code });
    else this.#explain(subject, error.code, error.reason);
  }

  #complain(subject: string, error: DomainError): void {
    if (!this.#budget(error.code)) return;
    this.logger.warn('a request could not be served', { subject, error, ...worded(error.reason) });
  }

  /** The refused caller receives only the code. */
  #explain(subject: string, code: string, reason: string): void {
    if (!this.#budget(code)) return;
    this.logger.info('a request was refused', { subject, code, ...worded(reason) });
  }
}
