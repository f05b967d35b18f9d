import { median } from '../bench/calibration';
import type { Figures } from './measure';

/** What one answer may cost, in normalised milliseconds. */
export const BOUNDS = {
  /** Processor time of verifier and gateway together. */
  cpu: 400,
  /** The longest stretch in which one of their event loops worked and answered nobody else; waiting for a processor is none. */
  stretch: 150,
} as const;

/** Tries after which there is a majority whatever they show. */
const MOST_TRIES = 5;
/** A first try that stays this far below the bounds needs no second one. */
const CLEARLY = 0.6;

type Cost = Readonly<Record<keyof typeof BOUNDS, number>>;

/** What the bounds are about, of one try. */
export function costOf({ cpu, longest }: Pick<Figures, 'cpu' | 'longest'>): Cost {
  return { cpu: cpu.verifier + cpu.gateway, stretch: Math.max(longest.verifier, longest.gateway) };
}

const isWithin = (cost: Cost, share = 1): boolean =>
  cost.cpu <= BOUNDS.cpu * share && cost.stretch <= BOUNDS.stretch * share;

/**
 * True while more tries could change the verdict: a neighbour on the same core makes single ones expensive. Not after a
 * first one far below the bounds, nor when a majority of five is on one side of them.
 */
export function needsAnotherTry(costs: readonly Cost[]): boolean {
  const [first] = costs;
  if (!first) return true;
  if (isWithin(first, CLEARLY) || costs.length >= MOST_TRIES) return false;
  const within = costs.filter((cost) => isWithin(cost)).length;
  return Math.max(within, costs.length - within) * 2 < MOST_TRIES + 1;
}

/** The middle of all tries, for each figure on its own. */
export function medianCost(costs: readonly Cost[]): Cost {
  return { cpu: median(costs.map(({ cpu }) => cpu)), stretch: median(costs.map(({ stretch }) => stretch)) };
}

const WHAT: Readonly<Record<keyof Cost, string>> = {
  cpu: 'processor time',
  stretch: 'stretch of an event loop',
};

/** One sentence for each bound that the median of the tries exceeds; none for a kind that costs little enough. */
export function excessesOf(name: string, costs: readonly Cost[]): string[] {
  const cost = medianCost(costs);
  const above = (['cpu', 'stretch'] as const).filter((key) => !(cost[key] <= BOUNDS[key]));
  const tries = costs.length === 1 ? 'one try' : `the median of ${costs.length} tries`;
  return above.map((key) => `${name}: ${WHAT[key]} ${cost[key].toFixed(0)} ms, may be ${BOUNDS[key]} (${tries})`);
}
