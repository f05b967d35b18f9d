import type { Clock } from '@vestibule/foundation';
import { readHandOver } from '../domain/hand-over';
import type { Issuances } from '../domain/ports';

export interface AcceptHandOversDeps {
  readonly clock: Clock;
  /** The keys that answers may have been named with. */
  readonly handOverKeys: readonly Uint8Array[];
  readonly recordHandOvers: Issuances['recordHandOvers'];
}

/**
 * A gateway reports answers that it has handed over: their offers show it, and their ISSUED events are released. Names
 * from elsewhere are ignored; a repeated report changes nothing.
 */
export function acceptHandOvers({ clock, handOverKeys, recordHandOvers }: AcceptHandOversDeps) {
  return async function acceptHandOvers(report: {
    readonly handOvers: readonly string[];
  }): Promise<Record<string, never>> {
    const named = [...new Set(report.handOvers)].map((name) => readHandOver(name, handOverKeys));
    const handOvers = named.filter((handOver) => handOver !== undefined);
    if (handOvers.length > 0) await recordHandOvers(handOvers, clock());
    return {};
  };
}
