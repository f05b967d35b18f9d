import type { MsgHdrs } from '@nats-io/transport-node';
import { NatsContext } from '@nestjs/microservices';
import type { WireReply } from '@vestibule/contracts';
import { DomainError, type Clock } from '@vestibule/foundation';
import { DEADLINE_PASSED, traced, withRequestContext, type Work } from '@vestibule/process';
import { parseAnswer } from './answer';
import type { AnsweredContract } from './answers';
import { readContractVersion, understands, type ContractVersions } from './contract-version';
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
  /** The clock for deadlines. */
  readonly clock: Clock;
  readonly versions: ContractVersions;
}

/** A message as it came from the bus. */
export interface Received {
  readonly data: Uint8Array;
  readonly headers: MsgHdrs | undefined | 'malformed';
}

function malformed(): DomainError {
  return new DomainError({ kind: 'invalid', code: 'invalid_message', detail: 'the headers cannot be read' });
}

const workOf = (subject: string): Work => ({
  name: `answer ${subject}`,
  kind: 'server',
  attributes: { 'messaging.destination.name': subject },
});

/**
 * Answers one message within the context of its request: checks its deadline, then its version, parses its JSON once,
 * and calls the handler and the contract. Whatever is thrown becomes a wire error; never rejects. Undefined, so no
 * answer at all, if the deadline has passed.
 */
export function answerMessage(
  { contract, handle, refusals, clock, versions }: Answering,
  { data, headers }: Received,
): Promise<WireReply | undefined> {
  const { subject, timeoutMilliseconds } = contract;
  if (headers === 'malformed') return Promise.resolve(refusals.toReply(subject, malformed()));
  const answerBy = awaitedUntil({ answerBy: readAnswerBy(headers), arrivedAt: clock(), timeoutMilliseconds });
  // Its JSON is not even parsed: the caller has given up, and an overloaded service must be able to catch up.
  if (answerBy === undefined) return Promise.resolve(refusals.leave(subject));
  const version = readContractVersion(headers);
  if (!understands(versions, version)) return Promise.resolve(refusals.refuseVersion(subject, version, versions));
  return withRequestContext({ ...readRequestContext(headers), answerBy }, async (): Promise<WireReply | undefined> => {
    try {
      const value = await traced(workOf(subject), () =>
        handle(readQuestion(data), new NatsContext([subject, headers])),
      );
      return { ok: true, answer: parseAnswer(contract, value) };
    } catch (error) {
      if (error instanceof DomainError && error.reason === DEADLINE_PASSED) return refusals.leave(subject);
      return refusals.toReply(subject, error);
    }
  });
}
