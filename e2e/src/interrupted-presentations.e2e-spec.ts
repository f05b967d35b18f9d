import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWallet, issueForeignCredential, type Wallet } from '@vestibule/demo-wallet';
import { until } from '@vestibule/testkit';
import { Client } from 'pg';
import { startAnswerCutter, type AnswerCutter } from './answer-cutter';
import { requestPresentation } from './flows';
import { issuerIdentity } from './foreign-credential';
import { PRESENTATION, startStage, type Stage } from './stage';
import { statusToken } from './status-host';

let stage: Stage;
let cutter: AnswerCutter;
let wallet: Wallet;
let lists: Lists;
beforeAll(async () => {
  stage = await startStage({ apps: PRESENTATION, doors: 1 });
  cutter = await startAnswerCutter(stage.stack.baseUrl);
  wallet = createWallet({ fetch: cutter.fetch });
  lists = await startLists();
});
afterAll(async () => {
  await lists?.stop();
  await cutter?.stop();
  await stage?.stop();
});

/** A host of status lists that lets the verifier wait: while it does, a response has been taken and nothing is decided. */
interface Lists {
  readonly origin: string;
  /** How many requests wait. */
  readonly waiting: number;
  /** Lets those that come from now on wait, and answers all that wait. */
  hold(isHolding: boolean): void;
  stop(): Promise<void>;
}

