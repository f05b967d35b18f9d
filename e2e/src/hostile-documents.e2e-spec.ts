import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDidKey, verificationMethodOf } from '@vestibule/vcdm';
import { createSchemaApi, type SchemaApi } from './schema-api';
import { startStage, type Stage } from './stage';
import { createWalletApi, ownerQuery, type OwnedWallet, type WalletApi } from './wallet-api';

type Members = Record<string, unknown>;
const KEY = 'the-key-of-the-tenant-that-is-attacked';
const MAX_MILLISECONDS = 250;
/** Another program may take the processor away at any time: what the service itself does comes back each time. */
const ATTEMPTS = 6;

/** Runs in each service before its program, and says on SIGUSR2 how long its event loop was held at most since then. */
const PROBE = `
  const { isMainThread } = require('node:worker_threads');
  const { monitorEventLoopDelay } = require('node:perf_hooks');
  const { writeFileSync } = require('node:fs');
  if (isMainThread) {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    let count = 0;
    process.on('SIGUSR2', () => {
      writeFileSync(process.env.LOOP_FILE, JSON.stringify({ count: (count += 1), max: delay.max / 1e6 }));
      delay.reset();
    });
  }`;

let folder: string;
let stage: Stage;
let api: WalletApi;
let schemas: SchemaApi;
let owner: OwnedWallet;
const PROBED = ['wallet-store', 'gateway'] as const;
const loopFile = (app: string) => path.join(folder, `${app}.json`);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'loop-'));
  await writeFile(path.join(folder, 'probe.cjs'), PROBE);
  const probed = (app: string) => ({
    NODE_OPTIONS: `--require ${path.join(folder, 'probe.cjs')}`,
    LOOP_FILE: loopFile(app),
  });
  const VC_API_KEY_DIGEST = createHash('sha256').update(KEY).digest('base64url');
  stage = await startStage({
    environment: {
      gateway: { VC_API_KEY_DIGEST, ...probed('gateway') },
      'wallet-store': { FIRST_API_KEY: KEY, ...probed('wallet-store') },
    },
  });
  api = createWalletApi(stage.stack.baseUrl, KEY);
  schemas = createSchemaApi(stage.stack.baseUrl, KEY);
  owner = await api.newWallet();
}, 180_000);
afterAll(async () => {
  await stage?.stop();
  await rm(folder, { recursive: true });
}, 60_000);

