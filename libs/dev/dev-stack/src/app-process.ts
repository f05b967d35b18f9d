import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AppName, type Environment } from './app-environment';
import { collectLines, type LastLines } from './last-lines';
import { type Watchdog } from './process-watchdog';
import { StackFailure } from './stack-failure';
import { readClock } from './test-clock';
import { readTestEnvironment } from './test-environment';
import { workspaceRoot } from './workspace-root';

export interface AppProcessOptions {
  readonly app: AppName;
  /** The index of the process among those of the app, from 0. */
  readonly replica: number;
  readonly environment: Environment;
  /**
   * The health address: one of the addresses that the process reports when it listens, and the path that returns 200
   * when it is ready.
   */
  readonly ready: {
    readonly listener: string;
    readonly path: string;
    /** Also ready if the answer reports each of these services as ready: `services` of the gateway's health. */
    readonly services?: readonly string[];
  };
  /** Default: the app's own. */
  readonly entryPoint?: string;
  readonly watchdog: Watchdog;
  readonly onLine: (label: string, line: string) => void;
  /** How long it may take to end after SIGTERM; default thirty seconds. */
  readonly killAfterMilliseconds?: number;
  /** Called if the process, once ready, ends without being stopped. */
  readonly onUnexpectedExit: (process: AppProcess) => void;
}

const LAST_LINES = 200;
/** Longer than the twenty seconds that a service may take to finish its work. */
const KILL_AFTER_MILLISECONDS = 30_000;
const PROBE_MILLISECONDS = 75;
/**
 * As in a container of the images: with 512 MB, Node.js takes at most 256 for what is long-lived, and collects garbage earlier than
 * where it counts on all memory of a machine. The others are in deploy/Dockerfile, too (docs/sizing.md, "Memory"), which gives a
 * verifier twice the young generation: there a processor costs more than memory, here four services share a machine with much else.
 */
const CONTAINER = {
  flags: ['--max-old-space-size=256', '--max-semi-space-size=4'],
  environment: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '1048576' },
} as const;
/** The entry point of an app, the same as in production. */
function entryPointOf(app: AppName): string {
  return path.join(workspaceRoot, 'dist/apps', app, 'main.js');
}

type Addresses = Readonly<Record<string, string>>;

interface Run {
  readonly child: ChildProcess;
  /** Where it listens, once it has reported that. */
  addresses: Addresses;
  readonly log: LastLines;
  readonly exited: Promise<void>;
  /** Resolves after its last line of output. */
  readonly closed: Promise<void>;
}

/** Does a health report of the gateway say that all of these are ready? */
function areReady(text: string, services: readonly string[] | undefined): boolean {
  if (!services) return false;
  const report = JSON.parse(text) as { services?: Readonly<Record<string, { ready: boolean }>> };
  return services.every((name) => report.services?.[name]?.ready);
}

/** The result of one request to a health address. */
async function probe(url: string, services?: readonly string[]): Promise<{ ready: boolean; report: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    const text = await response.text();
    return { ready: response.status === 200 || areReady(text, services), report: text.slice(0, 500) };
  } catch {
    return { ready: false, report: 'no answer' };
  }
}

/** One app as a child process. It is never restarted automatically. */
export class AppProcess {
  readonly app: AppName;
  /** `verifier`, or `verifier-2` for the second of several. */
  readonly label: string;
  #run: Run | undefined;
  /** Set while the process is meant to run. */
  #wanted = false;
  #environment: Environment;

  constructor(private readonly options: AppProcessOptions) {
    this.#environment = options.environment;
    this.app = options.app;
    this.label = options.replica === 0 ? options.app : `${options.app}-${options.replica + 1}`;
  }

  get pid(): number | undefined {
    return this.isRunning ? this.#run?.child.pid : undefined;
  }

  get isRunning(): boolean {
    const child = this.#run?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Health address, which returns 200 when the process is ready. It changes with each start. */
  get readyUrl(): string {
    const url = this.#findReadyUrl();
    if (url !== undefined) return url;
    throw new StackFailure('app_not_listening', `${this.label} has not reported where it listens`);
  }

  /** The address of one of its listeners (`management`, `public`, `health`); undefined until it is reported. */
  addressOf(listener: string): string | undefined {
    return this.isRunning ? this.#run?.addresses[listener] : undefined;
  }

  #findReadyUrl(): string | undefined {
    const { listener, path: place } = this.options.ready;
    const address = this.#run?.addresses[listener];
    return address === undefined ? undefined : `${address}${place}`;
  }

  /** The last lines of its output. */
  lastLines(count = LAST_LINES): readonly string[] {
    return this.#run?.log.lines().slice(-count) ?? [];
  }

  /** Changes variables, for the next start or command. */
  configure(changes: Environment): void {
    this.#environment = { ...this.#environment, ...changes };
  }

