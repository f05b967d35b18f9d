import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { PageState } from '@vestibule/console-server';
import { digestOf, installPackages, readStamp, runIn, writeStamp, type ToolEnvironment } from './own-package';

/** The page of the console: built from `apps/console`, whose packages are not those of the workspace. */
export interface ConsolePage {
  readonly folder: string;
  state(): PageState;
  /** Resolves when it is built, or could not be. */
  readonly built: Promise<void>;
}

const MADE = ['node_modules', 'dist'];

function* filesOf(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (!entry.isDirectory()) yield full;
    else if (!MADE.includes(entry.name)) yield* filesOf(full);
  }
}

interface PageOptions {
  readonly root: string;
  readonly environment: ToolEnvironment;
  readonly report: (line: string) => void;
}

/** Begins to build the page, unless it is there; the stack does not wait for it. */
export function buildConsolePage({ root, environment, report }: PageOptions): ConsolePage {
  const folder = path.join(root, 'apps/console');
  const target = path.join(folder, 'dist');
  const sources = digestOf(filesOf(folder));
  if (readStamp(target) === sources) return { folder: target, state: () => 'ready', built: Promise.resolve() };
  let state: PageState = 'building';
  const began = performance.now();
  const make = async () => {
    await installPackages({ name: 'console', folder, environment, report });
    report('console: building the page');
    await runIn(folder, [process.execPath, 'node_modules/vite/bin/vite.js', 'build', '--logLevel', 'error']);
    writeStamp(target, sources);
    state = 'ready';
    report(`console: built in ${Math.round((performance.now() - began) / 1000)} s`);
  };
  const built = make().catch((error: unknown) => {
    state = 'absent';
    const why = error instanceof Error ? error.message : String(error);
    report(`console: not built, everything else works; the next start tries again. ${why}`);
  });
  return { folder: target, state: () => state, built };
}
