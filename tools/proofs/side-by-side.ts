import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWallet } from '@vestibule/demo-wallet';
import {
  createBackend,
  offerSample,
  requestSample,
  startBroker,
  startCallbackReceiver,
  startStack,
  waitForStatus,
  type AppName,
  type Stack,
} from '@vestibule/dev-stack';
import type { ToolContext } from '../start';
import { openCheckout } from './bench/checkout';

/** The commit of which gateway and services work beside those of this checkout. */
const PREVIOUS_FILE = 'tools/proofs/previous-version';
const SERVICES: readonly AppName[] = ['verifier', 'issuer', 'wallet-store'];
const READY_MILLISECONDS = 60_000;

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Builds the previous version in a folder of its own, with the packages of this checkout. */
function buildPrevious(root: string): string {
  const commit = readFileSync(path.join(root, PREVIOUS_FILE), 'utf8').trim();
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

/** Makes an entity twice with one key: the same answer. */
async function callStore(managementUrl: string, apiKey: string): Promise<void> {
  const headers = { 'X-API-KEY': apiKey, 'Idempotency-Key': randomBytes(20).toString('hex') };
  const answers: string[] = [];
  for (let call = 0; call < 2; call += 1) {
    const response = await fetch(`${managementUrl}/api/wallet/v1/entity`, { method: 'POST', headers });
    if (response.status !== 201) throw new Error(`POST /entities answers ${response.status}`);
    answers.push(((await response.json()) as { readonly EntityDid: string }).EntityDid);
  }
  if (answers[0] !== answers[1]) throw new Error('one idempotency key made two entities');
}

interface Sides {
  readonly gateway: typeof startStack;
  readonly services: typeof startStack;
}

/** Both main flows and the store, with the gateway of one version and the services of another. */
async function proveOneWay(name: string, sides: Sides): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const backend = await startCallbackReceiver();
    closers.push(() => backend.stop());
    const broker = await startBroker({ maxPayloadBytes: 2 * 1024 * 1024 });
    closers.push(() => broker.stop());
    const options = { callbackUrl: backend.url, natsUrl: broker.url };
    const none = { verifier: 'postgres://none', issuer: 'postgres://none', wallet_store: 'postgres://none' };
    const ports = { management: 0, public: 0 };
    const front = await sides.gateway({ ...options, ports, apps: ['gateway'], databaseUrls: none });
    closers.push(() => front.stop());
    const { baseUrl, issuerUrl } = front;
    const services = await sides.services({ ...options, ports, baseUrl, issuerUrl, apps: SERVICES });
    closers.push(() => services.stop());
    await untilReady(front);
    const wallet = createWallet();
    const sample = createBackend({ managementUrl: front.managementUrl, issuerUrl });
    const offer = await offerSample(sample);
    await wallet.redeemOffer(offer.uri);
    await waitForStatus(backend, offer.offerId, 'ISSUED');
    const request = await requestSample(sample);
    await wallet.present(request.crossDevice);
    await waitForStatus(backend, request.state, 'FULFILLED');
    await callStore(front.managementUrl, services.files.secrets.apiKey);
    print(`ok: ${name}`);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/**
 * Builds the previous version and runs an issuance, a presentation and a call of the wallet store over one NATS and one
 * Postgres, with its gateway before the services of this checkout and the other way round. Throws where one fails.
 */
export async function main({ root }: ToolContext): Promise<number> {
  const folder = buildPrevious(root);
  try {
    const previous = openCheckout(folder).startStack;
    await proveOneWay('gateway of the previous version, services of this one', {
      gateway: previous,
      services: startStack,
    });
    await proveOneWay('gateway of this version, services of the previous one', {
      gateway: startStack,
      services: previous,
    });
    return 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
