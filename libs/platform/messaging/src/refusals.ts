import { toWireError, type WireReply } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { createLineBudget, type LineBudget, type Logger } from '@vestibule/process';
import { versionMismatch, type ContractVersions } from './contract-version';

/** Of each code, since strangers provoke these lines. */
const LINES_PER_SECOND = 20;
const REASON = /^[a-z0-9_]{1,80}$/;

/** A sentence in the place of a reason would be a mistake of ours, and might quote somebody. */
function worded(reason: string | undefined): { readonly reason?: string } {
  if (reason === undefined) return {};
  return { reason: REASON.test(reason) ? reason : 'unnamed' };
}

/**
 * Turns errors into what the asking side may see of them, and logs what it may not: of our own errors code and reason, of
 * others name, code and stack; never a message, a cause or a value of the question.
 */
export class Refusals {
  readonly #budget: LineBudget;

  constructor(private readonly logger: Logger) {
    this.#budget = createLineBudget({
      perSecond: LINES_PER_SECOND,
      onLeftOut: (code, leftOut) => logger.info('refusals were left out of the log', { code, leftOut }),
    });
  }

  /** The wire form of an error that ended the answer to a question of this subject. */
  toReply(subject: string, error: unknown): WireReply {
    this.#log(subject, error);
    return { ok: false, error: toWireError(error) };
  }

  /** For a question whose deadline has passed: a line in the log, and no answer. */
  leave(subject: string): undefined {
    if (this.#budget('deadline_passed')) this.logger.warn('a question was too late and is left', { subject });
    return undefined;
  }

  /** For a question of a version that this program does not understand: a line with both versions, and an error. */
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

  /** Whoever was refused hears the code alone. */
  #explain(subject: string, code: string, reason: string): void {
    if (!this.#budget(code)) return;
    this.logger.info('a request was refused', { subject, code, ...worded(reason) });
  }
}
