import { strict as assert } from 'node:assert';
import { graveViolations, type BrowserPage, type Locator } from './browser-page';
import type { Words } from './console-words';

/** A console that is open in a browser. */
export interface OpenConsole {
  readonly page: BrowserPage;
  readonly words: Words;
  readonly root: string;
  /** Keeps a picture of the window, if pictures are wanted. */
  readonly picture: (name: string) => Promise<void>;
}

const panel = ({ page, words }: OpenConsole, view: keyof Words['views']): Locator =>
  page.getByRole('tabpanel', { name: words.views[view], exact: true });

async function open(console: OpenConsole, view: keyof Words['views']): Promise<Locator> {
  await console.page.getByRole('tab', { name: console.words.views[view], exact: true }).click();
  return panel(console, view);
}

const press = (within: Locator, name: string) => within.getByRole('button', { name, exact: true }).click();
const see = (within: Locator, text: string) => within.getByText(text, { exact: true }).first().waitFor();

/** Waits until the request or offer of the view has this status. */
const stands = ({ page }: OpenConsole, view: 'ask' | 'offer', status: string) =>
  page.locator(`[id$="-panel-${view}"] .scan`).getByText(status, { exact: true }).waitFor();

async function isAccessible({ page, root }: OpenConsole): Promise<void> {
  assert.deepEqual(await graveViolations(page, root), []);
}

/** Creates a request and lets the wallet in a box answer it as a case; the request ends with this status. */
async function answerAs(console: OpenConsole, ask: Locator, [name, status]: readonly [string, string]): Promise<void> {
  const { words } = console;
  await press(ask, words.createRequest);
  await stands(console, 'ask', 'PENDING');
  await console.page.locator('[id$="-panel-ask"] select').selectOption(name);
  await press(ask, words.answer);
  await stands(console, 'ask', status);
  await see(ask, words.asExpected);
  await see(ask, words.signatureValid);
}

/** Every template, an answer, three attacks, faults beside their lines, a withdrawal. */
export async function askEverything(console: OpenConsole): Promise<void> {
  const { page, words } = console;
  const ask = await open(console, 'ask');
  for (const template of words.templates) {
    await ask.getByText(template, { exact: true }).first().click();
    await answerAs(console, ask, ['accept', 'FULFILLED']);
  }
  await ask.getByRole('img').first().waitFor();
  await console.picture('console-ask');
  await isAccessible(console);
  const link = ask.getByRole('link', { name: words.openWallet });
  assert.match((await link.getAttribute('href')) ?? '', /^openid4vp:\/\//);
  await press(ask, words.copyLink);
  await see(ask, words.copied);
  await answerAs(console, ask, ['decline', 'REJECTED']);
  await answerAs(console, ask, ['wrong-nonce', 'VERIFICATION_FAILED']);
  await see(ask, 'key_binding_nonce');
  await console.picture('console-attack');
  await isAccessible(console);
  await answerAs(console, ask, ['revoked-credential', 'VERIFICATION_FAILED']);
  const editor = page.getByLabel(words.editor);
  const right = await editor.inputValue();
  await editor.fill(right.replace('"format"', '"formt"'));
  await press(ask, words.createRequest);
  await see(ask, words.faults);
  await console.picture('console-faults');
  await isAccessible(console);
  await editor.fill(`${right}}`);
  await press(ask, words.createRequest);
  await see(ask, words.notJson);
  await editor.fill(right);
  await press(ask, words.createRequest);
  await stands(console, 'ask', 'PENDING');
  await press(ask, words.withdraw);
  await stands(console, 'ask', 'EXPIRED');
}

/** An offer that is cancelled, one that is redeemed, suspended, restored and revoked, and one for another type. */
export async function offerEverything(console: OpenConsole): Promise<void> {
  const { page, words } = console;
  const offer = await open(console, 'offer');
  await press(offer, words.createOffer);
  await press(offer, words.cancelOffer);
  await stands(console, 'offer', 'FAILED');
  await press(offer, words.createOffer);
  await stands(console, 'offer', 'OFFER_CREATED');
  await console.picture('console-offer');
  await isAccessible(console);
  await page.locator('[id$="-panel-offer"] .box select').selectOption('wrong-tx-code');
  await press(offer, words.redeem);
  await see(offer, words.asExpected);
  await page.locator('[id$="-panel-offer"] .box select').selectOption('accept');
  await press(offer, words.redeem);
  await stands(console, 'offer', 'ISSUED');
  await see(offer, words.signatureValid);
  await press(offer, words.suspend);
  await see(offer, 'suspended');
  await press(offer, words.restore);
  await see(offer, 'valid');
  await press(offer, words.revoke);
  await see(offer, 'revoked');
  await press(offer, words.restore);
  await offer.getByText(/revo/).last().waitFor();
  await isAccessible(console);
  await page.getByLabel(words.needsTxCode).click();
  for (const type of ['employee-badge', 'loyalty-card', 'bank-account', 'identity-card']) {
    // The last is a card that is not revoked: the wallet presents its newest.
    await page.getByLabel(words.type).selectOption(type);
    await press(offer, words.createOffer);
    await stands(console, 'offer', 'OFFER_CREATED');
    await press(offer, words.redeem);
    await stands(console, 'offer', 'ISSUED');
  }
}

/** Answers the address of another program, and looks at the lists. */
export async function answerAndOperate(console: OpenConsole, requestUri: string): Promise<void> {
  const { page, words } = console;
  const answer = await open(console, 'answer');
  await page.getByLabel(words.address).fill(requestUri);
  await press(answer, words.answer);
  await see(answer, words.asExpected);
  await isAccessible(console);
  const operate = await open(console, 'operate');
  await press(operate, words.reload);
  await see(operate, 'wallet-store');
  await operate.getByText('FULFILLED', { exact: true }).first().waitFor();
  await operate.getByText('ISSUED', { exact: true }).first().waitFor();
  await console.picture('console-operate');
  await isAccessible(console);
}

const FOCUSED = 'document.activeElement?.textContent ?? ""';
const MOST_STEPS = 60;

/** Presses the key until what has the focus is called so. */
async function walkTo(page: BrowserPage, name: string): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>(FOCUSED)).trim() === name) return;
  }
  assert.fail(`${name} cannot be reached by keyboard`);
}

/** The main path without a mouse: create a request, and answer it. */
export async function askByKeyboard(console: OpenConsole): Promise<void> {
  const { page, words } = console;
  await open(console, 'ask');
  await page.reload();
  await panel(console, 'ask').waitFor();
  await walkTo(page, words.createRequest);
  await page.keyboard.press('Enter');
  await stands(console, 'ask', 'PENDING');
  await walkTo(page, words.answer);
  await page.keyboard.press('Enter');
  await stands(console, 'ask', 'FULFILLED');
}
