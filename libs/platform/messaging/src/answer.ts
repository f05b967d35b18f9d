import { judge, type Contract } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';

/** @throws DomainError `invalid_message` with the members that break the contract */
export function parseQuestion<Question, Answer>(contract: Contract<Question, Answer>, payload: unknown): Question {
  const { value, faults } = judge(contract.question, payload);
  if (value !== undefined) return value;
  throw new DomainError({
    kind: 'invalid',
    code: 'invalid_message',
    detail: 'the request violates its contract',
    faults,
  });
}

/** @throws DomainError `invalid_answer` with the members that break the contract, without their values */
export function parseAnswer<Question, Answer>(contract: Contract<Question, Answer>, value: unknown): Answer {
  const judged = judge(contract.answer, value);
  if (judged.value !== undefined) return judged.value;
  const paths = judged.faults.map(({ path }) => path);
  throw new DomainError({
    kind: 'internal',
    code: 'invalid_answer',
    detail: `the reply violates its contract at ${paths.join(', ') || 'its root'}`,
  });
}
