import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDidKey, verificationMethodOf } from '@vestibule/vcdm';
import { expectFreeLoops, probedEnvironment } from './loop-probe';
import { createSchemaApi, type SchemaApi } from './schema-api';
import { startStage, type Stage } from './stage';
import { createWalletApi, ownerQuery, type ContentAnswer, type OwnedWallet, type WalletApi } from './wallet-api';

type Members = Record<string, unknown>;
const KEY = 'the-key-of-the-tenant-that-is-attacked';
let folder: string;
let stage: Stage;
let api: WalletApi;
let schemas: SchemaApi;
let owner: OwnedWallet;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'loop-'));
  const probed = await probedEnvironment(folder);
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
  // 64 bytes, as a P-256 signature has: anything else would be refused before the document is looked at.
  proofValue: `z${'5'.repeat(87)}`,
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

/** On a busy machine a document may have to wait for so long that its sender is told to come again, as this one does. */
async function askUntilTaken<Taken extends { readonly status: number }>(ask: () => Promise<Taken>): Promise<Taken> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}

const expectFree = (attack: () => Promise<unknown>) => expectFreeLoops(stage, folder, attack);

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
      const bodies: unknown[] = [];
      await expectFree(async () => {
        const attacks = [
          () => api.call('POST', `/credentials?${ownerQuery(owner)}`, { Body: secured }),
          () => stage.management('POST', '/credentials/verify', { verifiableCredential: secured }),
          () =>
            stage.management('POST', '/credentials/issue', { credential: { ...document, issuer: owner.entityDid } }),
          () =>
            stage.management('POST', '/presentations/verify', {
              verifiablePresentation: presentation,
              options: { challenge: 'x' },
            }),
        ];
        const answers = await Promise.all(
          attacks.map((attack) => askUntilTaken<{ status: number; body: Members }>(attack)),
        );
        statuses.push(...answers.map(({ status }) => status));
        bodies.push(...answers.map(({ body }) => body));
      });
      // Refused for what they are, and not for the form of a signature that nobody made.
      expect(JSON.stringify(bodies)).not.toMatch(/proofValue is no|vc_key_unresolvable|vc_holder_mismatch/);
      // 201: what is long, but harmless, is signed. Nothing is a fault of the server.
      expect(statuses.filter((status) => ![400, 413, 201].includes(status))).toEqual([]);
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
      await expectFree(async () => {
        expect((await schemas('POST', '/drafts', { data })).status).toBe(400);
      });
    },
    120_000,
  );

  it('with as many rows as a body has place for, made, issued, and presented', async () => {
    await expectFree(async () => {
      const values = { rows: { kind: 'LIST', value: rep(900, () => row) } };
      const made = await schemas('POST', `/drafts?${ownerQuery(owner)}`, {
        data: { schema: { schema: bigSchema }, values },
      });
      expect(made.status).toBe(201);
      const issued = await schemas('POST', `/drafts/${made.body.id}/issue`, {});
      expect([201, 200, 400]).toContain(issued.status);
    });
  }, 120_000);

  it('as a schema of 512 claims that is published', async () => {
    let count = 0;
    await expectFree(async () => {
      const made = await schemas('POST', '/schemas', { data: { schema: { fields } } });
      const published = await schemas('PATCH', `/schemas/${made.body.id}/publish`, { slug: `big-${(count += 1)}` });
      expect([made.status, published.status]).toEqual([201, 200]);
    });
  }, 120_000);
});

const LARGE = 36;

/** A credential of 32 KB that is well formed and that the store may have signed itself. */
const large = (): Members =>
  credential(Object.fromEntries(rep(9, (i) => [`x${i}`, rep(450, (v) => `${i}-${v}`)])), { issuer: owner.entityDid });

describe('many large documents hold no event loop longer than 250 ms', () => {
  let dids: string[];
  beforeAll(async () => {
    const { body } = await stage.management('POST', '/credentials/issue', { credential: large() });
    const Body = body['verifiableCredential'];
    dids = [];
    for (let index = 0; index < LARGE; index += 1) dids.push(await api.importCredential(owner, Body as object));
    expect(new Set(dids).size).toBe(LARGE);
  }, 240_000);

  it('in a list with bodies: a page has as many as there is room for, and the next one the others', async () => {
    await expectFree(async () => {
      const seen: string[] = [];
      let query: string | undefined = `/credentials?${ownerQuery(owner)}&getBodies=true&limit=1000`;
      while (query !== undefined) {
        const page: ContentAnswer = await api.get(query);
        expect(page.status).toBe(200);
        expect(Buffer.byteLength(JSON.stringify(page.items))).toBeLessThan(700_000);
        seen.push(...page.items.filter((item) => item['Body']).map((item) => String(item['CredentialDid'])));
        const [, next] = /<[^?]*(\?[^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? [];
        query = next && `/credentials${next}`;
      }
      expect(dids.filter((did) => !seen.includes(did))).toEqual([]);
    });
  }, 240_000);

  it('in presentations: as many as there is room for are presented, more are refused', async () => {
    await expectFree(async () => {
      const create = (CredentialDids: string[]) => api.call('POST', `/vp?${ownerQuery(owner)}`, { CredentialDids });
      const [fitting, refused] = [await create(dids.slice(0, 20)), await create(dids)];
      expect([fitting.status, refused.status]).toEqual([201, 400]);
      const presentation = String(fitting.body['PresentationDid']);
      // Drafted it may be; for a proof it has too many values.
      expect((await api.call('POST', `/vp/${presentation}/issue`, {})).status).toBe(400);
      expect((await api.get(`/vp?${ownerQuery(owner)}&getBodies=true`)).status).toBe(200);
    });
  }, 240_000);
});
