import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads `add <pid>` and `forget <pid>`. When the pipe closes, because this process ended in any way, it ends the
 * registered programs and removes the given folder.
 */
const WATCHDOG_SCRIPT = `
trap '' INT TERM HUP PIPE
folder=$1
pids=
while read -r verb pid; do
  rest=
  for known in $pids; do [ "$known" = "$pid" ] || rest="$rest $known"; done
  pids=$rest
  [ "$verb" = add ] && pids="$pids $pid"
done
if [ -n "$pids" ]; then
  kill -s TERM $pids 2>/dev/null
  tries=0
  while [ $tries -lt 30 ] && kill -0 $pids 2>/dev/null; do sleep 0.1; tries=$((tries + 1)); done
  kill -s KILL $pids 2>/dev/null
fi
if [ -n "$folder" ]; then rm -rf "$folder"; fi
`;

/** Ends child processes even if this process is killed with SIGKILL. */
export interface Watchdog {
  add(pid: number): void;
  forget(pid: number): void;
  /** Ends the registered programs and removes the folder. */
  stop(): Promise<void>;
}

function whenExited(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

/** @param throwAwayFolder removed at the end; none by default */
export function startWatchdog(throwAwayFolder?: string): Watchdog {
  const child = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT, 'vestibule-watchdog', throwAwayFolder ?? ''], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  });
  const exited = whenExited(child);
  child.unref();
  (child.stdin as { unref?: () => void }).unref?.();
  child.stdin.on('error', () => undefined);
  return {
    add: (pid) => void child.stdin.write(`add ${pid}\n`),
    forget: (pid) => void child.stdin.write(`forget ${pid}\n`),
    async stop() {
      child.ref();
      child.stdin.end();
      await exited;
    },
  };
}
