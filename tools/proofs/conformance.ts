import { parseArgs } from 'node:util';
import { faultOf, knownOf, type Row } from './conformance/judgement';
import { PLANS, type PlanOfSuite } from './conformance/plans';
import { Suite, SuiteUnreachable } from './conformance/suite';
import { startWorld, type World } from './conformance/world';
import type { ToolContext } from '../start';

const print = (text: string) => void process.stdout.write(`${text}\n`);
const USAGE =
  'usage: node tools/run.cjs proofs/conformance --suite <url of a running conformance suite> [--host <name of this machine>] [--only <part of a title>]';

/** Runs a plan; returns its faults. */
async function runPlan(suite: Suite, world: World, plan: PlanOfSuite): Promise<readonly string[]> {
  print(`\n${plan.title}`);
  const made = await suite.createPlan(plan.name, plan.variant, plan.config(world));
  const faults: string[] = [];
  for (const module of made.modules) {
    const actor = plan.actor(world.stack);
    const { status, result, remarks } = await suite.run(made, module, (exposed) => actor.act(exposed));
    const verdict = await actor.verdict();
    const row: Row = { module: module.testModule, status, result, ...(verdict === undefined ? {} : { verdict }) };
    print(`  ${result.padEnd(8)} ${row.module}${verdict === undefined ? '' : ` (${verdict})`}`);
    for (const remark of remarks) print(`           ${remark}`);
    const known = knownOf(row.module, plan.known);
    if (known) print(`           known: ${known.reason}`);
    faults.push(...[faultOf(row, plan.known) ?? []].flat());
  }
  return faults;
}

function readOptions(argv: readonly string[]) {
  const options = {
    suite: { type: 'string' },
    host: { type: 'string', default: 'localhost' },
    only: { type: 'string', default: '' },
  } as const;
  const { suite, host, only } = parseArgs({ args: [...argv], options }).values;
  const plans = PLANS.filter(({ title }) => title.includes(only));
  return suite !== undefined && URL.canParse(suite) && plans.length > 0
    ? { suite: new URL(suite), host, plans }
    : undefined;
}

/**
 * `node tools/run.cjs proofs/conformance --suite https://localhost:8443`: the plans of the OpenID Foundation's conformance suite that
 * fit, against a stack behind TLS. The suite must run already, in its development mode. Exit code 1 if a module ends otherwise than it
 * must.
 */
export async function main({ argv }: ToolContext): Promise<number> {
  const options = readOptions(argv);
  if (!options) {
    print(USAGE);
    return 2;
  }
  const world = await startWorld(options.host, options.suite.hostname);
  try {
    const faults: string[] = [];
    for (const plan of options.plans) faults.push(...(await runPlan(new Suite(options.suite.origin), world, plan)));
    print(faults.length === 0 ? '\nevery module ended as it must' : `\n${faults.join('\n')}`);
    return faults.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof SuiteUnreachable)) throw error;
    print(`\n${error.message}`);
    return 1;
  } finally {
    await world.stop();
  }
}
