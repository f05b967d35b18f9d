import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWallet, type Wallet } from '@vestibule/demo-wallet';
import {
  createBackend,
  offerSample,
  requestSample,
  startBroker,
  startCallbackReceiver,
  startEmbeddedPostgres,
  startStack,
  waitForStatus,
  type AppName,
  type CallbackReceiver,
  type Stack,
} from '@vestibule/dev-stack';
import type { ToolContext } from '../start';
import { openCheckout } from './bench/checkout';
import { upgradeAndBack } from './side-by-side/rolling-upgrade';

/** The commit of the previous version, whose gateway and services run beside those of this checkout. */
const PREVIOUS_FILE = 'tools/proofs/previous-version';
/** A later commit, which gives a wallet again what it lost: its replicas run beside those of this checkout. */
const RECENT_FILE = 'tools/proofs/recent-version';
const SERVICES: readonly AppName[] = ['verifier', 'issuer', 'wallet-store'];
const READY_MILLISECONDS = 60_000;
const RETURN_TO = 'https://shop.example/return';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** `--commit <hash>`, or the commit in a file. */
function chooseCommit(root: string, argv: readonly string[], file: string): string {
  const at = argv.indexOf('--commit');
  const commit = at === -1 ? readFileSync(path.join(root, file), 'utf8').trim() : argv[at + 1];
  if (commit === undefined || !/^[0-9a-f]{7,40}$/.test(commit))
    throw new Error('usage: side-by-side [--commit <hash>]');
  return commit;
}

/** Builds another version in a separate folder, with the packages of this checkout. */
function buildOther(root: string, commit: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-previous-'));
  const git = (...words: readonly string[]) => execFileSync('git', words, { stdio: 'pipe' });
  git('clone', '--quiet', '--shared', '--no-checkout', root, folder);
  git('-C', folder, 'checkout', '--quiet', commit);
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  execFileSync(process.execPath, ['tools/build.cjs'], { cwd: folder, stdio: 'pipe' });
  print(`built ${commit.slice(0, 7)}`);
  return folder;
}

