import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { startConsole, type Console } from '@vestibule/console-server';
import {
  choosePort,
  createBackend,
  requestSample,
  startCallbackReceiver,
  startStack,
  type ReceivedCallback,
} from '@vestibule/dev-stack';
import { createShop } from '@vestibule/example-shop';
import { createWalletBox, readIssuerIdentity, type WalletBox } from '@vestibule/wallet-box';
import { buildConsolePage } from '../console-page';
import { packWeb } from '../shop';
import type { ToolContext } from '../start';
import { startBrowser, watch, type Browser } from './browser/browser-page';
import {
  answerAndOperate,
  askByKeyboard,
  askEverything,
  offerEverything,
  type OpenConsole,
} from './browser/console-flows';
import { ENGLISH, GERMAN, type Words } from './browser/console-words';
import { attackConsole } from './browser/console-attacks';
import { retryCallbacks, type UnwillingBackend } from './browser/console-callbacks';
import { visitShop } from './browser/shop-flows';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** A port that nobody else gets until it is released, right before it is used: what needs its number first takes long. */
async function holdPort(): Promise<{ readonly port: number; readonly release: () => Promise<void> }> {
  const port = await choosePort(0, 0);
  const holder = createServer((socket) => void socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
  });
  return { port, release: () => new Promise((resolve) => holder.close(() => resolve())) };
}

/** A stack that is thrown away, with its console. */
async function startAll({ root, environment }: ToolContext) {
  const page = buildConsolePage({ root, environment, report: print });
  let toConsole: (callback: ReceivedCallback) => void = () => undefined;
  let status = 204;
  const accepted = new Set<string>();
  const receiver = await startCallbackReceiver({
    keep: false,
    onCallback: (callback) => toConsole(callback),
    respond: ({ body }) => {
      if (status === 204) accepted.add(String((body as { readonly state?: unknown }).state));
      return status;
    },
  });
  const [consolePort, shopPort] = [await holdPort(), await holdPort()];
  const shopUrl = `http://127.0.0.1:${shopPort.port}`;
  const stack = await startStack({
    environment: { verifier: { CALLBACK_ORIGINS: shopUrl }, issuer: { CALLBACK_ORIGINS: shopUrl } },
    callbackUrl: receiver.url,
    ports: { management: 0, public: 0 },
    signsCallbacks: true,
    developmentHosts: [`127.0.0.1:${consolePort.port}`],
  });
  await page.built;
  if (page.state() !== 'ready') throw new Error('the page of the console could not be built');
  await consolePort.release();
  const console: Console = await startConsole({
    port: consolePort.port,
    management: { url: stack.managementUrl },
    local: { baseUrl: stack.baseUrl, issuerUrl: stack.issuerUrl, configFolder: stack.files.folder },
    callbackSecrets: [stack.files.secrets.callbackSecret],
    pageFolder: page.folder,
    pageState: () => page.state(),
  });
  toConsole = (callback) => console.addCallback(callback);
  const shop = createShop({
    url: shopUrl,
    vestibuleUrl: stack.managementUrl,
    callbackSecret: stack.files.secrets.callbackSecret,
    webFolder: packWeb(root),
  });
  await shopPort.release();
  await shop.listen({ port: shopPort.port, host: '127.0.0.1' });
  const stop = async () => {
    await shop.close();
    await console.stop();
    await stack.stop();
    await receiver.stop();
  };
  const backend: UnwillingBackend = {
    answer: (next) => (status = next),
    endRequest: async () => {
      const { state } = await requestSample(createBackend(stack));
      const { status: answer } = await fetch(`${stack.managementUrl}/oidc4vp/${state}`, { method: 'DELETE' });
      if (answer !== 204) throw new Error(`the request cannot be withdrawn: ${answer}`);
      return state;
    },
    hasAccepted: (state) => accepted.has(state),
  };
  return { stack, console, shopUrl, backend, stop };
}

type All = Awaited<ReturnType<typeof startAll>>;

interface Visit {
  readonly browser: Browser;
  readonly root: string;
  readonly words: Words;
  readonly colorScheme: 'light' | 'dark';
  /** Where pictures go; absent: none are made. */
  readonly pictures: string | undefined;
}

/** One visitor goes through the console. */
async function visit(
  { stack, console, backend }: All,
  { browser, root, words, colorScheme, pictures }: Visit,
): Promise<void> {
  const context = await browser.newContext({
    locale: words.locale,
    colorScheme,
    viewport: { width: 1360, height: 900 },
  });
  const page = await context.newPage();
  const faults = watch(page, [console.url]);
  await page.goto(console.url);
  const picture = async (name: string) => {
    if (pictures !== undefined) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
  };
  const open: OpenConsole = { page, words, root, picture };
  await askEverything(open);
  await offerEverything(open);
  const request = await requestSample(createBackend(stack));
  await answerAndOperate(open, request.crossDevice);
  await retryCallbacks(open, backend);
  await askByKeyboard(open);
  if (faults.length > 0) throw new Error(`the page did what it must not: ${faults.join('; ')}`);
  await context.close();
  print(`console, ${words.locale}, ${colorScheme}: every button, the main path by keyboard, axe-core`);
}

/** A wallet that gets what it lacks from the issuer of the stack. */
function openWallet({ stack }: All): WalletBox {
  const file = (name: string) => path.join(stack.files.folder, name);
  const issuer = { ...readIssuerIdentity(file('issuer.pem'), file('issuer-key.pem')), issuer: stack.issuerUrl };
  return createWalletBox({ issuer, now: () => new Date(), wait: () => Promise.resolve(), slowMilliseconds: 0 });
}

/**
 * The console, the shop and the element of @vestibule/web in a headless Chromium: both languages and both colour
 * schemes. With `--pictures` it also makes the pictures of the docs.
 */
export async function main(context: ToolContext): Promise<number> {
  const pictures = context.argv.includes('--pictures') ? path.join(context.root, 'docs/images') : undefined;
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  const all = await startAll(context);
  const browser = await startBrowser(context.root, context.environment);
  try {
    await attackConsole(all.console.url);
    print('console: asked by strangers, it refuses');
    const { root } = context;
    await visit(all, { browser, root, words: ENGLISH, colorScheme: 'light', pictures });
    await visit(all, { browser, root, words: GERMAN, colorScheme: 'dark', pictures: undefined });
    await visitShop({ browser, root, url: all.shopUrl, wallet: openWallet(all), pictures });
    print('shop: login across devices and on one, age, card; a thief and a wrong wallet stay outside');
  } finally {
    await browser.close();
    await all.stop();
  }
  return 0;
}
