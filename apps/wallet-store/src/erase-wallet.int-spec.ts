import { createIdempotency } from '@vestibule/persistence';
import { createWalletEraser } from './adapters/postgres/erasure.store';
import { SCHEMA } from './adapters/postgres/migrations';
import { draftCalls, openSchemas, VALUES, type SchemaStage } from './testing/schemas.fixture-spec';
import type { Tenant } from './testing/wallet-store.fixture-spec';
import { eraseWallet } from './use-cases/erase-wallet';

const code = (expected: string) => expect.objectContaining({ code: expected });
const KEY = { idempotencyKey: 'k'.repeat(32) };
/** What holds a wallet, or what is in it; the entries of status lists name no wallet. */
const TABLES = ['wallet', 'credential', 'presentation'];

let stage: SchemaStage;
let tenant: Tenant;
let sibling: { entityDid: string; walletDid: string };
let run: (...argv: string[]) => Promise<readonly string[]>;
beforeAll(async () => {
  stage = await openSchemas();
  ({ tenant } = stage);
  const { database, sealer } = stage;
  const { forget } = createIdempotency({ database, schema: SCHEMA, sealer, clock: () => new Date() });
  const erase = eraseWallet({ erase: createWalletEraser(database), forgetAnswers: forget });
  run = (...argv) => erase(argv);
  const { EntityDid: entityDid } = { EntityDid: tenant.owner.entityDid };
  const { WalletDid: walletDid } = await stage.store.createWallet({ apiKeyDigest: tenant.apiKeyDigest, entityDid });
  sibling = { entityDid, walletDid };
});
afterAll(() => stage.close());

const nameOf = async ({ id }: Tenant) =>
  (await stage.outside<{ name: string }>('SELECT name FROM wallet_store.tenant WHERE id = $1', [id]))[0]?.name ?? '';

