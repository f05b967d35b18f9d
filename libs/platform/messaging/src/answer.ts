import { type Contract, schemaFaults } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';

/** @throws DomainError `invalid_message` with the members that break the contract */
export function parseQuestion<Question, Answer>(contract: Contract<Question, Answer>, payload: unknown): Question {
  const parsed = contract.question.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new DomainError({
    kind: 'invalid',
    code: 'invalid_message',
    detail: 'the request violates its contract',
    faults: schemaFaults(parsed.error, []),
  });
}

/** @throws DomainError `invalid_answer` with the members that break the contract, without their values */
export function parseAnswer<Question, Answer>(contract: Contract<Question, Answer>, value: unknown): Answer {
  const parsed = contract.answer.safeParse(value);
  if (parsed.success) return parsed.data;
  const paths = schemaFaults(parsed.error, []).map(({ path }) => path);
  throw new DomainError({
    kind: 'internal',
    code: 'invalid_answer',
    detail: `the reply violates its contract at ${paths.join(', ') || 'its root'}`,
  });
}
