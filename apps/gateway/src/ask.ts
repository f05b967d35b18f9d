import type { Contract } from '@vestibule/contracts';

/** Sends a request to a service over the bus; its errors arrive as domain errors. */
export type Ask = <Question, Answer>(contract: Contract<Question, Answer>, question: Question) => Promise<Answer>;

/** Injection token of {@link Ask}. */
export const ASK = Symbol('ask');
