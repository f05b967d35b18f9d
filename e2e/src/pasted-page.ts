import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readShellClock } from '@vestibule/dev-stack';

/** A block of a page that readers paste into their shell, with what the page says that it prints. */
export interface PastedBlock {
  readonly code: string;
  /** `text` or `json`, and the block itself; undefined: the page does not say what is printed. */
  readonly output: { readonly kind: string; readonly text: string } | undefined;
}

export interface PastedRun {
  readonly exitCode: number | null;
  /** What each block printed, as far as the run came. */
  readonly printed: readonly string[];
  /** The end of what went to standard error. */
  readonly said: string;
}

const root = path.resolve(__dirname, '../..');
const BLOCK = /^```sh\n([\s\S]*?)^```\n(?:\n```(text|json)\n([\s\S]*?)^```\n)?/gm;
/** Ends what a block printed. */
const END = '\u001E';
const MOST_SAID = 4_000;
/** It only ends what hangs: a busy machine is slow. */
const PATIENCE_MILLISECONDS = 170_000;

/** The blocks of a page of docs/, in their order. */
export function readPastedBlocks(page: string): readonly PastedBlock[] {
  const text = readFileSync(path.join(root, 'docs', page), 'utf8');
  return [...text.matchAll(BLOCK)].map(([, code = '', kind, output]) => ({
    code,
    output: kind === undefined || output === undefined ? undefined : { kind, text: output },
  }));
}

/**
 * Stands for what takes a second each time: npx starts the program of this checkout, and the client is packed only once.
 */
const PROGRAMS = {
  npx: `[ "$1" = vestibule ] || exit 99\nshift\nexec "${process.execPath}" "${root}/dist/apps/cli/main.js" "$@"\n`,
  npm: `if [ "$*" = "run pack:client --loglevel=error" ]; then
  [ -e "$PACKED" ] || { PATH="$REST" npm "$@" && : > "$PACKED"; }
else PATH="$REST" exec npm "$@"; fi\n`,
};

/** A folder in which pages are pasted. */
export interface PastingPlace {
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

/** @param variables what the shell of the reader has besides */
export function makePastingPlace(variables: Readonly<Record<string, string>>): PastingPlace {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-pasted-'));
  const programs = path.join(folder, 'bin');
  mkdirSync(programs);
  for (const [name, text] of Object.entries(PROGRAMS)) {
    writeFileSync(path.join(programs, name), `#!/bin/sh\n${text}`);
    chmodSync(path.join(programs, name), 0o755);
  }
  const rest = `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
  const places = { PATH: `${programs}:${rest}`, REST: rest, PACKED: path.join(folder, 'packed'), TMPDIR: folder };
  return {
    environment: { ...places, HOME: folder, NO_UPDATE_NOTIFIER: '1', ...readShellClock(), ...variables },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Pastes the blocks into one bash in the checkout, and ends everything that they started. */
export function paste(blocks: readonly PastedBlock[], { environment }: PastingPlace): Promise<PastedRun> {
  const script = blocks.map(({ code }) => `${code}\nprintf '\\036'\n`).join('');
  const child = spawn('bash', ['-c', `set -eu -o pipefail\n${script}`], {
    cwd: root,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MILLISECONDS,
    killSignal: 'SIGKILL',
  });
  const endAll = () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  };
  let [printed, said] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString('utf8')}`.slice(-MOST_SAID)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', endAll);
    child.once('close', (exitCode) => resolve({ exitCode, printed: printed.split(END).slice(0, -1), said }));
  });
}
