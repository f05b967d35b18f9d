import { MessagePattern, Payload } from '@nestjs/microservices';
import type { Contract } from '@vestibule/contracts';
import { parseQuestion } from './answer';

export type AnsweredContract = Contract<unknown, unknown>;

/** Every contract that a method answers. */
const answered = new WeakSet<object>();

const isAnswered = (value: unknown): value is AnsweredContract =>
  typeof value === 'object' && value !== null && answered.has(value);

/** The contract that Nest brings along with a handler, if {@link Answers} bound it. */
export function contractOf(extras: Readonly<Record<string, unknown>> | undefined): AnsweredContract | undefined {
  const contract = extras?.['contract'];
  return isAnswered(contract) ? contract : undefined;
}

/**
 * Binds a method of a controller to a contract: its subject, a pipe that validates the question, and the contract itself
 * for the transport, which checks the answer and knows how long it may take. A method that takes or returns something else
 * does not compile.
 */
export function Answers<Question, Answer>(contract: Contract<Question, Answer>) {
  return <Method extends (question: Question) => Promise<Answer> | Answer>(
    target: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ): void => {
    answered.add(contract);
    Payload({ transform: (payload: unknown) => parseQuestion(contract, payload) })(target, name, 0);
    MessagePattern(contract.subject, { contract })(target, name, method);
  };
}
