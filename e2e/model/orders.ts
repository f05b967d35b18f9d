/** The answer of an outcome that nobody is answered with: it was 5xx, or did not come. */
export const UNSERVED = 'unserved';

/** One answer that the contract allows to a step, and the state after it. */
export interface Outcome<State> {
  readonly answer: string;
  readonly next: State;
}

/** The contract of one kind of flow. */
export interface Rules<State, Step> {
  take(state: State, step: Step): readonly Outcome<State>[];
  /** What a state may become by itself, at any time. */
  drift(state: State): readonly State[];
  /** The state after a wallet came and perhaps was not served. */
  unserved(state: State): State;
}

/** A step and what it was answered; nothing where no answer came, and nobody knows whether it was taken. */
export interface Taken<Step> {
  readonly step: Step;
  readonly answer: string | undefined;
}

const distinct = <T>(all: readonly T[]): T[] => [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];

function statesAfterOne<State, Step>(rules: Rules<State, Step>, state: State, { step, answer }: Taken<Step>): State[] {
  const outcomes = rules.take(state, step);
  if (answer === undefined) return [state, ...outcomes.map(({ next }) => next)];
  return outcomes.filter((outcome) => outcome.answer === answer).map(({ next }) => next);
}

/**
 * The states in which a flow may be after steps that were taken at the same moment: those after each order in which the
 * steps could have been answered so. None, if the contract allows no order.
 */
export function statesAfter<State, Step>(
  rules: Rules<State, Step>,
  before: readonly State[],
  taken: readonly Taken<Step>[],
): State[] {
  const possible = distinct(before.flatMap((state) => [state, ...rules.drift(state)]));
  if (taken.length === 0) return possible;
  return distinct(
    taken.flatMap((first, at) => {
      const after = possible.flatMap((state) => statesAfterOne(rules, state, first));
      const rest = taken.filter((_, other) => other !== at);
      return after.length === 0 ? [] : statesAfter(rules, distinct(after), rest);
    }),
  );
}
