import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Argument, Failure, type Host, UsageError } from './command';

/** The services with a database. */
const SERVICES = ['verifier', 'issuer', 'wallet-store'];

/** Which service a command is for. */
export const SERVICE_ARGUMENT: Argument = { name: 'service', required: false, choices: SERVICES };

/** The services with keys that certificates are issued for. */
const CERTIFIED = ['verifier', 'issuer'];

/** Which of these a command is for. */
export const CERTIFIED_ARGUMENT: Argument = { name: 'service', required: false, choices: CERTIFIED };

const programOf = ({ apps }: Host, service: string) => path.join(apps, service, 'main.js');

/**
 * The service that is named, or the only one that is installed, as in the image of a service. Throws a {@link
 * UsageError} if several are installed and none is named, and a {@link Failure} if it is not installed here.
 */
export function chooseService(host: Host, named: string | undefined): string {
  return chooseAmong(host, SERVICES, named);
}

/** The same for a command about certificates. */
export const chooseCertified = (host: Host, named: string | undefined): string => chooseAmong(host, CERTIFIED, named);

/** The same for a command that the gateway has, too. */
export const chooseApp = (host: Host, named: string | undefined): string =>
  chooseAmong(host, ['gateway', ...SERVICES], named, 'process');

function chooseAmong(host: Host, apps: readonly string[], named: string | undefined, word = 'service'): string {
  const installed = apps.filter((service) => existsSync(programOf(host, service)));
  if (named !== undefined) {
    if (installed.includes(named)) return named;
    throw new Failure(`${named} is not installed here: run this in its container, or run npm run build in a checkout`);
  }
  const [only] = installed;
  if (only === undefined)
    throw new Failure('no service with this command is installed here: run this in its container');
  if (installed.length === 1) return only;
  throw new UsageError(`<${word}> is missing: ${installed.join(', ')}`);
}

type Fields = Readonly<Record<string, unknown>>;

function parseLogLine(line: string): Fields | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const fields = JSON.parse(line) as Fields;
    return typeof fields['level'] === 'string' && typeof fields['msg'] === 'string' ? fields : undefined;
  } catch {
    return undefined;
  }
}

/** Members that every line has, or that say nothing to the reader of a terminal. */
const UNSAID = ['level', 'time', 'service', 'msg', 'error', 'version', 'node', 'command', 'requestId'];

function describeFailure(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { name, code, detail } = error as Readonly<Record<string, string | undefined>>;
  return `: ${detail ?? name ?? 'error'}${code === undefined ? '' : ` [${code}]`}`;
}

/** A log line of a service as a sentence for a terminal. */
function renderLogLine(fields: Fields): string {
  const { level, msg, error } = fields;
  const said = Object.entries(fields).filter(([name]) => !UNSAID.includes(name));
  const rest = said.map(([name, value]) => `${name}: ${String(value)}`).join(', ');
  const prefix = level === 'info' ? '' : `${String(level)}: `;
  return `${prefix}${String(msg)}${describeFailure(error)}${rest === '' ? '' : ` (${rest})`}`;
}

export interface ServiceCommand {
  readonly service: string;
  /** The command of the service, and its arguments. */
  readonly argv: readonly string[];
  /** True: progress is not reported, only warnings and errors. */
  readonly quiet?: boolean;
}

/**
 * Runs a command of a service's own program with this environment: what it prints as its result is printed, and its log
 * is reported as sentences. A signal is passed on to it. Resolves to its exit code.
 */
export function runServiceCommand(host: Host, { service, argv, quiet = false }: ServiceCommand): Promise<number> {
  const child = spawn(process.execPath, [programOf(host, service), ...argv], {
    env: { ...host.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    // Ctrl-C would otherwise reach it twice, and the second signal ends it without closing anything.
    detached: true,
  });
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const fields = parseLogLine(line);
    if (!fields) return host.print(line);
    if (!quiet || !['info', 'debug'].includes(String(fields['level']))) host.report(renderLogLine(fields));
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, forward);
      resolve(code ?? 1);
    });
  });
}

/** The lines that a command of a service prints as its result. Its log is reported as sentences. */
export async function collectServiceLines(host: Host, command: ServiceCommand): Promise<readonly string[]> {
  const lines: string[] = [];
  await runServiceCommand({ ...host, print: (line) => void lines.push(line) }, command);
  return lines;
}
