import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const read = (page: string) => readFileSync(path.join(__dirname, '..', page), 'utf8');

interface Request {
  readonly session: { state?: string; regenerate(done: () => void): void };
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: object;
}
type Handler = (request: Request, response: object) => unknown;

/** The sample of the page, in a program that has what it leaves to its reader. */
function backendOfGuide() {
  const [, code = ''] = /```js\n(\/\/ One entry[\s\S]*?)```/.exec(read('docs/whose-result.md')) ?? [];
  const handlers = new Map<string, Handler>();
  const route = (address: string, handler: Handler) => void handlers.set(address, handler);
  let requests = 0;
  const askVestibule = () => Promise.resolve({ state: `s${(requests += 1)}`, same_device_request_uri: 'link' });
  const isGenuine = () => true;
  const { createHash, timingSafeEqual } = crypto;
  const given = { app: { get: route, post: route }, askVestibule, isGenuine, createHash, timingSafeEqual };
  new Function(...Object.keys(given), code)(...Object.values(given));
  return async (address: string, request: Request): Promise<number> => {
    let status = 200;
    const response = {
      status: (code: number) => ((status = code), response),
      sendStatus: (code: number) => void (status = code),
      redirect: () => void (status = 302),
      send: () => undefined,
      json: () => undefined,
    };
    await handlers.get(address)?.(request, response);
    return status;
  };
}

function browser() {
  const session: Request['session'] = { regenerate: (done) => (delete session.state, done()) };
  return session;
}

describe('VP:P4 the sample about sessions', () => {
  const CODE = 'the-code';
  let call: ReturnType<typeof backendOfGuide>;
  let session: Request['session'];
  const told = (event: object) => call('/callbacks', { session: browser(), body: { state: session.state, ...event } });
  const comeBack = (code: unknown, from = session) =>
    call('/return', { session: from, query: code === undefined ? {} : { response_code: code } });
  const fulfilled = (responseCode?: string) => ({ status: 'FULFILLED', credentials: {}, responseCode });
  afterEach(() => jest.restoreAllMocks());
  beforeEach(async () => {
    call = backendOfGuide();
    session = browser();
    await call('/start', { session });
  });

  it('lets in the browser that began the flow and brings its code, once', async () => {
    const before = { ...session };
    await told(fulfilled(CODE));
    expect(await comeBack('guessed')).toBe(403);
    expect(await comeBack(CODE, browser())).toBe(403);
    expect(await comeBack(CODE)).toBe(302);
    expect(session.state).toBeUndefined();
    expect(await comeBack(CODE, before)).toBe(403);
  });

  it('VP:P5 lets a browser wait that is faster than the callback', async () => {
    expect(await comeBack(CODE)).toBe(202);
  });

  it.each([undefined, 'undefined', '', 'null', CODE, [CODE]])(
    'VP:P7 lets nobody in with %j if the wallet used the other link',
    async (code) => {
      await told(fulfilled());
      expect(await comeBack(code)).toBe(403);
    },
  );

  it.each([undefined, 'undefined', CODE])('lets nobody in with %j after another end', async (code) => {
    await told({ status: 'REJECTED', errorDetails: 'access_denied' });
    expect(await comeBack(code)).toBe(403);
  });

  it('lets nobody in who comes when the request is long over', async () => {
    await told(fulfilled(CODE));
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_000);
    expect(await comeBack(CODE)).toBe(403);
  });

  it('keeps the first event of a flow', async () => {
    await told({ status: 'REJECTED', errorDetails: 'access_denied' });
    await told(fulfilled(CODE));
    expect(await comeBack(CODE)).toBe(403);
  });
});
