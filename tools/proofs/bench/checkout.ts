import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { APP_NAMES, startStack } from '@vestibule/dev-stack';
import { BenchFailure } from './failure';

/** A checkout whose stack can be started with its own code. */
export interface Checkout {
  /** Its name in the report. */
  readonly name: 'this' | 'other';
  readonly startStack: typeof startStack;
}

/** Where earlier and later checkouts have their compiled apps and the library that starts a stack. */
const ENTRY_POINTS = ['src/main.js', 'main.js'];
const STACK_MODULES = ['libs/dev-stack/src/index.js', 'libs/dev/dev-stack/src/index.js', 'libs/dev/dev-stack/index.js'];

/** The first existing candidate below `dist`. */
function findBuilt(root: string, candidates: readonly string[]): string | undefined {
  return candidates.map((candidate) => path.join(root, 'dist', candidate)).find((file) => existsSync(file));
}

/**
 * The compiled module that starts the stack of another checkout.
 * @throws BenchFailure `checkout_not_built` that names what is missing
 */
export function findStackModule(root: string): string {
  const missing = APP_NAMES.filter(
    (app) =>
      findBuilt(
        root,
        ENTRY_POINTS.map((entry) => `apps/${app}/${entry}`),
      ) === undefined,
  );
  const module = findBuilt(root, STACK_MODULES);
  if (missing.length === 0 && module !== undefined) return module;
  const what = [
    ...missing.map((app) => `dist/apps/${app}`),
    ...(module === undefined ? ['dist/libs/…/dev-stack'] : []),
  ];
  const remedy = `run "npm ci && npm run build" in ${root} first`;
  throw new BenchFailure('checkout_not_built', `${root} is not a built checkout (no ${what.join(', no ')}): ${remedy}`);
}

export const THIS_CHECKOUT: Checkout = { name: 'this', startStack };

/**
 * Another checkout, which starts its stack with its own code.
 * @param load loads one of its compiled modules
 * @throws BenchFailure
 */
export function openCheckout(folder: string, load: (file: string) => unknown = createRequire(__filename)): Checkout {
  const file = findStackModule(path.resolve(folder));
  const loaded = load(file) as { readonly startStack?: unknown };
  if (typeof loaded.startStack !== 'function') {
    throw new BenchFailure('checkout_unknown', `${file} has no startStack: this bench cannot start that checkout`);
  }
  return { name: 'other', startStack: loaded.startStack as typeof startStack };
}
