import { spawn, type SpawnOptions } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startCallbackReceiver, startStack, type Stack } from '@vestibule/dev-stack';
import type { ToolContext } from '../start';
import { fill } from './api/data';
import { strictDescription } from './api/strict-description';
import { PythonMissing, pythonWith } from '@vestibule/testkit';

const print = (text: string) => void process.stdout.write(`${text}\n`);
const FOLDER = 'tools/proofs/api';
const USAGE = 'usage: node tools/run.cjs proofs/api [--short] [--seed <number>]';

/** How one description is judged. */
interface Run {
  readonly document: string;
  readonly listener: 'managementUrl' | 'baseUrl';
  readonly phases: string;
  /** Of each operation, at most. */
  readonly examples: number;
}

const ALL = 'examples,coverage,fuzzing,stateful';

/** The short runs leave out what tries every boundary of every member: thousands of requests to the wallet content API. */
const RUNS: Readonly<Record<'short' | 'full', readonly Run[]>> = {
  short: [
    { document: 'public', listener: 'baseUrl', phases: 'examples,coverage,fuzzing', examples: 3 },
    { document: 'management', listener: 'managementUrl', phases: 'examples,fuzzing', examples: 10 },
    { document: 'wallet-content-0.40.11', listener: 'managementUrl', phases: 'examples,fuzzing', examples: 8 },
  ],
  full: [
    { document: 'public', listener: 'baseUrl', phases: ALL, examples: 50 },
    { document: 'management', listener: 'managementUrl', phases: ALL, examples: 50 },
    { document: 'wallet-content-0.40.11', listener: 'managementUrl', phases: ALL, examples: 50 },
    { document: 'wallet-content-0.38.2', listener: 'managementUrl', phases: ALL, examples: 50 },
  ],
};

const CURRENT = '0.40.11';

/** The version of the schema and draft API that a description is of. */
const versionOf = (document: string) => /^wallet-content-(.+)$/.exec(document)?.[1];

interface Context extends Pick<ToolContext, 'environment' | 'root'> {
  readonly seed: string;
}

function argumentsFor(run: Run, stack: Stack, { root, seed }: Context) {
  const version = versionOf(run.document);
  // The current version answers a call that asks for none: the previous one is asked for in every call.
  const asked = version === undefined || version === CURRENT ? {} : { 'X-Service-OAS-Version': version };
  const description = path.join(stack.dataFolder, `${run.document}.json`);
  const published = readFileSync(path.join(root, 'docs/openapi', `${run.document}.json`), 'utf8');
  writeFileSync(description, strictDescription(published));
  const headers = version === undefined ? {} : { 'X-API-KEY': stack.files.secrets.apiKey, ...asked };
  return [
    ...['-m', 'schemathesis.cli', '--config-file', path.join(root, FOLDER, 'schemathesis.toml'), 'run'],
    description,
    ...['--url', stack[run.listener], '--phases', run.phases],
    ...['--max-examples', String(run.examples), '--seed', seed, '--generation-database', 'none', '--no-color'],
    ...['--no-shrink', '--continue-on-failure', '--warnings', 'off', '--request-retries', '2'],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}:${value}`]),
  ];
}

/** Runs a program to its end, with its output. */
function untilEnd(program: string, argv: readonly string[], options: SpawnOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
    const end = () => void child.kill();
    process.once('exit', end);
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('exit', end);
      resolve(code ?? 1);
    });
  });
}

async function judge(python: string, runs: readonly Run[], context: Context) {
  const backend = await startCallbackReceiver({ keep: false });
  const stack = await startStack({
    callbackUrl: backend.url,
    ports: { management: 0, public: 0 },
    environment: { gateway: { RATE_LIMIT_PER_MINUTE: '0' } },
  });
  try {
    await fill(stack);
    const failed: string[] = [];
    for (const run of runs) {
      print(`\n${run.document}`);
      // Any FORCE_COLOR, even 0, makes it draw as on a terminal: a log would get every frame of its bars.
      const env = { ...context.environment, FORCE_COLOR: undefined };
      const code = await untilEnd(python, argumentsFor(run, stack, context), { cwd: stack.dataFolder, env });
      if (code !== 0) failed.push(run.document);
    }
    print(failed.length === 0 ? '\nevery answer is as described' : `\nnot as described: ${failed.join(', ')}`);
    return failed.length === 0 ? 0 : 1;
  } finally {
    await stack.stop();
    await backend.stop();
  }
}

/**
 * `node tools/run.cjs proofs/api`: Schemathesis calls every operation of the API descriptions on a running stack with data, with
 * right and wrong values, and compares the answers with what is described. Exit code 1 for a difference, and where Python is
 * missing.
 */
export async function main({ argv, environment, root }: ToolContext): Promise<number> {
  const [option, seed = '1', ...more] = argv.filter((text) => text !== '--short');
  if (more.length > 0 || (option !== undefined && option !== '--seed') || !/^\d+$/.test(seed)) {
    print(USAGE);
    return 2;
  }
  try {
    const requirements = path.join(root, FOLDER, 'requirements.txt');
    const python = pythonWith(requirements, path.join(root, 'node_modules/.cache'));
    return await judge(python, RUNS[argv.includes('--short') ? 'short' : 'full'], { environment, root, seed });
  } catch (error) {
    if (!(error instanceof PythonMissing)) throw error;
    print(error.message);
    return 1;
  }
}
