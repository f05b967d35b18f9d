import { median } from '../bench/calibration';
import type { Figures } from './measure';

/** The maximum cost of one answer, in normalised milliseconds. */
export const BOUNDS = {
  /** Processor time of verifier and gateway together. */
  cpu: 400,
  /**
   * The longest time for which one of their event loops was blocked by work; waiting for a processor does not count.
   */
  stretch: 150,
} as const;

/** After this many attempts there is a majority in any case. */
const MOST_TRIES = 5;
/** A first attempt this far below the bounds needs no second one. */
const CLEARLY = 0.6;

type Cost = Readonly<Record<keyof typeof BOUNDS, number>>;

/** The bounded costs of one attempt. */
export function costOf({ cpu, longest }: Pick<Figures, 'cpu' | 'longest'>): Cost {
  return { cpu: cpu.verifier + cpu.gateway, stretch: Math.max(longest.verifier, longest.gateway) };
}

const isWithin = (cost: Cost, share = 1): boolean =>
  cost.cpu <= BOUNDS.cpu * share && cost.stretch <= BOUNDS.stretch * share;

/**
 * True while more attempts could change the verdict, because load on the same core makes single ones expensive. False
 * after a first one far below the bounds, or once a majority of five is on the same side of them.
 */
export function needsAnotherTry(costs: readonly Cost[]): boolean {
  const [first] = costs;
  if (!first) return true;
  if (isWithin(first, CLEARLY) || costs.length >= MOST_TRIES) return false;
  const within = costs.filter((cost) => isWithin(cost)).length;
  return Math.max(within, costs.length - within) * 2 < MOST_TRIES + 1;
}

/** The median of all attempts, for each figure separately. */
export function medianCost(costs: readonly Cost[]): Cost {
  return { cpu: median(costs.map(({ cpu }) => cpu)), stretch: median(costs.map(({ stretch }) => stretch)) };
}

const WHAT: Readonly<Record<keyof Cost, string>> = {
  cpu: 'processor time',
  stretch: 'stretch of an event loop',
};

/** One sentence for each bound that the median of the attempts exceeds; empty if none is exceeded. */
export function excessesOf(name: string, costs: readonly Cost[]): string[] {
  const cost = medianCost(costs);
  const above = (['cpu', 'stretch'] as const).filter((key) => !(cost[key] <= BOUNDS[key]));
  const tries = costs.length === 1 ? 'one try' : `the median of ${costs.length} tries`;
  return above.map((key) => `${name}: ${WHAT[key]} ${cost[key].toFixed(0)} ms, may be ${BOUNDS[key]} (${tries})`);
}