async function untilReady({ managementUrl }: Stack): Promise<void> {
  const end = performance.now() + READY_MILLISECONDS;
  for (;;) {
    const { status } = await fetch(`${managementUrl}/health/ready`);
    if (status === 200) return;
    if (performance.now() > end) throw new Error('the gateway does not become ready with these services');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Creates an entity, or finds the one that was created with this key. */
async function makeEntity(managementUrl: string, apiKey: string, idempotencyKey: string): Promise<string> {
  const headers = { 'X-API-KEY': apiKey, 'Idempotency-Key': idempotencyKey };
  const response = await fetch(`${managementUrl}/api/wallet/v1/entity`, { method: 'POST', headers });
  if (response.status !== 201) throw new Error(`POST /entity answers ${response.status}`);
  return ((await response.json()) as { readonly EntityDid: string }).EntityDid;
}

/** Throws unless the key that created the entity finds it again. */
async function findEntity(managementUrl: string, apiKey: string, { key, did }: MadeEntity): Promise<void> {
  if ((await makeEntity(managementUrl, apiKey, key)) !== did) throw new Error('one idempotency key made two entities');
}

/** A response on the same device, and where its wallet was told to return to. */
interface Answered {
  readonly responseUri: string;
  readonly form: Readonly<Record<string, string>>;
  readonly returnTo: string;
}

/** Throws unless a repeated response gets the answer that the first one got, with the same `response_code`. */
async function repeat(wallet: Wallet, { responseUri, form, returnTo }: Answered): Promise<void> {
  const { status, redirectUri } = await wallet.send(responseUri, form);
  if (status !== 200 || redirectUri !== returnTo)
    throw new Error(`a repeated response is answered otherwise: ${status}`);
}

async function answer(wallet: Wallet, sameDevice: string): Promise<Answered> {
  const { responseUri, form } = await wallet.buildPresentation(sameDevice);
  const { redirectUri } = await wallet.send(responseUri, form);
  if (redirectUri === undefined) throw new Error('the wallet is not told where to return to');
  return { responseUri, form, returnTo: redirectUri };
}

interface MadeEntity {
  readonly key: string;
  readonly did: string;
}

/** What one round leaves open, for the other version to finish. */
interface LeftOpen {
  /** Holds a credential that the round issued. */
  readonly wallet: Wallet;
  readonly offer: { readonly offerId: string; readonly uri: string };
  readonly request: { readonly state: string; readonly crossDevice: string };
  readonly ended: { readonly offerId: string; readonly state: string; readonly answered: Answered };
  readonly entity: MadeEntity;
}

/** What all rounds share: each version reads rows that the other has written. */
interface Installation {
  readonly backend: CallbackReceiver;
  readonly natsUrl: string;
  readonly databaseUrl: string;
  /** Secrets, keys and certificates. */
  readonly dataFolder: string;
  /** The public port, so that the addresses stay the same; 0 for the first round. */
  readonly publicPort: number;
}

interface Sides {
  readonly gateway: typeof startStack;
  readonly services: typeof startStack;
}

interface Round {
  readonly backend: CallbackReceiver;
  readonly front: Stack;
  readonly services: Stack;
}

async function expectStatus(url: string, status: string): Promise<void> {
  const answer = (await (await fetch(url)).json()) as { readonly status?: string };
  if (answer.status !== status) throw new Error(`${url} is ${String(answer.status)}, not ${status}`);
}

/** Finishes what the other version began, and checks that what it ended is still visible, and answered as before. */
async function finish({ backend, front, services }: Round, left: LeftOpen): Promise<void> {
  const { managementUrl } = front;
  const { wallet, offer, request, ended, entity } = left;
  await wallet.present(request.crossDevice);
  await waitForStatus(backend, request.state, 'FULFILLED');
  await repeat(wallet, ended.answered);
  await wallet.redeemOffer(offer.uri);
  await waitForStatus(backend, offer.offerId, 'ISSUED');
  await expectStatus(`${managementUrl}/offers/${ended.offerId}`, 'ISSUED');
  await expectStatus(`${managementUrl}/oidc4vp/${ended.state}`, 'FULFILLED');
  await findEntity(managementUrl, services.files.secrets.apiKey, entity);
}

/** Runs both main flows and the store, then begins flows and leaves them open. */
async function begin({ backend, front, services }: Round): Promise<LeftOpen> {
  const { managementUrl, issuerUrl } = front;
  const wallet = createWallet();
  const sample = createBackend({ managementUrl, issuerUrl });
  const offer = await offerSample(sample);
  await wallet.redeemOffer(offer.uri);
  await waitForStatus(backend, offer.offerId, 'ISSUED');
  const request = await requestSample(sample, { redirect_uri: RETURN_TO });
  const answered = await answer(wallet, request.sameDevice);
  await waitForStatus(backend, request.state, 'FULFILLED');
  const { apiKey } = services.files.secrets;
  const key = randomBytes(20).toString('hex');
  const entity = { key, did: await makeEntity(managementUrl, apiKey, key) };
  await findEntity(managementUrl, apiKey, entity);
  const ended = { offerId: offer.offerId, state: request.state, answered };
  const hour = { expires_in: 3_600 };
  return { wallet, offer: await offerSample(sample, hour), request: await requestSample(sample, hour), ended, entity };
}

/** One round with the gateway of one version and the services of another. */
async function playRound(installation: Installation, sides: Sides, left: LeftOpen | undefined) {
  const closers: (() => Promise<void>)[] = [];
  const { backend, natsUrl, databaseUrl, dataFolder, publicPort } = installation;
  const options = { callbackUrl: backend.url, natsUrl };
  const none = { verifier: 'postgres://none', issuer: 'postgres://none', wallet_store: 'postgres://none' };
  try {
    const ports = { management: 0, public: publicPort };
    const front = await sides.gateway({ ...options, ports, apps: ['gateway'], databaseUrls: none });
    closers.push(() => front.stop());
    const { baseUrl, issuerUrl } = front;
    const addresses = { baseUrl, issuerUrl, ports: { management: 0, public: 0 } };
    const services = await sides.services({ ...options, ...addresses, databaseUrl, dataFolder, apps: SERVICES });
    closers.push(() => services.stop());
    await untilReady(front);
    const round = { backend, front, services };
    if (left) await finish(round, left);
    return { left: await begin(round), publicPort: Number(new URL(baseUrl).port) };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** The rounds in sequence over one NATS and one Postgres; each finishes what the previous one began. */
async function playRounds(rounds: readonly (readonly [string, Sides])[]): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const dataFolder = mkdtempSync(path.join(tmpdir(), 'vestibule-side-by-side-'));
    closers.push(async () => rmSync(dataFolder, { recursive: true }));
    const postgres = await startEmbeddedPostgres({});
    closers.push(() => postgres.stop());
    const backend = await startCallbackReceiver();
    closers.push(() => backend.stop());
    const broker = await startBroker({ maxPayloadBytes: 2 * 1024 * 1024 });
    closers.push(() => broker.stop());
    const shared = { backend, natsUrl: broker.url, databaseUrl: postgres.adminUrl, dataFolder };
    let last: Awaited<ReturnType<typeof playRound>> | undefined;
    for (const [name, sides] of rounds) {
      last = await playRound({ ...shared, publicPort: last?.publicPort ?? 0 }, sides, last?.left);
      print(`ok: ${name}`);
    }
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Both versions together, while flows go on. Returns what was wrong. */
async function playUpgrade(previous: typeof startStack): Promise<readonly string[]> {
  const { flows, ends, faults, logged } = await upgradeAndBack(previous, startStack, print);
  for (const [line, count] of logged) print(`  ${String(count).padStart(4)}  ${line}`);
  print(`${flows} flows: ${JSON.stringify(ends)}, ${faults.length} faults`);
  for (const fault of faults) print(`  ${fault}`);
  return faults;
}

/** Builds another version for as long as `work` takes. */
async function withOther<Result>(root: string, commit: string, work: (start: typeof startStack) => Promise<Result>) {
  const folder = buildOther(root, commit);
  try {
    return await work(openCheckout(folder).startStack);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Builds the previous version and runs issuances, presentations and calls of the wallet store over one NATS and one
 * Postgres: with its services behind the gateway of this checkout, then the other way round, then as before. Each round
 * finishes what the previous one began, so that each version reads the rows of the other. Then an installation of a recent
 * version is upgraded and goes back while flows go on, with replicas of both versions together. `--commit` names another
 * version for both parts. Throws if a round fails; exit code 1 if a flow of the upgrade did.
 */
export async function main({ root, argv }: ToolContext): Promise<number> {
  await withOther(root, chooseCommit(root, argv, PREVIOUS_FILE), (previous) => {
    const before = { gateway: startStack, services: previous };
    const after = { gateway: previous, services: startStack };
    return playRounds([
      ['gateway of this version, services of the previous one', before],
      ['gateway of the previous version, services of this one, over the rows of the previous one', after],
      ['gateway of this version, services of the previous one, over the schema and rows of this one', before],
    ]);
  });
  const faults = await withOther(root, chooseCommit(root, argv, RECENT_FILE), playUpgrade);
  return faults.length === 0 ? 0 : 1;
}
