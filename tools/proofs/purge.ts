import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWallet } from '@vestibule/demo-wallet';
import { APP_NAMES, startCallbackReceiver, startStack, type CallbackReceiver, type Stack } from '@vestibule/dev-stack';
import type { SealedRegistry } from '@vestibule/persistence';
import { Pool } from 'pg';
import { createCanary, formsOf, type Canary, type Form } from './purge/canary';
import { leaveUndelivered, runCrashes } from './purge/crashes';
import { tapBus, type BusTap } from './purge/bus-tap';
import { DEFERRED_SECONDS, leaveUnfetched, runDeferredFlows } from './purge/deferred-flows';
import { answersOpenedBy, collectTokens, KEPT_ANSWERS, OPENED_BY_WALLET } from './purge/kept-answers';
import { runAllFlows, type Ended, type Scene } from './purge/flows';
import { addresses, collected, files, lookAt, tables, toastTables, type Look, type Place } from './purge/places';
import { loadRegistries, openedRecords, watchRecords, type Watch } from './purge/sealed-places';
import { runSelfTest, type Trial } from './purge/self-test';
import { hasLoggedParameters, logEverything } from './purge/talkative-postgres';
import { eraseWallets, killWhileWriting } from './purge/wallet-crashes';
import { fillWallets } from './purge/wallet-flows';
import type { ToolContext } from '../start';

/** The shortest retention that the services accept: after it the remains of an ended flow are deleted, too. */
const RETENTION_SECONDS = 60;
const LIFETIME_SECONDS = 15;
/** Long enough to include at least one look everywhere. */
const REDELIVERY_SECONDS = 15;
const GONE_MILLISECONDS = 180_000;

/** Places whose content is visible only with a key. */
const SEALED_PLACES = ['sealed records, opened', OPENED_BY_WALLET];

const print = (text = '') => void process.stdout.write(`${text}\n`);
const seconds = (value: number) => `${value.toFixed(1)} s`;
const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

interface Proof {
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly scene: Scene;
  readonly pool: Pool;
  readonly forms: readonly Form[];
  readonly registries: readonly SealedRegistry[];
  readonly tap: BusTap;
  readonly answers: Place;
  readonly watch: Watch;
  readonly temporaryFolder: string;
  readonly clusterFolder: string;
  readonly elapsed: () => number;
  close(): Promise<void>;
}

interface Options {
  readonly short: boolean;
  /** Of the checkout. */
  readonly root: string;
}

function row(...cells: readonly string[]): string {
  const widths = [40, 26, 14, 14, 14];
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join(' ')
    .trimEnd();
}

function environmentFor(temporaryFolder: string) {
  const all = { LOG_LEVEL: 'debug', TMPDIR: temporaryFolder };
  const reporting = {
    ...all,
    RETENTION_SECONDS: String(RETENTION_SECONDS),
    CALLBACK_LIFETIME_SECONDS: String(LIFETIME_SECONDS),
  };
  return {
    gateway: { ...all, RATE_LIMIT_PER_MINUTE: '0' },
    verifier: reporting,
    issuer: {
      ...reporting,
      REDELIVERY_SECONDS: String(REDELIVERY_SECONDS),
      DEFERRED_SECONDS: String(DEFERRED_SECONDS),
    },
    'wallet-store': all,
  };
}

async function openScene(temporaryFolder: string, canary: Canary, tokens: Set<string>) {
  const refused = new Set<string>();
  const respond = ({ text }: { text: string }) => ([...refused].some((id) => text.includes(id)) ? 503 : 204);
  const backend = await startCallbackReceiver({ respond });
  const stack = await startStack({ callbackUrl: backend.url, environment: environmentFor(temporaryFolder) });
  const scene: Scene = {
    stack,
    backend,
    canary,
    refused,
    errorAnswers: [],
    wallet: createWallet({ fetch: collectTokens(tokens) }),
  };
  return { backend, stack, scene };
}

