import { MessagePattern } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants';
import type { Contract } from '@vestibule/contracts';
import { parseQuestion } from './answer';

export type AnsweredContract = Contract<unknown, unknown>;

/** The handlers that are bound to a contract. */
const answered = new WeakSet<object>();

const isAnswered = (value: unknown): value is AnsweredContract =>
  typeof value === 'object' && value !== null && answered.has(value);

/** The contract in the extras that Nest passes with a handler, if {@link Answers} bound it. */
export function contractOf(extras: Readonly<Record<string, unknown>> | undefined): AnsweredContract | undefined {
  const contract = extras?.['contract'];
  return isAnswered(contract) ? contract : undefined;
}

/**
 * Binds a method of a controller to a contract: its subject, the validation of the question, and the contract itself for
 * the transport, which checks the answer and knows the time limit. A method with other parameter or return types does not
 * compile.
 */
export function Answers<Question, Answer>(contract: Contract<Question, Answer>) {
  return <Method extends (question: Question) => Promise<Answer> | Answer>(
    target: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ): void => {
    answered.add(contract);
    const answer = method.value;
    if (answer !== undefined) {
      const validating = function (this: unknown, payload: unknown): Promise<Answer> | Answer {
        return answer.call(this, parseQuestion(contract, payload));
      };
      method.value = Object.defineProperty(validating, 'name', { value: name }) as unknown as Method;
    }
    // No parameters that Nest would look for and pipe, in a dozen promises per question: the method gets the payload.
    Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, target.constructor, name);
    MessagePattern(contract.subject, { contract })(target, name, method);
  };
}
