import { parseArgs } from 'node:util';

/** The options of `npm run bench`. */
export interface BenchOptions {
  /** Per flow and checkout, without warm-up. */
  readonly seconds: number;
  readonly wallets: number;
  /** The number of verifier and of issuer processes. */
  readonly replicas: number;
  /** Finished requests of each kind that are already in the tables. */
  readonly oldRequests: number;
  /** Entries of the open status list that are already taken. */
  readonly statusEntries: number;
  /** Wallets encrypt their credential requests and request encrypted answers. */
  readonly encrypted: boolean;
  /** Prints JSON instead of tables. */
  readonly json: boolean;
  /** Another built checkout, measured alternately with this one. */
  readonly compare?: string;
  /** Only counts, which must stay within the budget. */
  readonly counts: boolean;
  /** Writes the file from which docs/performance.md is generated. */
  readonly record: boolean;
}

export const BENCH_USAGE = `usage: npm run bench -- [options]
  --seconds <1..3600>            measurement time of each flow and checkout, without warm-up; default 30
  --wallets <1..1000>            concurrent wallets; default 32
  --replicas <1..16>             processes of verifier and of issuer each; default 1
  --old-requests <0..10000000>   finished requests of each kind that are already in the tables; default 0
  --status-entries <0..1000000>  entries that are already taken in the status list; default 0
  --encrypted                    encrypts credential requests and responses
  --compare <checkout>           another built checkout, measured alternately with this one
  --json                         prints JSON
  --counts                       only counts statements, messages and bytes; fails above tools/proofs/bench/budget.json
  --record                       records the figures for docs/performance.md (then: npm run docs)
  --help                         prints this text`;

const NUMBERS = {
  seconds: { default: 30, least: 1, most: 3_600 },
  wallets: { default: 32, least: 1, most: 1_000 },
  replicas: { default: 1, least: 1, most: 16 },
  'old-requests': { default: 0, least: 0, most: 10_000_000 },
  'status-entries': { default: 0, least: 0, most: 1_000_000 },
} as const;

type NumberName = keyof typeof NUMBERS;

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const numbers = { seconds: text, wallets: text, replicas: text, 'old-requests': text, 'status-entries': text };
  const options = { ...numbers, compare: text, encrypted: flag, json: flag, counts: flag, record: flag };
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch {
    return undefined;
  }
}

/** The options, or undefined if one is unknown, out of range or incompatible with another. */
export function parseBenchOptions(argv: readonly string[]): BenchOptions | undefined {
  const values = parse(argv);
  if (!values) return undefined;
  const numberOf = (name: NumberName): number => {
    const { default: usual, least, most } = NUMBERS[name];
    const given = values[name] === undefined ? usual : Number(values[name] === '' ? Number.NaN : values[name]);
    return Number.isInteger(given) && given >= least && given <= most ? given : Number.NaN;
  };
  const numbers = {
    seconds: numberOf('seconds'),
    wallets: numberOf('wallets'),
    replicas: numberOf('replicas'),
    oldRequests: numberOf('old-requests'),
    statusEntries: numberOf('status-entries'),
  };
  const { encrypted, json, counts, record, compare } = values;
  const contradicts = (record && (counts || encrypted || compare !== undefined)) || compare === '';
  if (contradicts || Object.values(numbers).some(Number.isNaN)) return undefined;
  return { ...numbers, encrypted, json, counts, record, ...(compare === undefined ? {} : { compare }) };
}
