import { strict as assert } from 'node:assert';
import path from 'node:path';
import type { WalletBox } from '@vestibule/wallet-box';
import { graveViolations, watch, type Browser, type BrowserPage } from './browser-page';

const PHONE =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36';

/** The shop, its visitors and their wallet. */
export interface ShopVisit {
  readonly browser: Browser;
  readonly root: string;
  readonly url: string;
  readonly wallet: WalletBox;
  /** Where pictures go; absent: none are made. */
  readonly pictures: string | undefined;
}

interface Visitor {
  readonly page: BrowserPage;
  /** What the browser sends to the shop. */
  readonly cookie: () => Promise<string>;
  readonly leave: () => Promise<void>;
}

async function enter({ browser, url }: ShopVisit, phone = false): Promise<Visitor> {
  const context = await browser.newContext({
    locale: 'en',
    colorScheme: 'light',
    viewport: phone ? { width: 412, height: 915 } : { width: 1200, height: 860 },
    ...(phone ? { userAgent: PHONE, isMobile: true } : {}),
  });
  const page = await context.newPage();
  const faults = watch(page, [new URL(url).origin]);
  await page.goto(url);
  const leave = async () => {
    assert.deepEqual(faults, []);
    await context.close();
  };
  const cookie = async () => (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  return { page, cookie, leave };
}

async function addressOf(page: BrowserPage, attribute: string): Promise<string> {
  const element = page.locator('vestibule-request');
  await element.waitFor();
  return (await element.getAttribute(attribute)) ?? '';
}

const press = (page: BrowserPage, name: string) => page.getByRole('button', { name }).click();

async function picture({ pictures }: ShopVisit, page: BrowserPage, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
}

async function isAccessible({ root }: ShopVisit, page: BrowserPage): Promise<void> {
  assert.deepEqual(await graveViolations(page, root), []);
}

/** Cross-device: the QR code, an attack, then a login, the age and the card. */
async function acrossDevices(visit: ShopVisit): Promise<void> {
  const { page, leave } = await enter(visit);
  await isAccessible(visit, page);
  await press(page, 'Log in with wallet');
  await page.getByRole('img', { name: /Scan/ }).waitFor();
  await picture(visit, page, 'shop-login');
  await isAccessible(visit, page);
  const attack = await visit.wallet.present('wrong-nonce', await addressOf(page, 'cross-device-uri'));
  assert.equal(attack.outcome, 'refused');
  await page.getByText('It did not work: VERIFICATION_FAILED').waitFor();
  await press(page, 'Log in with wallet');
  const login = await visit.wallet.present('accept', await addressOf(page, 'cross-device-uri'));
  assert.equal(login.outcome, 'accepted');
  await page.getByText('Welcome, Ada').waitFor();
  await press(page, 'Prove your age');
  await visit.wallet.present('accept', await addressOf(page, 'cross-device-uri'));
  await page.getByText('You are over 18: the wine is yours.').waitFor();
  await press(page, 'Get the card');
  const offer = await addressOf(page, 'cross-device-uri');
  const code = (await page.locator('#code').textContent()) ?? '';
  await picture(visit, page, 'shop-card');
  const redeemed = await visit.wallet.redeem('accept', offer, code);
  assert.equal(redeemed.credentials[0]?.configurationId, 'loyalty-card');
  await page.getByText(/ISSUED/).waitFor();
  await leave();
}

const statusOf = (page: BrowserPage, address: string) =>
  page.evaluate<number>(`fetch(${JSON.stringify(address)}, { redirect: 'manual' }).then(({ status }) => status)`);

const frontPage = async ({ url }: ShopVisit, cookie: string) => (await fetch(url, { headers: { cookie } })).text();

/** Same-device: the link comes first on a phone, and only the browser that began gets in, once. */
async function onOneDevice(visit: ShopVisit): Promise<void> {
  const { page, cookie, leave } = await enter(visit, true);
  const planted = await cookie();
  await press(page, 'Log in with wallet');
  await page.getByRole('link', { name: 'Open wallet on this device' }).waitFor();
  await page.getByText('Use another device').waitFor();
  await picture(visit, page, 'shop-phone');
  await isAccessible(visit, page);
  const { redirectUri = '' } = await visit.wallet.present('accept', await addressOf(page, 'same-device-uri'));
  const thief = await enter(visit);
  assert.equal(await statusOf(thief.page, redirectUri), 403);
  await thief.page.goto(visit.url);
  await thief.page.getByText('Welcome', { exact: true }).waitFor();
  assert.equal(await statusOf(page, redirectUri.replace(/response_code=.*/, 'response_code=guessed')), 403);
  await page.goto(redirectUri);
  await page.getByText('Welcome, Ada').waitFor();
  assert.equal(await statusOf(page, redirectUri), 403);
  assert.match(await frontPage(visit, await cookie()), /Welcome, Ada/);
  assert.doesNotMatch(await frontPage(visit, planted), /Welcome, Ada/);
  await leave();
}

/** Both flows of the shop, with what a thief and a wrong wallet may try. */
export async function visitShop(visit: ShopVisit): Promise<void> {
  await acrossDevices(visit);
  await onOneDevice(visit);
}