/** Everything of the tables, as a superuser sees it. */
async function dump(): Promise<string> {
  const parts = TABLES.map((table) =>
    stage.outside<{ row: string }>(`SELECT t::text AS row FROM wallet_store.${table} t`),
  );
  return (await Promise.all(parts))
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

/** A wallet with a draft, an abandoned one, an issued one and a presentation. */
async function fill(owner: typeof sibling): Promise<{ draft: string; issued: string; presentation: string }> {
  const calls = { ...stage.asTenant(), ...owner };
  const url = (await stage.publishBadge()).data['meta_schema'] as string;
  const body = { data: { meta_schema: url, values: VALUES } };
  const newDraft = async () => (await stage.schemas.createDraft({ ...calls, body })).id;
  const [draft, abandoned, issued] = [await newDraft(), await newDraft(), await newDraft()];
  const { update, issue, abandon } = draftCalls(stage);
  await update(draft, { data: { values: { level: { kind: 'NUMBER', value: 4 } } } });
  await abandon(abandoned);
  await issue(issued, { status_purposes: ['revocation'] });
  const { apiKeyDigest } = tenant;
  const made = await stage.store.createPresentation({ apiKeyDigest, ...owner, credentialDids: [issued] });
  return { draft, issued, presentation: made.PresentationDid };
}

describe('the operator command erase', () => {
  it('deletes a wallet with every revision in it and its remembered answers, and nothing of another one', async () => {
    const { apiKeyDigest, owner } = tenant;
    const kept = await fill(sibling);
    const gone = await fill(owner);
    const draft = { ...stage.asTenant(), body: { data: { schema: { schema: { fields: [] } } } } };
    await stage.schemas.createDraft({ ...draft, ...owner, ...KEY });
    await stage.schemas.createDraft({ ...draft, ...sibling, idempotencyKey: 's'.repeat(32) });
    await stage.store.createWallet({ apiKeyDigest, entityDid: owner.entityDid, ...KEY });
    expect(await run('--tenant', await nameOf(tenant), '--wallet', owner.walletDid)).toEqual([
      `wallet\t${owner.walletDid}`,
      'credentials\t4',
      'presentations\t1',
      'answers\t1',
    ]);
    const left = await dump();
    for (const did of [owner.walletDid, gone.draft, gone.issued, gone.presentation]) expect(left).not.toContain(did);
    for (const did of [sibling.walletDid, kept.draft, kept.issued, kept.presentation]) expect(left).toContain(did);
    const [answers] = await stage.outside<{ count: number }>('SELECT count(*)::int FROM wallet_store.idempotency_key');
    expect(answers?.count).toBe(2);
    const [entries] = await stage.outside<{ count: number }>(
      'SELECT count(*)::int FROM wallet_store.status_entry WHERE credential_did = $1',
      [gone.issued],
    );
    expect(entries?.count).toBe(1);
    const list = { apiKeyDigest, ...owner, queryMode: 'All' as const, getBodies: true, limit: 10 };
    await expect(stage.store.listCredentials(list)).rejects.toThrow(code('wallet_not_found'));
    await expect(stage.schemas.createDraft({ ...draft, ...owner, ...KEY })).rejects.toThrow(code('wallet_not_found'));
  });

  it('is recorded in the audit trail, with a hash and numbers', async () => {
    const rows = await stage.outside<{ record: string }>(
      `SELECT record FROM wallet_store.audit_record WHERE record LIKE '%wallet.erase%'`,
    );
    expect(rows.map(({ record }) => JSON.parse(record) as object)).toEqual([
      expect.objectContaining({
        target: expect.stringMatching(/^[\w-]{12}$/),
        details: { credentials: 4, presentations: 1 },
      }),
    ]);
    expect(rows[0]?.record).not.toContain('did:');
  });

  it('finds no wallet of another tenant, and none twice', async () => {
    const foreign = await stage.newTenant();
    const { walletDid } = foreign.owner;
    await expect(run('--tenant', await nameOf(tenant), '--wallet', walletDid)).rejects.toThrow(
      code('wallet_not_found'),
    );
    await expect(run('--tenant', 'nobody', '--wallet', walletDid)).rejects.toThrow(code('wallet_not_found'));
    expect(await dump()).toContain(walletDid);
    await run('--tenant', await nameOf(foreign), '--wallet', walletDid);
    const again = run('--tenant', await nameOf(foreign), '--wallet', walletDid);
    await expect(again).rejects.toThrow(code('wallet_not_found'));
  });

  it('makes room for a new default wallet', async () => {
    const foreign = await stage.newTenant();
    const caller = { ...stage.asTenant(undefined, foreign), body: { data: { schema: { schema: { fields: [] } } } } };
    const placeOf = async () => (await stage.schemas.createDraft(caller)).data['wallet_did'] as string;
    const first = await placeOf();
    await run('--tenant', await nameOf(foreign), '--wallet', first);
    const second = await placeOf();
    expect([second === first, second === (await placeOf())]).toEqual([false, true]);
  });

  it('what is written into the wallet at the same time finds no wallet, and leaves nothing', async () => {
    const foreign = await stage.newTenant();
    const { wallets } = stage.adapters;
    const owned = { ...foreign.owner };
    // The wallet is found, and erased before the draft is written.
    expect(await wallets.ownsWallet(foreign.id, owned)).toBe(true);
    await run('--tenant', await nameOf(foreign), '--wallet', owned.walletDid);
    await expect(stage.newDraft(foreign)).rejects.toThrow(code('wallet_not_found'));
    expect(await dump()).not.toContain(owned.walletDid);
  });

  it.each([[], ['--tenant', 'a'], ['--wallet', 'did:x:1'], ['--tenant', 'a', '--wallet']])(
    'refuses %j %j %j with its usage',
    async (...argv) => {
      const refused = expect.objectContaining({ code: 'command_invalid', detail: expect.stringContaining('usage:') });
      await expect(run(...argv)).rejects.toThrow(refused);
    },
  );
});
