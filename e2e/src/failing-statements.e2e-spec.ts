import { randomBytes, randomUUID } from 'node:crypto';
import { createWallet, type Wallet } from '@vestibule/demo-wallet';
import { offerSample, requestSample, type Backend, type ReceivedCallback } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { issueTo } from './flows';
import { FLOWS, startStage, type Stage } from './stage';
import { startStatementProxy, type StatementFault, type StatementProxy } from './statement-proxy';

jest.setTimeout(900_000);

const PATIENCE_SECONDS = 30;
const RETURN_TO = 'https://shop.example/return';

let stage: Stage;
let proxy: StatementProxy;
let holder: Wallet;
/** The server errors that a wallet or the backend received, with their Retry-After. */
let refusals: (readonly [number, string | null])[] = [];

/** The answer, if it is not a server error. */
async function ask(url: string, init: RequestInit): Promise<Response | undefined> {
  const response = await fetch(url, init);
  if (response.status < 500) return response;
  refusals.push([response.status, response.headers.get('retry-after')]);
  return undefined;
}

/** A backend that repeats its calls until they are answered. */
const backend = (): Backend => ({
  issuerUrl: stage.stack.issuerUrl,
  async create(path, body) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    let answer: Response | undefined;
    await until(async () => {
      answer = await ask(`${stage.stack.managementUrl}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return answer !== undefined;
    });
    expect(answer?.status).toBe(201);
    return (await answer?.json()) as object;
  },
});

const watchedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status >= 500) refusals.push([response.status, response.headers.get('retry-after')]);
  return response;
};

beforeAll(async () => {
  const signing = { CALLBACK_SECRETS: `whsec_${randomBytes(32).toString('base64')}` };
  stage = await startStage({ apps: FLOWS, environment: { verifier: signing, issuer: signing } });
  proxy = await startStatementProxy(Number(new URL(stage.database.adminUrl).port));
  stage.proxies.postgres.redirect(proxy.port);
  stage.proxies.postgres.cut();
  holder = createWallet({ fetch: watchedFetch });
  await until(() =>
    issueTo(stage, holder).then(
      () => true,
      () => false,
    ),
  );
});
afterAll(async () => {
  await stage?.stop();
  await proxy?.stop();
});
beforeEach(() => {
  refusals = [];
});

/** What the backend was told of a flow: one line for each event, however often it was delivered. */
async function toldAbout(id: string, isEnd: (status: string) => boolean): Promise<readonly string[]> {
  const about = () => stage.backend.received.filter(({ text }) => text.includes(id));
  const statusOf = ({ body }: ReceivedCallback) => (body as { readonly status: string }).status;
  await until(() => about().some((event) => isEnd(statusOf(event))));
  await stage.untilDelivered([id]);
  return [...new Set(about().map((event) => `${String(event.headers['webhook-id'])} ${event.text}`))].map(
    (line) => (JSON.parse(line.slice(line.indexOf('{'))) as { status: string }).status,
  );
}

/** Each flow ends as if nothing had failed. */
const FLOW = {
  async issuance(): Promise<void> {
    const { uri, offerId, txCode } = await offerSample(backend(), { tx_code: {} });
    const wallet = createWallet({ fetch: watchedFetch });
    const held = await wallet.redeemOffer(uri, { retrySeconds: PATIENCE_SECONDS, txCode: txCode as string });
    expect(held).toHaveLength(1);
    expect(await toldAbout(offerId, (status) => status !== 'OFFER_CREATED')).toEqual(['OFFER_CREATED', 'ISSUED']);
  },
  async presentation(): Promise<void> {
    const { state, sameDevice } = await requestSample(backend(), { redirect_uri: RETURN_TO });
    let sent: Awaited<ReturnType<Wallet['send']>> | undefined;
    await until(async () => {
      const { responseUri, form } = await holder
        .buildPresentation(sameDevice)
        .catch(() => ({ responseUri: '', form: {} }));
      if (responseUri === '') return false;
      await until(async () => {
        sent = await holder.send(responseUri, form);
        return sent.status < 500;
      });
      return true;
    });
    expect(sent?.status).toBe(200);
    expect(await toldAbout(state, () => true)).toEqual(['FULFILLED']);
    const code = new URL(sent?.redirectUri ?? '').searchParams.get('response_code') ?? 'none';
    expect(stage.backend.received.find(({ text }) => text.includes(state))?.text).toContain(code);
  },
};

/** Of timers, of which none waits for another, and which the next run repeats. */
const OF_TIMERS = /SKIP LOCKED|clock_timestamp|transaction_read_only|DELETE FROM/;

/** Some of the text of each step that changes something. */
const STEPS = {
  issuance: [
    'INSERT INTO issuer.credential_offer',
    'COMMIT',
    'redeemed_at = CASE',
    'status_entry',
    "SET status = 'ISSUED'",
  ],
  presentation: ['INSERT INTO verifier.presentation_request', 'SET status = $2'],
} as const;

const FAULTS: readonly (readonly [string, StatementFault])[] = [
  ['is lost before Postgres receives it', { kind: 'cut', when: 'before' }],
  ['has its answer lost', { kind: 'cut', when: 'after' }],
  ['is the victim of a deadlock', { kind: 'refuse', sqlState: '40P01' }],
  ['runs into its time limit', { kind: 'refuse', sqlState: '57014' }],
  ['is carried out by a server that its pooler then loses', { kind: 'crash' }],
];

describe.each(['issuance', 'presentation'] as const)(
  'every %s ends as ever, and nobody hears anything but 503',
  (name) => {
    it.each(FAULTS)('while any one of its statements %s', async (_what, fault) => {
      const flow = FLOW[name];
      proxy.takeTexts();
      await flow();
      const texts = [...proxy.takeTexts()].filter((text) => !OF_TIMERS.test(text));
      const before = proxy.failed.length;
      for (const text of texts) {
        proxy.failNext(text, fault);
        await flow();
      }
      // Others come now and then; these are the steps of each flow.
      const failed = proxy.failed.slice(before).join();
      for (const step of STEPS[name]) expect(failed).toContain(step);
      expect(
        new Set(refusals.map(([status, after]) => `${status} ${after === null ? 'without' : 'with'} Retry-After`)),
      ).toEqual(new Set(refusals.length === 0 ? [] : ['503 with Retry-After']));
    });
  },
);
