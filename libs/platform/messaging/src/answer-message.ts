import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import { NatsContext } from '@nestjs/microservices';
import type { WireReply } from '@vestibule/contracts';
import { DomainError, type Clock } from '@vestibule/foundation';
import { withRequestContext } from '@vestibule/process';
import { parseAnswer } from './answer';
import type { AnsweredContract } from './answers';
import { awaitedUntil } from './deadline';
import { readAnswerBy, readRequestContext } from './headers';
import { readQuestion } from './packet';
import type { Refusals } from './refusals';

/** How the messages of one subject are answered. */
export interface Answering {
  readonly contract: AnsweredContract;
  /** Nest's pipeline, which validates the question by the contract. */
  readonly handle: (question: unknown, context: NatsContext) => Promise<unknown>;
  readonly refusals: Refusals;
  /** What deadlines are judged by. */
  readonly clock: Clock;
}

/** Not even its JSON is read: whoever asked has given up, and a service that is behind shall not stay behind. */
function tooLate(): DomainError {
  const detail = 'the request arrived after its deadline';
  return new DomainError({ kind: 'unavailable', code: 'service_timeout', detail });
}

function malformed(): DomainError {
  return new DomainError({ kind: 'invalid', code: 'invalid_message', detail: 'the headers cannot be read' });
}

/** The client library parses headers when they are first looked at. */
function readableHeaders(message: Pick<Msg, 'headers'>): MsgHdrs | undefined | 'malformed' {
  try {
    return message.headers;
  } catch {
    return 'malformed';
  }
}

/**
 * Answers one message within the context of its request: its deadline first, then one pass of JSON, the handler, and the
 * contract. Whatever is thrown becomes a wire error; never rejects.
 */
export async function answerMessage(
  { contract, handle, refusals, clock }: Answering,
  message: Pick<Msg, 'data' | 'headers'>,
): Promise<WireReply> {
  const { subject, timeoutMilliseconds } = contract;
  const headers = readableHeaders(message);
  if (headers === 'malformed') return refusals.toReply(subject, malformed());
  const answerBy = awaitedUntil({ answerBy: readAnswerBy(headers), arrivedAt: clock(), timeoutMilliseconds });
  return withRequestContext({ ...readRequestContext(headers), answerBy }, async () => {
    try {
      if (answerBy === undefined) throw tooLate();
      const value = await handle(readQuestion(message.data), new NatsContext([subject, headers]));
      return { ok: true, answer: parseAnswer(contract, value) };
    } catch (error) {
      return refusals.toReply(subject, error);
    }
  });
}
