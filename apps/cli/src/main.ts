import path from 'node:path';
import { VERSION } from '@vestibule/foundation';
import { Failure, type Host, UsageError } from './command';
import { readCommandLine } from './command-line';
import { COMMANDS } from './commands';
import { findDevelopmentCommands } from './development-commands';
import { renderCommandHelp, renderHelp } from './help';
import { openTerminal } from './terminal';

/** Of main.js in `dist/apps/cli/src`. */
const APPS = path.resolve(__dirname, '../..');

const commands = [...COMMANDS, ...findDevelopmentCommands(APPS)];

/** The largest input: an answer of the management listener is far smaller. */
const INPUT_BYTES = 1_048_576;

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError('nothing is piped to standard input');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > INPUT_BYTES) throw new Failure(`standard input has more than ${INPUT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const host: Host = {
  // eslint-disable-next-line no-restricted-properties -- the services that it starts read their configuration from it
  environment: process.env,
  apps: APPS,
  read: readInput,
  ...openTerminal({ out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text) }),
};

/** A reader that has enough (`| head`) closes the pipe: the command still ends as it would, without a word about it. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

function show(lines: readonly string[]): number {
  for (const line of lines) host.paint(line);
  return 0;
}

/** With it, anybody on the way to the management listener could take its bearer key. */
const TRUSTS_ANY_HOST =
  'NODE_TLS_REJECT_UNAUTHORIZED must not be 0, with which any certificate of any host is accepted: name the authority of the management listener with --ca, and others as docs/configuration.md says';

async function run(argv: readonly string[]): Promise<number> {
  const request = readCommandLine(argv, commands);
  if (request.kind === 'version') return show([VERSION]);
  if (request.kind === 'run') {
    if (host.environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return request.action.run({ ...request.input, host });
    host.report(TRUSTS_ANY_HOST);
    return 2;
  }
  return show(request.command ? renderCommandHelp(request.command) : renderHelp(commands));
}

/** The exit code for an error, after saying what is wrong. An error without a sentence of its own is a fault of ours. */
function explain(error: unknown, argv: readonly string[]): number {
  if (error instanceof UsageError) {
    const command = commands.find(({ name }) => name === argv[0]);
    host.report(`${error.message}\nvestibule ${command ? `${command.name} ` : ''}--help explains it`);
    return 2;
  }
  host.report(error instanceof Failure ? error.message : String((error as Error | undefined)?.stack ?? error));
  return 1;
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
const argv = process.argv.slice(2);

run(argv)
  .catch((error: unknown) => explain(error, argv))
  .then(
    (code) => (process.exitCode = code),
    () => (process.exitCode = 1),
  );