async function openProof(root: string): Promise<Proof> {
  const canary = createCanary();
  const forms = formsOf(canary);
  const temporaryFolder = mkdtempSync(path.join(tmpdir(), 'vestibule-proof-'));
  const tokens = new Set<string>();
  const { backend, stack, scene } = await openScene(temporaryFolder, canary, tokens);
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const pool = new Pool({ connectionString: stack.databaseAdminUrl, max: 4 });
  // Its connections break when Postgres is crashed on purpose.
  pool.on('error', () => undefined);
  const shown = await pool.query<{ data_directory: string }>('SHOW data_directory');
  const registries = loadRegistries(root);
  const tap = await tapBus(stack.natsUrl, forms, elapsed);
  const opened = openedRecords(pool, registries, stack.files.secrets.sealingKey);
  const answers = answersOpenedBy(tokens, pool, root);
  const sealed = { ...opened, read: async () => [...(await opened.read()), ...(await answers.read())] };
  const watch = watchRecords(sealed, forms, elapsed);
  const clusterFolder = (shown.rows[0] as { data_directory: string }).data_directory;
  const close = async () => {
    await watch.stop();
    await tap.stop();
    await pool.end();
    await stack.stop();
    await backend.stop();
    rmSync(temporaryFolder, { recursive: true, force: true });
  };
  return {
    stack,
    backend,
    scene,
    pool,
    forms,
    registries,
    tap,
    answers,
    watch,
    temporaryFolder,
    clusterFolder,
    elapsed,
    close,
  };
}

function placesOf({
  stack,
  scene,
  pool,
  tap,
  answers,
  registries,
  temporaryFolder,
  clusterFolder,
}: Proof): readonly Place[] {
  const services = stack.processes.filter(({ app }) => app !== 'gateway');
  const metrics = services.map(({ readyUrl }) => readyUrl.replace('/health/ready', '/metrics'));
  const flush = async () => {
    await pool.query('VACUUM');
    await pool.query('CHECKPOINT');
  };
  return [
    tables(pool),
    toastTables(pool),
    openedRecords(pool, registries, stack.files.secrets.sealingKey),
    answers,
    files('data files and WAL', [clusterFolder], flush),
    files('logs and files of the stack', [path.dirname(stack.logFile)]),
    files('temporary files', [temporaryFolder]),
    addresses('metrics', metrics),
    tap.envelopes,
    tap.stores,
    collected('error answers', scene.errorAnswers),
  ];
}

async function lookEverywhere(proof: Proof, moment: string): Promise<readonly Look[]> {
  const looks: Look[] = [];
  for (const place of placesOf(proof)) looks.push(await lookAt(place, proof.forms));
  const plain = looks.filter(({ place }) => !SEALED_PLACES.includes(place));
  const findings = plain.flatMap((look) => look.findings);
  print(`  ${seconds(proof.elapsed()).padStart(8)}  looked everywhere ${moment}: ${findings.length} in the clear`);
  for (const { place, where, forms } of findings)
    print(`            FOUND in ${place}: ${where} (${forms.join(', ')})`);
  return looks;
}

function printSelfTest(trials: readonly Trial[]): boolean {
  print('\nSelf-test: another canary hidden in every place, in every form that fits there');
  for (const { place, hidden, found } of trials) {
    const verdict = found === hidden ? 'ok' : 'FAILED: the search is blind here';
    print(`  ${row(place, `${found} of ${hidden} found`, verdict)}`);
  }
  return trials.every(({ hidden, found }) => hidden > 0 && found === hidden);
}

function printTable(proof: Proof, last: readonly Look[]): void {
  const { stays } = proof.watch;
  const { messages, first, last: lastCarried } = proof.tap.carried();
  print(`\n${row('where', 'what', 'there from', 'last seen', 'gone')}`);
  print(
    row(
      'bus: bodies in transit',
      `in the clear, ${messages} messages`,
      seconds(first),
      seconds(lastCarried),
      'at once',
    ),
  );
  for (const [where, { first: from, last: until, gone }] of [...stays].sort()) {
    print(row(where, 'sealed', seconds(from), seconds(until), gone === undefined ? 'STILL THERE' : seconds(gone)));
  }
  for (const { place, specimens, bytes, findings } of last) {
    const what = `${specimens} things, ${megabytes(bytes)}`;
    print(row(place, what, '', '', findings.length === 0 ? 'nothing there' : `${findings.length} LEFT`));
  }
}

