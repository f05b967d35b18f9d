import { MessagePattern, Payload } from '@nestjs/microservices';
import type { Contract } from '@vestibule/contracts';
import { parseAnswer, parseQuestion } from './answer';

interface Answering<Question, Answer> {
  value?: (question: Question) => Promise<Answer> | Answer;
}

/**
 * Binds a method of a controller to a contract: its subject, a pipe that validates the question, and a check of the
 * answer. A method that takes or returns something else does not compile.
 */
export function Answers<Question, Answer>(contract: Contract<Question, Answer>) {
  return (target: object, name: string, method: Answering<Question, Answer>): void => {
    const answer = method.value;
    if (answer === undefined) throw new TypeError(`${name} is no method`);
    method.value = async function checked(this: unknown, question: Question) {
      return { ok: true, answer: parseAnswer(contract, await answer.call(this, question)) } as Answer;
    };
    Payload({ transform: (payload: unknown) => parseQuestion(contract, payload) })(target, name, 0);
    MessagePattern(contract.subject)(target, name, method as TypedPropertyDescriptor<unknown>);
  };
}