async function startLists(): Promise<Lists> {
  const signer = issuerIdentity(stage);
  let isHolding = false;
  let held: (() => void)[] = [];
  const server: Server = createServer((request, response) => {
    const answer = () => {
      response.writeHead(200, { 'content-type': 'application/statuslist+jwt' });
      response.end(statusToken(`http://${request.headers.host}${request.url}`, signer));
    };
    if (isHolding) held.push(answer);
    else answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = await stage.openDoor((server.address() as AddressInfo).port);
  return {
    origin: `http://127.0.0.1:${port}`,
    get waiting() {
      return held.length;
    },
    hold(shallHold) {
      isHolding = shallHold;
      if (isHolding) return;
      for (const answer of held) answer();
      held = [];
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

let lastList = 0;

/** A request on the same device, and the response to it with a credential whose status list nobody has fetched before. */
async function prepared() {
  const { chain, key } = issuerIdentity(stage);
  const now = Math.floor(Date.now() / 1000);
  lastList += 1;
  const { id } = await wallet.addCredential(
    await issueForeignCredential({
      payload: {
        iss: stage.stack.issuerUrl,
        iat: now - 60,
        exp: now + 3_600,
        vct: stage.vct,
        cnf: { jwk: { ...(await wallet.createHolderKey()) } },
        family_name: 'Example',
        status: { status_list: { idx: 0, uri: `${lists.origin}/${lastList}` } },
      },
      disclosureFrame: { _sd: ['family_name'] },
      x5c: chain,
      privateKey: key,
    }),
  );
  const { state, sameDevice } = await requestPresentation(stage, { redirect_uri: 'https://shop.example/return' });
  const response = await wallet.buildPresentation(sameDevice, { credentials: { card: [id] } });
  return { state, ...response };
}
type Prepared = Awaited<ReturnType<typeof prepared>>;

const statusOf = async (state: string) => (await stage.management('GET', `/oidc4vp/${state}`)).body['status'];
const untilReady = () =>
  until(async () => (await fetch(stage.stack.process('verifier').readyUrl).catch(() => undefined))?.status === 200);

/** A wallet posts, and its connection ends before there is an answer: it has waited long enough, or the line was cut. */
function postInto({ responseUri, form }: Prepared) {
  const line = new AbortController();
  const posted = fetch(responseUri, { method: 'POST', body: new URLSearchParams({ ...form }), signal: line.signal });
  const lost = posted.then(
    async (answer) => Promise.reject(new Error(`it was answered ${answer.status} ${await answer.text()}`)),
    () => undefined,
  );
  return {
    async cut() {
      line.abort();
      await lost;
    },
  };
}

/** The same bytes until they are answered, as libraries do. */
async function repeat({ responseUri, form }: Prepared) {
  let result: Awaited<ReturnType<Wallet['send']>> | undefined;
  await until(async () => {
    result = await wallet.send(responseUri, form).catch(() => undefined);
    return result !== undefined && result.status < 500;
  });
  return result as NonNullable<typeof result>;
}

/** Wallet and backend have the same story, which the backend was told once. */
async function expectFulfilledOnce(one: Prepared): Promise<void> {
  const { status, redirectUri } = await repeat(one);
  expect(status).toBe(200);
  const [event, ...more] = await stage.callbacksOf(one.state, 1);
  expect(more).toEqual([]);
  const code = new URL(redirectUri ?? '').searchParams.get('response_code');
  expect(event).toMatchObject({
    status: 'FULFILLED',
    responseCode: code,
    credentials: { card: [{ claims: { family_name: 'Example' } }] },
  });
  expect(await statusOf(one.state)).toBe('FULFILLED');
  const again = await repeat(one);
  expect([again.status, again.redirectUri]).toEqual([200, redirectUri]);
  expect(await stage.callbacksOf(one.state, 1)).toHaveLength(1);
}

/** Runs while a response is being judged: it has been taken, and its end is not written. */
async function whileJudged(one: Prepared, interrupt: () => Promise<void>): Promise<void> {
  lists.hold(true);
  const post = postInto(one);
  await until(() => lists.waiting > 0);
  await interrupt();
  await post.cut();
  lists.hold(false);
}

/** Holds the row of a request, so that its end waits in Postgres for as long as `run` takes. */
async function whileCommitting(one: Prepared, run: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: stage.database.adminUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    const key = [Buffer.from(one.state, 'base64url')];
    await client.query('SELECT FROM verifier.presentation_request WHERE state = $1 FOR UPDATE', key);
    const post = postInto(one);
    // Not pg_stat_activity, of which a transaction sees what it saw first: those that begin to wait later would be missing.
    const waiting = `SELECT FROM pg_locks AS own JOIN pg_locks AS other USING (transactionid)
      WHERE own.pid = pg_backend_pid() AND own.granted AND NOT other.granted`;
    await until(async () => (await client.query(waiting)).rows.length > 0);
    await run();
    await client.query('COMMIT');
    await post.cut();
  } finally {
    await client.end();
  }
}

const verifier = () => stage.stack.process('verifier');

describe('a response that was taken and not decided is judged again when the wallet repeats it, after', () => {
  it('VP:D12 kill -9 of the verifier', async () => {
    const one = await prepared();
    await whileJudged(one, () => verifier().kill('SIGKILL'));
    await verifier().restart();
    await untilReady();
    expect(await statusOf(one.state)).toBe('PENDING');
    await expectFulfilledOnce(one);
  });

  it('VP:D12 a verifier that stands still until the wallet has gone', async () => {
    const one = await prepared();
    await whileJudged(one, () => verifier().kill('SIGSTOP'));
    await verifier().kill('SIGCONT');
    await untilReady();
    await expectFulfilledOnce(one);
  });

  it('VP:D12 a NATS that is away and comes back', async () => {
    const one = await prepared();
    await whileJudged(one, async () => stage.proxies.nats.block());
    stage.proxies.nats.heal();
    await untilReady();
    await expectFulfilledOnce(one);
  });

  it('VP:D12 a Postgres that is away when its end is to be written', async () => {
    const one = await prepared();
    await whileJudged(one, async () => stage.proxies.postgres.block());
    stage.proxies.postgres.heal();
    await untilReady();
    await expectFulfilledOnce(one);
  });

  it('VP:D12 also with other bytes: a wallet may answer anew as long as nothing is decided', async () => {
    const one = await prepared();
    await whileJudged(one, () => verifier().kill('SIGKILL'));
    await verifier().restart();
    await untilReady();
    const other = await requestPresentation(stage);
    expect((await wallet.send(one.responseUri, { ...one.form, response: 'not a JWE' })).status).toBe(400);
    expect([await statusOf(one.state), await statusOf(other.state)]).toEqual(['PENDING', 'PENDING']);
    await expectFulfilledOnce(one);
  });
});

describe('what was accepted is answered again, and told once, where the answer is lost', () => {
  it('VP:T25 on its way to the wallet', async () => {
    const one = await prepared();
    const lost = cutter.lost;
    cutter.cutNext('/response');
    await expect(wallet.send(one.responseUri, one.form)).rejects.toThrow();
    expect(cutter.lost).toBe(lost + 1);
    expect(await statusOf(one.state)).toBe('FULFILLED');
    await expectFulfilledOnce(one);
  });

  // Postgres ends a statement that waits for longer than 3 s. On a machine that stands still for so long nothing is decided,
  // and the response is judged again: wallet and backend have the same story in either case.
  it('VP:T25 with the verifier, which is killed while its commit is under way', async () => {
    const one = await prepared();
    await whileCommitting(one, () => verifier().kill('SIGKILL'));
    await verifier().restart();
    await untilReady();
    await expectFulfilledOnce(one);
  });

  it('VP:T25 on the bus, which is away when the answer is to be sent', async () => {
    const one = await prepared();
    await whileCommitting(one, async () => stage.proxies.nats.block());
    stage.proxies.nats.heal();
    await untilReady();
    await expectFulfilledOnce(one);
  });

  it('VP:T25 by Postgres, whose answer to the commit never arrives', async () => {
    const one = await prepared();
    await whileCommitting(one, async () =>
      stage.proxies.postgres.apply({ mode: 'swallow', connections: 'existing', direction: 'to-client' }),
    );
    stage.proxies.postgres.cut();
    stage.proxies.postgres.heal();
    await untilReady();
    await expectFulfilledOnce(one);
  });

  it('VP:D12 and another response to it is refused, and not told', async () => {
    const [one, other] = [await prepared(), await prepared()];
    cutter.cutNext('/response');
    await expect(wallet.send(one.responseUri, one.form)).rejects.toThrow();
    expect((await wallet.send(one.responseUri, other.form)).status).toBe(400);
    await expectFulfilledOnce(one);
  });
});
