import type { Msg } from '@nats-io/transport-node';
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

/**
 * Answers one message within the context of its request: its deadline first, then one pass of JSON, the handler, and the
 * contract. Whatever is thrown becomes a wire error; never rejects.
 */
export async function answerMessage(
  { contract, handle, refusals, clock }: Answering,
  { data, headers }: Pick<Msg, 'data' | 'headers'>,
): Promise<WireReply> {
  const { subject, timeoutMilliseconds } = contract;
  const answerBy = awaitedUntil({ answerBy: readAnswerBy(headers), arrivedAt: clock(), timeoutMilliseconds });
  return withRequestContext({ ...readRequestContext(headers), answerBy }, async () => {
    try {
      if (answerBy === undefined) throw tooLate();
      const value = await handle(readQuestion(data), new NatsContext([subject, headers]));
      return { ok: true, answer: parseAnswer(contract, value) };
    } catch (error) {
      return refusals.toReply(subject, error);
    }
  });
}