async function runFlows(
  proof: Proof,
  { short, root }: Options,
): Promise<{ ended: readonly Ended[]; looks: readonly Look[] }> {
  const { scene, stack, pool, elapsed } = proof;
  const unfetched = short ? undefined : await leaveUnfetched(scene);
  const ended: Ended[] = [...(await runAllFlows(scene, !short)), ...(await runDeferredFlows(scene))];
  const filled = await fillWallets(scene);
  ended.push(...filled.ended, ...(await killWhileWriting(scene, pool, filled.wallets[0])));
  const looks = [...(await lookEverywhere(proof, 'after every kind of end'))];
  if (!short) ended.push(...(await runCrashes(scene, stack.databaseAdminUrl as string)));
  if (!short) looks.push(...(await lookEverywhere(proof, 'after the crashes')));
  ended.push(...(await leaveUndelivered(scene, pool)));
  if (unfetched) ended.push(await unfetched());
  await eraseWallets(scene, pool, root, filled.wallets);
  for (const { name, id, status } of ended) print(`            ${name.padEnd(42)} ${status} (${id.slice(0, 8)}…)`);
  print(`  ${seconds(elapsed()).padStart(8)}  ${ended.length} flows ended; waiting until the rest of them is purged`);
  return { ended, looks };
}

/**
 * Waits until no sealed record contains a canary any more, at the latest until the retention of ended flows has passed,
 * and until no answers are kept at all: what is kept for tokens, only a wallet could open.
 */
async function waitUntilGone({ watch, answers }: Proof): Promise<boolean> {
  const deadline = performance.now() + GONE_MILLISECONDS;
  const isGone = async () => watch.isClean() && (await answers.read()).length === 0;
  while (!(await isGone()) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 250));
  return isGone();
}

/** If nothing was ever seen under seal or on the bus, or Postgres logged nothing, the search would prove nothing. */
function sawThings({ watch: { stays }, tap, stack }: Proof): boolean {
  const places = [KEPT_ANSWERS, 'wallet_store.credential.body'];
  const sealed = stays.size > 2 && places.every((place) => stays.has(place));
  return sealed && tap.carried().messages > 0 && hasLoggedParameters(stack.logFile);
}

async function prove(proof: Proof, options: Options): Promise<boolean> {
  const { stack, pool, registries, temporaryFolder, clusterFolder } = proof;
  const trials = await runSelfTest({
    pool,
    natsUrl: stack.natsUrl,
    logFile: stack.logFile,
    temporaryFolder,
    clusterFolder,
    registries,
    sealingKey: stack.files.secrets.sealingKey,
  });
  const sees = printSelfTest(trials);
  await logEverything(pool, stack);
  print('\nFlows');
  const { looks } = await runFlows(proof, options);
  const gone = await waitUntilGone(proof);
  const last = await lookEverywhere(proof, 'at the end');
  printTable(proof, last);
  const inTheClear = [...looks, ...last].some(
    ({ place, findings }) => !SEALED_PLACES.includes(place) && findings.length > 0,
  );
  const left = last.some(({ findings }) => findings.length > 0);
  const saw = sawThings(proof);
  print(`\n${sees && saw && gone && !inTheClear && !left ? 'Nothing is left.' : 'NOT proven.'}`);
  return sees && saw && gone && !inTheClear && !left;
}

/**
 * `npm run prove:purge`: runs every kind of flow with a canary in every claim, kills processes in between, leaves
 * events undelivered, and searches everything that is stored for the canary in all its spellings. `--short` omits the
 * crashes, but for those of the wallet store, and what is kept until the retention ends. Exit code 0 only if nothing
 * was ever in plain form and nothing is left; the search itself is tested first.
 */
export async function main({ argv, root }: ToolContext): Promise<number> {
  const short = argv.includes('--short');
  print(`Purge proof: ${APP_NAMES.length} services, embedded Postgres, retention ${RETENTION_SECONDS} s`);
  const proof = await openProof(root);
  try {
    return (await prove(proof, { short, root })) ? 0 : 1;
  } finally {
    await proof.close();
  }
}
