import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** Which of the faults run after the flows. */
export type FaultChoice = 'all' | 'short' | 'none';

export interface Options {
  readonly flows: number;
  readonly seed: number;
  readonly faults: FaultChoice;
  /** Only faults whose name contains this. */
  readonly only: string;
  /** Records the results of the faults for docs/operations.md. */
  readonly record: boolean;
}

export const USAGE = `usage: npm run chaos [-- <option> ...]
  --flows <0..100000>        flows while parts are killed, paused and cut off at random; default 200
  --seed <number>            what goes wrong when; default any
  --faults all|short|none    faults applied afterwards, one at a time, while the product is watched; default short
  --only <text>              only faults whose name contains this text
  --record                   records the results of all faults for docs/operations.md`;

const DEFAULT_FLOWS = 200;
const DEFAULT_FAULTS = 'short';
const isChoice = (text: string): text is FaultChoice => ['all', 'short', 'none'].includes(text);

/** The options of the command line; undefined if they are invalid. */
export function readOptions(argv: readonly string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        flows: { type: 'string' },
        seed: { type: 'string' },
        faults: { type: 'string', default: DEFAULT_FAULTS },
        only: { type: 'string', default: '' },
        record: { type: 'boolean', default: false },
      },
    });
    const { faults, only, record } = values;
    const flows = Number(values.flows ?? DEFAULT_FLOWS);
    const seed = Number(values.seed ?? randomInt(1, 1_000_000));
    const isCount = Number.isInteger(flows) && flows >= 0 && flows <= 100_000;
    if (!isCount || !Number.isInteger(seed) || !isChoice(faults)) return undefined;
    return record && (faults !== 'all' || only !== '') ? undefined : { flows, seed, faults, only, record };
  } catch {
    return undefined;
  }
}
