import { parseArgs } from 'node:util';
import { calibrate, REFERENCE_MICROSECONDS } from './bench/calibration';
import { HOSTILE_KINDS, type HostileKind } from './hostile/kinds';
import { BOUNDS, costOf, excessesOf, needsAnotherTry } from './hostile/judgement';
import { measure, measureIdle, type Figures } from './hostile/measure';
import { runHonestFlow, serveHonestLists, summarise, type Flow } from './hostile/other-wallet';
import { describeBaseline, describeFigures, HEADINGS } from './hostile/report';
import { startWorld, type World } from './hostile/world';
import type { ToolContext } from '../start';

const print = (text = '') => void process.stdout.write(`${text}\n`);
const WARM_UP_FLOWS = 40;
const BASELINE_FLOWS = 30;

interface Options {
  readonly kinds: readonly HostileKind[];
  /** Without another wallet, which doubles the time. */
  readonly alone: boolean;
  readonly json: boolean;
}

function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      short: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
    },
  });
  const { short, json, only } = values;
  const wanted = only?.split(',');
  const unknown = wanted?.find((name) => HOSTILE_KINDS.every((kind) => kind.name !== name));
  if (unknown !== undefined) {
    throw new Error(`there is no kind ${unknown}; there are ${HOSTILE_KINDS.map(({ name }) => name).join(', ')}`);
  }
  const kinds = HOSTILE_KINDS.filter(({ name, inShort }) => (wanted ? wanted.includes(name) : inShort || !short));
  return { kinds, alone: short, json };
}

async function measureHonest(world: World) {
  const flows: Flow[] = [];
  for (let count = 0; count < WARM_UP_FLOWS + BASELINE_FLOWS; count += 1) flows.push(await runHonestFlow(world));
  return summarise(flows.slice(WARM_UP_FLOWS));
}

/** Measures answers of this kind until the verdict is clear. */
async function measureOften(world: World, kind: HostileKind, idle: Figures['cpu']): Promise<[Figures, ...Figures[]]> {
  const tries: [Figures, ...Figures[]] = [await measure(world, kind, { idle, company: false })];
  while (needsAnotherTry(tries.map(costOf))) tries.push(await measure(world, kind, { idle, company: false }));
  return tries;
}

/** The attempt with the median processor time. */
function middleOf(tries: readonly [Figures, ...Figures[]]): Figures {
  const sorted = [...tries].sort((left, right) => costOf(left).cpu - costOf(right).cpu);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? tries[0];
}

/** Measures all kinds; returns what exceeds the bounds. */
async function run(world: World, { kinds, alone, json }: Options): Promise<readonly string[]> {
  const say = json ? () => undefined : print;
  serveHonestLists(world);
  const honest = await measureHonest(world);
  const idle = await measureIdle(world);
  const before = calibrate();
  say(`Node ${process.version}; one ES256 verification takes ${before.toFixed(1)} µs of processor time here`);
  say(`(the figures are normalised to ${REFERENCE_MICROSECONDS} µs)\n`);
  say(HEADINGS);
  say(describeBaseline(honest));
  const results: Figures[] = [];
  const excesses: string[] = [];
  for (const kind of kinds) {
    const tries = await measureOften(world, kind, idle);
    excesses.push(...excessesOf(kind.name, tries.map(costOf)));
    const { other } = alone ? tries[0] : await measure(world, kind, { idle, company: true });
    const figures = { ...middleOf(tries), ...(other ? { other } : {}) };
    results.push(figures);
    say(describeFigures(figures));
  }
  const after = calibrate();
  say(`\none ES256 verification now takes ${after.toFixed(1)} µs`);
  for (const { name, what } of kinds) say(`  ${name.padEnd(20)} ${what}`);
  if (json)
    print(
      JSON.stringify({ node: process.version, calibration: { before, after }, honest, results, excesses }, null, 2),
    );
  return excesses;
}

/**
 * `npm run bench:hostile`: one answer of each hostile kind against a running verifier, alone and while another wallet
 * presents. Prints the processor time of each, the longest time for which an event loop was blocked, and what the other
 * wallet saw. Exit code 1 if the median of up to five attempts is above 400 ms of processor time, or if an event loop
 * was blocked by more than 150 ms of work, both normalised. `--short`: only the most revealing kinds, without another
 * wallet. `--only a,b`: only these kinds.
 */
export async function main({ argv }: ToolContext): Promise<number> {
  const options = readOptions(argv);
  const world = await startWorld();
  try {
    const excesses = await run(world, options);
    for (const excess of excesses) process.stderr.write(`${excess}\n`);
    if (excesses.length > 0) return 1;
    process.stderr.write(
      `every answer cost at most ${BOUNDS.cpu} ms, with stretches of at most ${BOUNDS.stretch} ms\n`,
    );
    return 0;
  } finally {
    await world.stop();
  }
}
