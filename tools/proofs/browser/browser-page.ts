import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What this program uses of playwright-core, which has a lock file of its own (`tools/browser`). */
export interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  check(): Promise<void>;
  waitFor(options?: { readonly state?: 'visible' | 'hidden'; readonly timeout?: number }): Promise<void>;
  count(): Promise<number>;
  inputValue(): Promise<string>;
  textContent(): Promise<string | null>;
  getAttribute(name: string): Promise<string | null>;
  first(): Locator;
  last(): Locator;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  screenshot(options: { readonly path: string }): Promise<unknown>;
}

export interface BrowserPage extends Pick<Locator, 'getByRole' | 'getByText'> {
  setDefaultTimeout(milliseconds: number): void;
  readonly keyboard: { press(key: string): Promise<void> };
  goto(url: string): Promise<unknown>;
  url(): string;
  reload(): Promise<unknown>;
  getByLabel(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  locator(selector: string): Locator;
  evaluate<T>(script: string): Promise<T>;
  screenshot(options: { readonly path: string; readonly fullPage?: boolean }): Promise<unknown>;
  waitForURL(url: RegExp): Promise<void>;
  on(event: 'request', listener: (request: { url(): string }) => void): void;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
}

interface Context {
  newPage(): Promise<BrowserPage>;
  cookies(): Promise<readonly { readonly name: string; readonly value: string }[]>;
  close(): Promise<void>;
}

/** A headless Chromium. */
export interface Browser {
  newContext(options: {
    readonly locale: string;
    readonly colorScheme: 'light' | 'dark';
    readonly viewport: { readonly width: number; readonly height: number };
    readonly deviceScaleFactor?: number;
    readonly userAgent?: string;
    readonly isMobile?: boolean;
  }): Promise<Context>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launch(options: { readonly executablePath: string; readonly args: readonly string[] }): Promise<Browser>;
  };
}

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The packages of the tests in a browser; they are installed by `npm ci --prefix tools/browser`. */
const packages = (root: string) => createRequire(path.join(root, 'tools/browser/package.json'));

/** Starts the Chromium of the system. */
export function startBrowser(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Browser> {
  const executablePath = environment['CHROMIUM'] ?? PROGRAMS.find((program) => existsSync(program));
  if (executablePath === undefined) throw new Error('Chromium is missing: install it, or name it with CHROMIUM');
  const { chromium } = packages(root)('playwright-core') as Playwright;
  // Root has no sandbox; the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

interface AxeViolation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

const GRAVE = ['serious', 'critical'];

/** Violations that axe-core calls serious or critical, each in one line. */
export async function graveViolations(page: BrowserPage, root: string): Promise<string[]> {
  const source = readFileSync(packages(root).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const violations = await page.evaluate<readonly AxeViolation[]>('axe.run().then(({ violations }) => violations)');
  return violations
    .filter(({ impact }) => GRAVE.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** It only ends what hangs: a busy machine is slow. */
const PATIENCE_MILLISECONDS = 90_000;

/** What a page must not do: write errors, or ask anybody but these origins. */
export function watch(page: BrowserPage, origins: readonly string[]): readonly string[] {
  page.setDefaultTimeout(PATIENCE_MILLISECONDS);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium writes down each refusal of an API; the flows say which are right.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && !origins.includes(url.origin)) faults.push(`asks ${url.origin}`);
  });
  return faults;
}
