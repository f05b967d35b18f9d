import { strict as assert } from 'node:assert';
import type { OpenConsole } from './console-flows';

/** The backend, whose answers to callbacks can be chosen. */
export interface UnwillingBackend {
  /** The status of its answers from now on. */
  answer(status: number): void;
  /** A request that ends now; returns its `state`. */
  endRequest(): Promise<string>;
  /** Whether the callback about a request was accepted. */
  hasAccepted(state: string): boolean;
}

interface Fate {
  /** What the backend answers at first. */
  readonly status: number;
  /** The list in which the callback then stands. */
  readonly list: string;
  /** The path that its button calls. */
  readonly action: 'retry' | 'replay';
}

const MOST_LOOKS = 100;

/** A callback that the backend refuses stands in a list, and its button delivers it. */
async function deliverByButton({ page, words }: OpenConsole, backend: UnwillingBackend, fate: Fate): Promise<void> {
  backend.answer(fate.status);
  const state = await backend.endRequest();
  const reload = page.getByRole('button', { name: words.reload, exact: true });
  const rows = page
    .getByRole('group', { name: fate.list, exact: true })
    .getByText('verifier: EXPIRED', { exact: true });
  const button = page.getByRole('group', { name: fate.list, exact: true }).getByRole('button', { name: words.retry });
  for (let looks = 0; (await rows.count()) === 0; looks += 1) {
    assert.ok(looks < MOST_LOOKS, `no callback in ${fate.list}`);
    await reload.click();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  }
  assert.equal(backend.hasAccepted(state), false);
  backend.answer(204);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await button.first().click();
  for (let looks = 0; (await rows.count()) > 0; looks += 1) {
    assert.ok(looks < MOST_LOOKS, `the callback stays in ${fate.list}`);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
    await reload.click();
  }
  assert.ok(asked.some((url) => url.endsWith(`/${fate.action}`)));
  assert.equal(backend.hasAccepted(state), true);
}

/** The buttons beside callbacks that wait, and beside those that were given up. */
export async function retryCallbacks(console: OpenConsole, backend: UnwillingBackend): Promise<void> {
  const { words } = console;
  await console.page.getByRole('tab', { name: words.views.operate, exact: true }).click();
  await deliverByButton(console, backend, { status: 500, list: words.callbacksWaiting, action: 'retry' });
  // 410: the backend wants no callback any more.
  await deliverByButton(console, backend, { status: 410, list: words.callbacksDead, action: 'replay' });
}
