import { randomBytes } from 'node:crypto';
import { parseWebhookKey, webhookHeaders, type WebhookKey } from '@vestibule/callbacks';
import { createShop } from '@vestibule/example-shop';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const CODE = 'a-response-code';

type Person = Readonly<{ given_name: string; personal_administrative_number: string }>;
const ADA: Person = { given_name: 'Ada', personal_administrative_number: 'DE-1' };
const BOB: Person = { given_name: 'Bob', personal_administrative_number: 'DE-2' };

/** Vestibule, as the shop sees it: it names requests in turn and remembers what it was told. */
function pretendVestibule() {
  const calls: { readonly method: string; readonly path: string; readonly body: Record<string, unknown> }[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const { pathname } = new URL(String(url));
    const method = init?.method ?? 'GET';
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {};
    calls.push({ method, path: pathname, body });
    if (method === 'DELETE') return Promise.resolve(new Response(null, { status: 204 }));
    const id = `id-${calls.length}`;
    const made = { state: id, same_device_request_uri: `openid4vp://same-${id}`, cross_device_request_uri: 'q' };
    return Promise.resolve(Response.json({ ...made, offer_id: id, credential_offer_uri: id }, { status: 201 }));
  });
  return calls;
}

/** A shop, with a clock that can be moved. */
function openShop() {
  const calls = pretendVestibule();
  const clock = { now: Date.parse('2026-01-01T12:00:00Z') };
  const options = { url: 'http://shop.test', vestibuleUrl: 'http://vestibule.test', callbackSecret: SECRET };
  const app = createShop({ ...options, webFolder: '', now: () => clock.now });
  const tell = async (event: object) => {
    const body = Buffer.from(JSON.stringify(event));
    const sentAt = new Date();
    const headers = webhookHeaders({ id: 'event', sentAt, body }, [parseWebhookKey(SECRET) as WebhookKey]);
    const type = { 'content-type': 'application/json' };
    expect(
      (await app.inject({ method: 'POST', url: '/callbacks', headers: { ...headers, ...type }, body })).statusCode,
    ).toBe(204);
  };
  const present = (state: string, claims: object, responseCode?: string) => {
    const pid = { issuer: 'https://pid.example', claims, isTrusted: true, kbSignatureIsValid: true };
    return tell({ status: 'FULFILLED', state, credentials: { pid: [pid] }, ...(responseCode ? { responseCode } : {}) });
  };
  return { app, calls, clock, tell, present };
}
type Shop = ReturnType<typeof openShop>;

/** A browser, which keeps the cookie that it gets; it may begin with one that somebody has planted. */
function browserOf({ app }: Shop, planted = '') {
  let cookie = planted;
  const visit = async (method: 'GET' | 'POST', url: string) => {
    const response = await app.inject({ method, url, headers: cookie === '' ? {} : { cookie } });
    const [given, ...more] = response.cookies;
    expect(more).toEqual([]);
    if (given) cookie = `${given.name}=${given.value}`;
    return response;
  };
  const begin = async (address: '/login' | '/age') => {
    const { sameDevice } = (await visit('POST', address)).json<{ readonly sameDevice: string }>();
    return sameDevice.replace('openid4vp://same-', '');
  };
  return {
    visit,
    begin,
    cookie: () => cookie,
    page: async () => (await visit('GET', '/')).body,
    status: async () => (await visit('GET', '/status')).json<{ readonly status?: string }>().status,
    comeBack: async (code: string) => (await visit('GET', `/return?response_code=${code}`)).statusCode,
  };
}

const WELCOME = 'Welcome, Ada';
const GROWN_UP = 'You are over 18';
const OVER_18 = { age_equal_or_over: { 18: true } };

let shop: Shop;
beforeEach(() => {
  shop = openShop();
});
afterEach(async () => {
  await shop.app.close();
  jest.restoreAllMocks();
});

