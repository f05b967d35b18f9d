import { type ChildProcess, spawn } from 'node:child_process';
import { collectLines, type LastLines } from './last-lines';
import { asUser, type ServerUser } from './server-user';
import { readClock } from './test-clock';

/** Part of the keeper's command line, so that a later start can distinguish a kept Postgres from an orphan. */
export const KEEPER_MARK = 'vestibule-server-keeper';

/**
 * The parent of Postgres. It holds the other end of a pipe: when this process ends, in any way (even SIGKILL), the pipe
 * closes, and the keeper stops Postgres and removes a temporary folder. Arguments: folder to remove or "", signal for
 * Postgres, then the command. Background commands get no standard input, hence the copy on descriptor 3.
 */
const KEEPER_SCRIPT = `
trap '' INT TERM HUP PIPE
folder=$1; signal=$2; shift 2
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
(
  read -r nothing <&3
  kill -s "$signal" $server 2>/dev/null
  tries=0
  while [ $tries -lt 100 ] && kill -0 $server 2>/dev/null; do sleep 0.1; tries=$((tries + 1)); done
  kill -s QUIT $server 2>/dev/null
) &
watcher=$!
wait $server
code=$?
kill -s KILL $watcher 2>/dev/null
if [ -n "$folder" ]; then rm -rf "$folder"; fi
exit $code
`;

export interface KeptServer {
  readonly process: ChildProcess;
  readonly log: LastLines;
  /** Resolves when Postgres has ended, for any reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
  /** SIGKILL to the server and its keeper: everything stays as after a crash. */
  kill(): Promise<void>;
}

export interface KeeperOptions {
  readonly user: ServerUser;
  readonly command: readonly string[];
  /** Removed when Postgres has ended. */
  readonly throwAwayFolder?: string;
  /** Called with each line of the server's log. */
  readonly onLine?: (line: string) => void;
}

/** SIGINT ends sessions and flushes everything; SIGQUIT just ends, which is enough for data that is deleted anyway. */
const stopSignal = (options: KeeperOptions) => (options.throwAwayFolder === undefined ? 'INT' : 'QUIT');

function whenExited(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

async function stopKeeper(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.ref();
  child.stdin?.end();
  const pid = child.pid;
  const lastResort = setTimeout(() => {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }, 15_000);
  await exited;
  clearTimeout(lastResort);
}

/** The keeper leads a separate process group with only the server in it. */
async function killKeeper(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.ref();
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  await exited;
}

/** Starts the command under a keeper. Neither keeps this process alive. */
export function startKept(options: KeeperOptions): KeptServer {
  const child = spawn(
    '/bin/sh',
    ['-c', KEEPER_SCRIPT, KEEPER_MARK, options.throwAwayFolder ?? '', stopSignal(options), ...options.command],
    {
      ...asUser(options.user),
      // A separate group: Ctrl-C in a terminal must not reach Postgres before the programs that use it have ended.
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { ...readClock(), PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' },
    },
  );
  const log = collectLines([child.stderr], 50, options.onLine);
  child.unref();
  // Sockets have unref, but their declared stream type does not.
  for (const stream of [child.stdin, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.();
  child.stdin?.on('error', () => undefined);
  const exited = whenExited(child);
  return {
    process: child,
    log,
    exited,
    stop: () => stopKeeper(child, exited),
    kill: () => killKeeper(child, exited),
  };
}