  /** Runs a command of the app, such as `migrate`, beside the process and with its environment. */
  async runCommand(command: string): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
    const child = this.#spawn([command]);
    const log = collectLines([child.stdout, child.stderr], LAST_LINES, (line) =>
      this.options.onLine(`${this.label} ${command}`, line),
    );
    const closed = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (child.pid !== undefined) this.options.watchdog.add(child.pid);
    const code = await closed;
    if (child.pid !== undefined) this.options.watchdog.forget(child.pid);
    return { code, lines: log.lines() };
  }

  #spawn(argv: readonly string[], more: readonly 'ipc'[] = []) {
    const entryPoint = this.options.entryPoint ?? entryPointOf(this.app);
    if (!existsSync(entryPoint)) {
      throw new StackFailure('app_not_built', `${path.relative(workspaceRoot, entryPoint)} is missing: npm run build`);
    }
    const { codeCache } = readTestEnvironment();
    // V8 refuses a cache that was made with other flags.
    const first = codeCache === undefined ? CONTAINER.flags : ['--require', codeCache];
    // As in production: without source maps, which cost a sixth of each start.
    return spawn(process.execPath, [...first, entryPoint, ...argv], {
      cwd: workspaceRoot,
      env: { ...CONTAINER.environment, ...readClock(), ...this.#environment },
      stdio: ['ignore', 'pipe', 'pipe', ...more],
      // So that Ctrl-C in a terminal reaches only this process, which stops all others in order.
      detached: true,
    });
  }

  /** Starts the process; it is not ready yet. */
  launch(): void {
    const child = this.#spawn([], ['ipc']);
    const log = collectLines([child.stdout, child.stderr], LAST_LINES, (line) => this.options.onLine(this.label, line));
    const exited = new Promise<void>((resolve) => {
      const end = () => {
        if (child.pid !== undefined) this.options.watchdog.forget(child.pid);
        resolve();
        const unexpected = this.#wanted;
        this.#wanted = false;
        if (unexpected) this.options.onUnexpectedExit(this);
      };
      child.once('exit', end);
      child.once('error', end);
    });
    const closed = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
    if (child.pid !== undefined) this.options.watchdog.add(child.pid);
    const run: Run = { child, addresses: {}, log, exited, closed };
    child.on('message', (message: { readonly listening?: Addresses }) => {
      run.addresses = { ...run.addresses, ...message.listening };
    });
    this.#run = run;
  }

  /**
   * Waits until the process is ready; fails as soon as it has ended.
   * @throws StackFailure `app_port_taken` if another process has its port, `app_not_ready`
   */
  async waitUntilReady(milliseconds: number): Promise<void> {
    const deadline = performance.now() + milliseconds;
    let report = 'no answer';
    while (performance.now() < deadline) {
      if (!this.isRunning) {
        await this.#run?.closed;
        throw this.#failure(`ended (${this.#howItEnded()}) before it was ready`);
      }
      const url = this.#findReadyUrl();
      const { services } = this.options.ready;
      const outcome = url === undefined ? { ready: false, report: 'it listens nowhere' } : await probe(url, services);
      if (outcome.ready) {
        this.#wanted = true;
        return;
      }
      report = outcome.report;
      await sleep(PROBE_MILLISECONDS);
    }
    throw this.#failure(`is not ready after ${Math.round(milliseconds / 1000)} s (${report})`);
  }

  /** Sends a signal. Resolves when the process has ended, or immediately for signals that do not end it. */
  async kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const run = this.#run;
    if (!run || !this.isRunning) return;
    const ends = signal !== 'SIGSTOP' && signal !== 'SIGCONT' && signal !== 'SIGUSR2';
    if (ends) this.#wanted = false;
    run.child.kill(signal);
    if (ends) await run.exited;
  }

  /** Ends it if it is running, starts it again and waits until it is ready. */
  async restart(milliseconds = 60_000): Promise<void> {
    await this.stop();
    this.launch();
    await this.waitUntilReady(milliseconds);
  }

  /** SIGTERM, then SIGKILL after its time limit. */
  async stop(): Promise<void> {
    const run = this.#run;
    if (!run || !this.isRunning) return;
    const { killAfterMilliseconds = KILL_AFTER_MILLISECONDS } = this.options;
    const lastResort = setTimeout(() => run.child.kill('SIGKILL'), killAfterMilliseconds);
    await this.kill('SIGTERM');
    clearTimeout(lastResort);
  }

  #howItEnded(): string {
    const { exitCode, signalCode } = this.#run?.child ?? {};
    return signalCode ? `signal ${signalCode}` : `exit code ${exitCode ?? 'unknown'}`;
  }

  /** What happened, the last lines, and the remedy. */
  describeEnd(): string {
    return `${this.label} ended (${this.#howItEnded()}). Its last lines:\n${this.lastLines(15).join('\n')}`;
  }

  #failure(what: string): StackFailure {
    const lines = this.lastLines(15);
    const log = lines.length > 0 ? `Its last lines:\n${lines.join('\n')}` : 'It printed nothing.';
    const remedy =
      'What to do: the last lines name the fault; after a change run the command again, it compiles everything again.';
    const code = lines.some((line) => line.includes('EADDRINUSE')) ? 'app_port_taken' : 'app_not_ready';
    return new StackFailure(code, `${this.label} ${what}. ${log}\n${remedy}`);
  }
}