describe('VP:P4 a login on one device', () => {
  it('counts in the browser that began it, once', async () => {
    const browser = browserOf(shop);
    const state = await browser.begin('/login');
    await shop.present(state, ADA, CODE);
    expect(await browser.status()).toBe('pending');
    expect(await browserOf(shop).comeBack(CODE)).toBe(403);
    expect(await browser.comeBack('guessed')).toBe(403);
    expect(await browser.comeBack(CODE)).toBe(302);
    expect(await browser.page()).toContain(WELCOME);
    expect(await browser.comeBack(CODE)).toBe(403);
    expect(await browser.status()).toBe('done');
  });

  it('VP:P5 waits for the callback if the browser is faster', async () => {
    const browser = browserOf(shop);
    const state = await browser.begin('/login');
    expect(await browser.comeBack(CODE)).toBe(200);
    await shop.present(state, ADA, CODE);
    expect(await browser.comeBack(CODE)).toBe(302);
  });

  it('is not that of another flow of the same browser', async () => {
    const browser = browserOf(shop);
    const first = await browser.begin('/login');
    await browser.begin('/age');
    await shop.present(first, ADA, CODE);
    expect(await browser.comeBack(CODE)).toBe(200);
    expect(await browser.page()).not.toContain(WELCOME);
  });

  it('is over when nobody came back in time (HAIP 1.0 §5.1)', async () => {
    const browser = browserOf(shop);
    const state = await browser.begin('/login');
    await shop.present(state, ADA, CODE);
    shop.clock.now += 10 * 60_000;
    expect(await browser.comeBack(CODE)).toBe(403);
    expect(await browser.status()).toBe('EXPIRED');
  });
});

describe('VP:P8 a login across devices', () => {
  it('counts in the browser that showed the code', async () => {
    const browser = browserOf(shop);
    await shop.present(await browser.begin('/login'), ADA);
    expect(await browserOf(shop).status()).toBeUndefined();
    expect(await browser.status()).toBe('done');
    expect(await browser.page()).toContain(WELCOME);
  });

  it('does not count for whoever planted the cookie that the browser began with, and asks faster', async () => {
    const thief = browserOf(shop);
    await thief.page();
    const victim = browserOf(shop, thief.cookie());
    await shop.present(await victim.begin('/login'), ADA);
    expect(await thief.status()).toBeUndefined();
    expect(await thief.page()).not.toContain(WELCOME);
    expect(await victim.status()).toBe('done');
  });
});

describe('what the shop knows', () => {
  it('about one customer is not said of the next at the same browser', async () => {
    const browser = browserOf(shop);
    await shop.present(await browser.begin('/age'), OVER_18);
    await browser.status();
    expect(await browser.page()).toContain(GROWN_UP);
    await shop.present(await browser.begin('/login'), BOB);
    await browser.status();
    expect(await browser.page()).toContain('Welcome, Bob');
    expect(await browser.page()).not.toContain(GROWN_UP);
  });

  it('tells two customers with the same given name apart, and knows one who comes again', async () => {
    const members: unknown[] = [];
    for (const person of [ADA, { ...BOB, given_name: 'Ada' }, ADA]) {
      const browser = browserOf(shop);
      await shop.present(await browser.begin('/login'), person);
      await browser.status();
      await browser.visit('POST', '/card');
      members.push((shop.calls.at(-1)?.body['claims'] as { readonly member: unknown }).member);
    }
    expect(new Set(members).size).toBe(2);
    expect(members[2]).toBe(members[0]);
    expect(JSON.stringify(members)).not.toMatch(/DE-\d/);
  });

  it('is nothing of requests that it did not make, although their events are genuine', async () => {
    const browser = browserOf(shop);
    await browser.begin('/login');
    await shop.present('a-request-of-another-backend', ADA);
    expect(await browser.status()).toBe('pending');
  });
});

it('VP:P4 gives no new session to a question that was under way when the cookie was replaced', async () => {
  const browser = browserOf(shop);
  await browser.page();
  const late = browserOf(shop, browser.cookie());
  await browser.begin('/login');
  for (const address of ['/status', '/card-status', `/return?response_code=${CODE}`])
    expect((await late.visit('GET', address)).cookies).toEqual([]);
});

it('withdraws the offer that a new one replaces, and that of the customer before', async () => {
  const browser = browserOf(shop);
  const withdrawn = () => shop.calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
  const offers: string[] = [];
  await shop.present(await browser.begin('/login'), ADA);
  await browser.status();
  for (const _time of [1, 2]) {
    const { offer } = (await browser.visit('POST', '/card')).json<{ readonly offer: string }>();
    offers.push(`/offers/${offer}`);
  }
  expect(withdrawn()).toEqual(offers.slice(0, 1));
  await shop.present(await browser.begin('/login'), BOB);
  await browser.status();
  expect(withdrawn()).toEqual(offers);
});

it('withdraws the request that a new one replaces, and its QR code with it', async () => {
  const browser = browserOf(shop);
  const first = await browser.begin('/login');
  await browser.begin('/login');
  expect(shop.calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual([`/oidc4vp/${first}`]);
});
