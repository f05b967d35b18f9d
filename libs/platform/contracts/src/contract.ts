import { z } from 'zod';
import { DomainError, ERROR_KINDS, type ErrorCode } from '@vestibule/foundation';
import { declaredRepeat } from './repeat';

/**
 * One message between services: the subject `<service>.<noun>.<verb>` and the schemas of question and answer.
 * Both sides validate both directions.
 */
export interface Contract<Question, Answer> {
  readonly subject: string;
  readonly question: z.ZodType<Question>;
  readonly answer: z.ZodType<Answer>;
  /** How long the asking side waits, in milliseconds. */
  readonly timeoutMilliseconds: number;
}

/** The question of a contract, after validation. */
export type QuestionOf<C> = C extends Contract<infer Question, unknown> ? Question : never;

const SUBJECT = /^(verifier|issuer|wallet-store)(\.[a-z]+(-[a-z]+)*){2}$/;
const READ_MILLISECONDS = 10_000;
/** A service has to begin its last write 5.5 s before this time ends: see repeat.spec.ts. */
const WRITE_MILLISECONDS = 15_000;

/** Defines a contract; throws a RangeError if the subject breaks the naming rule. */
export function contract<Question, Answer>(
  subject: string,
  question: z.ZodType<Question>,
  answer: z.ZodType<Answer>,
  timeoutMilliseconds = declaredRepeat(subject) === 'read' ? READ_MILLISECONDS : WRITE_MILLISECONDS,
): Contract<Question, Answer> {
  if (!SUBJECT.test(subject)) throw new RangeError(`a subject is <service>.<noun>.<verb>: ${subject}`);
  return { subject, question, answer, timeoutMilliseconds };
}

const fault = z.object({ path: z.string(), message: z.string() });

/** An error as sent over the bus: what the caller may know, never a cause or a stack. */
export const wireError = z.object({
  kind: z.enum(ERROR_KINDS),
  code: z.string(),
  detail: z.string(),
  faults: z.array(fault),
  freshNonce: z.string().max(256).optional(),
});
export type WireError = z.infer<typeof wireError>;

/** What is sent back: the answer or a typed error. The answer is validated by its own contract. */
export const wireReply = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), answer: z.unknown() }),
  z.object({ ok: z.literal(false), error: wireError }),
]);
export type WireReply = z.infer<typeof wireReply>;

/** The wire form of any error: a {@link DomainError} unchanged, anything else as a bare `internal_error`. */
export function toWireError(error: unknown): WireError {
  if (!(error instanceof DomainError))
    return { kind: 'internal', code: 'internal_error', detail: 'internal error', faults: [] };
  return {
    kind: error.kind,
    code: error.code,
    detail: error.detail,
    faults: error.faults.map((item) => ({ ...item })),
    ...(error.freshNonce === undefined ? {} : { freshNonce: error.freshNonce }),
  };
}

/** The error for a wire form. Its code may be one that only a newer peer knows. */
export function fromWireError(wire: WireError): DomainError {
  return new DomainError({ ...wire, code: wire.code as ErrorCode });
}