async function readProbe(app: string, before: number): Promise<{ count: number; max: number }> {
  for (;;) {
    const text = await readFile(loopFile(app), 'utf8').catch(() => '');
    const probe = (text.endsWith('}') ? JSON.parse(text) : { count: 0 }) as { count: number; max: number };
    if (probe.count > before) return probe;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
const counts = new Map<string, number>();
/** The longest time that the event loop of a service was held since the last call. */
async function heldMilliseconds(app: (typeof PROBED)[number]): Promise<number> {
  const { pid } = stage.stack.process(app);
  if (pid === undefined) throw new Error('the service has ended');
  process.kill(pid, 'SIGUSR2');
  const probe = await readProbe(app, counts.get(app) ?? 0);
  counts.set(app, probe.count);
  return probe.max;
}

const rep = <Item>(count: number, of: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => of(i));
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const issuer = createDidKey(randomBytes).did;
const UNDEFINED_TERMS = 'https://www.w3.org/ns/credentials/undefined-terms/v2';
const credential = (credentialSubject: unknown, more: Members = {}): Members => ({
  '@context': ['https://www.w3.org/ns/credentials/v2', UNDEFINED_TERMS],
  type: ['VerifiableCredential'],
  issuer,
  credentialSubject,
  ...more,
});
const proofOf = (proofPurpose: string, did = issuer): Members => ({
  type: 'DataIntegrityProof',
  cryptosuite: 'ecdsa-rdfc-2019',
  proofPurpose,
  verificationMethod: verificationMethodOf(did),
  proofValue: `z${'2'.repeat(87)}`,
});
const ring = (count: number) =>
  rep(count, (i) => ({ id: `_:b${i}`, p: { id: `_:b${(i + 1) % count}` }, q: { id: `_:b${(i + 7) % count}` } }));

/** Documents of a stranger whose key may sign. */
const SHAPES: [string, Members][] = [
  ['a ring of blank nodes of 97 KB', credential({ x: ring(1_650) })],
  ['a ring of blank nodes of 200 KB', credential({ x: ring(3_350) })],
  ['nodes that look alike', credential({ x: rep(2_000, () => ({})) })],
  ['two hubs that look alike', credential({ x: rep(2, () => ({ c: rep(1_900, (v) => ({ v })) })) })],
  ['trees that look alike', credential({ x: rep(60, () => ({ a: rep(60, () => ({})) })) })],
  ['deep nesting', credential(nested(27))],
  ['deep nesting, often', credential({ x: rep(800, () => nested(20)) })],
  ['a huge array', credential({ x: rep(40_000, (i) => i) })],
  ['huge arrays', credential(Object.fromEntries(rep(8, (i) => [`x${i}`, rep(2_000, (v) => v)])))],
  ['arrays in arrays', credential({ x: rep(20_000, () => [1]) })],
  ['many members', credential(Object.fromEntries(rep(16_000, (i) => [`k${i}`, i])))],
  ['many nodes with an id', credential(rep(2_000, (i) => ({ id: `did:x:${i}`, a: `did:x:${i + 1}` })))],
  ['many types', credential({ a: 1 }, { type: ['VerifiableCredential', ...rep(20_000, (i) => `T${i}`)] })],
  ['a long text', credential({ x: 'x'.repeat(250_000) })],
  ['a long name', credential({ ['x'.repeat(250_000)]: 1 })],
  [
    'a context often',
    credential(
      { a: 1 },
      { '@context': ['https://www.w3.org/ns/credentials/v2', ...rep(4_000, () => UNDEFINED_TERMS)] },
    ),
  ],
  [
    'contexts in it',
    credential(
      { a: 1 },
      {
        '@context': [
          'https://www.w3.org/ns/credentials/v2',
          Object.fromEntries(
            rep(3_000, (i) => [`t${i}`, { '@id': `https://x.example/${i}`, '@context': { a: '@index' } }]),
          ),
        ],
      },
    ),
  ],
  [
    'many contexts that nobody knows',
    credential(
      { a: 1 },
      { '@context': ['https://www.w3.org/ns/credentials/v2', ...rep(30, (i) => `https://x.example/${i}`)] },
    ),
  ],
  ['a context in each node', credential({ x: rep(2_000, () => ({ '@context': UNDEFINED_TERMS, a: 1 })) })],
];

/** Runs the attack until it held no event loop for too long; gives the times of the last try. */
async function hold(attack: () => Promise<unknown>): Promise<number[]> {
  let held: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    for (const app of PROBED) await heldMilliseconds(app);
    let isOver = false;
    const healthy = (async () => {
      while (!isOver) expect((await stage.management('GET', '/health/ready')).status).toBe(200);
    })();
    await attack().finally(() => (isOver = true));
    await healthy;
    held = [];
    for (const app of PROBED) held.push(await heldMilliseconds(app));
    if (held.every((milliseconds) => milliseconds <= MAX_MILLISECONDS)) break;
  }
  return held;
}
const tooLong = (held: readonly number[]) => held.filter((milliseconds) => milliseconds > MAX_MILLISECONDS);

describe('a document of a stranger holds no event loop longer than 250 ms, and health answers meanwhile', () => {
  it.each(SHAPES)(
    '%s, imported, verified and presented',
    async (_what, document) => {
      const secured = { ...document, proof: proofOf('assertionMethod') };
      const holder = createDidKey(randomBytes).did;
      const presentation = {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        type: ['VerifiablePresentation'],
        holder,
        verifiableCredential: [secured],
        proof: { ...proofOf('authentication', holder), challenge: 'x' },
      };
      const statuses: number[] = [];
      const held = await hold(async () => {
        const answers = await Promise.all([
          api.call('POST', `/credentials?${ownerQuery(owner)}`, { Body: secured }),
          stage.management('POST', '/credentials/verify', { verifiableCredential: secured }),
          stage.management('POST', '/credentials/issue', { credential: { ...document, issuer: owner.entityDid } }),
          stage.management('POST', '/presentations/verify', {
            verifiablePresentation: presentation,
            options: { challenge: 'x' },
          }),
        ]);
        statuses.push(...answers.map(({ status }) => status));
      });
      // 201: what is long, but harmless, is signed. Nothing is a fault of the server.
      expect(statuses.filter((status) => ![400, 413, 201].includes(status))).toEqual([]);
      expect(tooLong(held)).toEqual([]);
    },
    120_000,
  );
});

const field = (kind: string, name: string, more: Members = {}) => ({ kind, value: { name, ...more } });
const fields = rep(512, (i) => field('STRING', `claim_${i}`));
const bigSchema = {
  fields: [
    field('LIST', 'rows', { items: { kind: 'OBJECT', value: { fields: rep(9, (i) => field('NUMBER', `n${i}`)) } } }),
  ],
};
const row = { kind: 'OBJECT', value: Object.fromEntries(rep(4, (i) => [`n${i}`, { kind: 'NUMBER', value: i }])) };

describe('a draft or a schema holds no event loop longer than 250 ms either', () => {
  it.each<[string, Members]>([
    [
      'with members that nobody knows',
      {
        schema: { schema: { fields } },
        values: Object.fromEntries(rep(8_000, (i) => [`claim_x${i}`, {}])),
      },
    ],
    [
      'with values of the wrong kind',
      {
        schema: { schema: { fields: fields.slice(0, 1) } },
        values: { [`claim_0`]: { kind: 'STRING', value: rep(60_000, () => 1) } },
      },
    ],
    [
      'with a long text',
      {
        schema: { schema: { fields: fields.slice(0, 1) } },
        values: { [`claim_0`]: { kind: 'STRING', value: 'x'.repeat(250_000) } },
      },
    ],
    ['with a schema of many faults', { schema: { schema: { fields: rep(9_000, () => ({ kin: 'STRING' })) } } }],
    [
      'with addresses that nobody knows',
      { meta_schema: 'https://x.example/1', json_ld_vocabs: rep(5_000, (i) => `https://x.example/${i}`) },
    ],
  ])(
    '%s',
    async (_what, data) => {
      const held = await hold(async () => {
        expect((await schemas('POST', '/drafts', { data })).status).toBe(400);
      });
      expect(tooLong(held)).toEqual([]);
    },
    120_000,
  );

  it('with as many rows as a body has place for, made, issued, and presented', async () => {
    const held = await hold(async () => {
      const values = { rows: { kind: 'LIST', value: rep(900, () => row) } };
      const made = await schemas('POST', `/drafts?${ownerQuery(owner)}`, {
        data: { schema: { schema: bigSchema }, values },
      });
      expect(made.status).toBe(201);
      const issued = await schemas('POST', `/drafts/${made.body.id}/issue`, {});
      expect([201, 200, 400]).toContain(issued.status);
    });
    expect(tooLong(held)).toEqual([]);
  }, 120_000);

  it('as a schema of 512 claims that is published', async () => {
    let count = 0;
    const held = await hold(async () => {
      const made = await schemas('POST', '/schemas', { data: { schema: { fields } } });
      const published = await schemas('PATCH', `/schemas/${made.body.id}/publish`, { slug: `big-${(count += 1)}` });
      expect([made.status, published.status]).toEqual([201, 200]);
    });
    expect(tooLong(held)).toEqual([]);
  }, 120_000);
});
