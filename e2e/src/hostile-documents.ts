import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDidKey, verificationMethodOf } from '@vestibule/vcdm';
import { expectFreeLoops, probedEnvironment } from './loop-probe';
import { createSchemaApi, type SchemaApi } from './schema-api';
import { startStage, type Stage } from './stage';
import { createWalletApi, ownerQuery, type OwnedWallet, type WalletApi } from './wallet-api';

type Members = Record<string, unknown>;
const KEY = 'the-key-of-the-tenant-that-is-attacked';

/** A stage whose event loops are watched, and a wallet in it. */
export interface AttackedStage {
  readonly stage: Stage;
  readonly api: WalletApi;
  readonly schemas: SchemaApi;
  readonly owner: OwnedWallet;
  /** Runs an attack, and expects that health answers meanwhile and that it holds no event loop longer than 250 ms. */
  expectFree(attack: () => Promise<unknown>): Promise<void>;
  /** Imports, verifies, issues and presents a document, none of which may hold an event loop or be a fault of the server. */
  expectHarmless(document: Members): Promise<void>;
  stop(): Promise<void>;
}

/** An array of so many items. */
export const rep = <Item>(count: number, of: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => of(i));
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const issuer = createDidKey(randomBytes).did;
const UNDEFINED_TERMS = 'https://www.w3.org/ns/credentials/undefined-terms/v2';
/** A credential of a stranger whose key may sign. */
export const credential = (credentialSubject: unknown, more: Members = {}): Members => ({
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
  // 64 bytes, as a P-256 signature has: anything else would be refused before the document is looked at.
  proofValue: `z${'5'.repeat(87)}`,
});
const ring = (count: number) =>
  rep(count, (i) => ({ id: `_:b${i}`, p: { id: `_:b${(i + 1) % count}` }, q: { id: `_:b${(i + 7) % count}` } }));

/** Documents of a stranger whose key may sign. */
export const QUICK_SHAPES: readonly (readonly [string, Members])[] = [
  ['a ring of blank nodes of 97 KB', credential({ x: ring(1_650) })],
  ['a ring of blank nodes of 200 KB', credential({ x: ring(3_350) })],
  ['nodes that look alike', credential({ x: rep(2_000, () => ({})) })],
  ['deep nesting', credential(nested(27))],
  ['deep nesting, often', credential({ x: rep(800, () => nested(20)) })],
  ['a huge array', credential({ x: rep(40_000, (i) => i) })],
  ['arrays in arrays', credential({ x: rep(20_000, () => [1]) })],
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

/** Those that take a service long, in pieces between which others are served. */
export const LENGTHY_SHAPES: readonly (readonly [string, Members])[] = [
  ['two hubs that look alike', credential({ x: rep(2, () => ({ c: rep(1_900, (v) => ({ v })) })) })],
  ['trees that look alike', credential({ x: rep(60, () => ({ a: rep(60, () => ({})) })) })],
  ['huge arrays', credential(Object.fromEntries(rep(8, (i) => [`x${i}`, rep(2_000, (v) => v)])))],
  ['many members', credential(Object.fromEntries(rep(16_000, (i) => [`k${i}`, i])))],
  ['many nodes with an id', credential(rep(2_000, (i) => ({ id: `did:x:${i}`, a: `did:x:${i + 1}` })))],
];

/** On a busy machine a document may have to wait for so long that its sender is told to come again, as this one does. */
async function askUntilTaken<Taken extends { readonly status: number }>(ask: () => Promise<Taken>): Promise<Taken> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}

type Reached = Pick<AttackedStage, 'stage' | 'api' | 'owner'>;

/** Sends the document wherever documents are taken, at the same time. */
async function sendEverywhere({ stage, api, owner }: Reached, document: Members) {
  const secured = { ...document, proof: proofOf('assertionMethod') };
  const holder = createDidKey(randomBytes).did;
  const presentation = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiablePresentation'],
    holder,
    verifiableCredential: [secured],
    proof: { ...proofOf('authentication', holder), challenge: 'x' },
  };
  const attacks = [
    () => api.call('POST', `/credentials?${ownerQuery(owner)}`, { Body: secured }),
    () => stage.management('POST', '/credentials/verify', { verifiableCredential: secured }),
    () => stage.management('POST', '/credentials/issue', { credential: { ...document, issuer: owner.entityDid } }),
    () =>
      stage.management('POST', '/presentations/verify', {
        verifiablePresentation: presentation,
        options: { challenge: 'x' },
      }),
  ];
  return Promise.all(attacks.map((attack) => askUntilTaken<{ status: number; body: Members }>(attack)));
}

/** Starts the stage; stop it in `afterAll`. */
export async function startAttackedStage(): Promise<AttackedStage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'loop-'));
  const probed = await probedEnvironment(folder);
  const VC_API_KEY_DIGEST = createHash('sha256').update(KEY).digest('base64url');
  const stage = await startStage({
    environment: {
      gateway: { VC_API_KEY_DIGEST, ...probed('gateway') },
      'wallet-store': { FIRST_API_KEY: KEY, ...probed('wallet-store') },
    },
  });
  const api = createWalletApi(stage.stack.baseUrl, KEY);
  const owner = await api.newWallet().catch(async (error: unknown) => {
    await stage.stop();
    throw error;
  });
  const expectFree = (attack: () => Promise<unknown>) => expectFreeLoops(stage, folder, attack);
  return {
    ...{ stage, api, owner, expectFree },
    schemas: createSchemaApi(stage.stack.baseUrl, KEY),
    async expectHarmless(document) {
      const answers: { readonly status: number; readonly body: Members }[] = [];
      await expectFree(async () => void answers.push(...(await sendEverywhere({ stage, api, owner }, document))));
      // Refused for what they are, and not for the form of a signature that nobody made.
      const bodies = JSON.stringify(answers.map(({ body }) => body));
      expect(bodies).not.toMatch(/proofValue is no|vc_key_unresolvable|vc_holder_mismatch/);
      // 201: what is long, but harmless, is signed. Nothing is a fault of the server.
      expect(answers.map(({ status }) => status).filter((status) => ![400, 413, 201].includes(status))).toEqual([]);
    },
    async stop() {
      await stage.stop();
      await rm(folder, { recursive: true });
    },
  };
}
