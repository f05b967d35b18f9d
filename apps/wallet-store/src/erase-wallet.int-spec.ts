import { randomBytes } from 'node:crypto';
import { createIdempotency } from '@vestibule/persistence';
import { until } from '@vestibule/testkit';
import { buildCredential, canonicalize, createDidKey, signCredential } from '@vestibule/vcdm';
import { createWalletEraser } from './adapters/postgres/erasure.store';
import { SCHEMA } from './adapters/postgres/migrations';
import { CURRENT, draftCalls, OLD, openSchemas, VALUES, type SchemaStage } from './testing/schemas.fixture-spec';
import type { Tenant } from './testing/wallet-store.fixture-spec';
import { eraseWallet } from './use-cases/erase-wallet';

const code = (expected: string) => expect.objectContaining({ code: expected });
const KEY = { idempotencyKey: 'k'.repeat(32) };
const EMPTY = { data: { schema: { schema: { fields: [] } } } };
/** Ends the session of whoever waits for a row. */
const END_WAITING = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
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
  const erase = eraseWallet({ erase: createWalletEraser({ database, forget }) });
  run = (...argv) => erase(argv);
  const { EntityDid: entityDid } = { EntityDid: tenant.owner.entityDid };
  const { WalletDid: walletDid } = await stage.store.createWallet({ apiKeyDigest: tenant.apiKeyDigest, entityDid });
  sibling = { entityDid, walletDid };
});
afterAll(() => stage.close());

const nameOf = async (id: string) =>
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

/** A credential from elsewhere. */
function issued() {
  const issuer = createDidKey(randomBytes);
  const document = buildCredential({
    ...{ id: createDidKey(randomBytes).did, types: [], issuerDid: issuer.did, validUntil: undefined },
    ...{ contexts: [], credentialSubject: { id: 'did:example:ada' }, credentialSchema: [] },
  });
  const contexts = { find: async () => undefined, isOwn: () => false, findTexts: async () => [] };
  return signCredential(document, { signer: issuer, now: new Date(), contexts, canonicalize });
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
    const draft = { ...stage.asTenant(), body: EMPTY };
    await stage.schemas.createDraft({ ...draft, ...owner, ...KEY });
    await stage.schemas.createDraft({ ...draft, ...sibling, idempotencyKey: 's'.repeat(32) });
    await stage.store.createWallet({ apiKeyDigest, entityDid: owner.entityDid, ...KEY });
    expect(await run('--tenant', await nameOf(tenant.id), '--wallet', owner.walletDid)).toEqual([
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
    await expect(run('--tenant', await nameOf(tenant.id), '--wallet', walletDid)).rejects.toThrow(
      code('wallet_not_found'),
    );
    await expect(run('--tenant', 'nobody', '--wallet', walletDid)).rejects.toThrow(code('wallet_not_found'));
    expect(await dump()).toContain(walletDid);
    await run('--tenant', await nameOf(foreign.id), '--wallet', walletDid);
    const again = run('--tenant', await nameOf(foreign.id), '--wallet', walletDid);
    await expect(again).rejects.toThrow(code('wallet_not_found'));
  });

  it('makes room for a new default wallet', async () => {
    const foreign = await stage.newTenant();
    const caller = { ...stage.asTenant(undefined, foreign), body: EMPTY };
    const placeOf = async () => (await stage.schemas.createDraft(caller)).data['wallet_did'] as string;
    const first = await placeOf();
    await run('--tenant', await nameOf(foreign.id), '--wallet', first);
    const second = await placeOf();
    expect([second === first, second === (await placeOf())]).toEqual([false, true]);
  });

  it('what is written into the wallet at the same time finds no wallet, and leaves nothing', async () => {
    const foreign = await stage.newTenant();
    const { wallets } = stage.adapters;
    const owned = { ...foreign.owner };
    // The wallet is found, and erased before the draft is written.
    expect(await wallets.ownsWallet(foreign.id, owned)).toBe(true);
    await run('--tenant', await nameOf(foreign.id), '--wallet', owned.walletDid);
    await expect(stage.newDraft(foreign)).rejects.toThrow(code('wallet_not_found'));
    expect(await dump()).not.toContain(owned.walletDid);
  });

  it('has done nothing if its process dies in the middle, and does all when it is repeated', async () => {
    const { apiKeyDigest, id, owner } = await stage.newTenant();
    await stage.schemas.createDraft({ apiKeyDigest, version: CURRENT, ...owner, body: EMPTY, ...KEY });
    const name = await nameOf(id);
    const erase = () => run('--tenant', name, '--wallet', owner.walletDid);
    const outcome = await stage.database.transaction(async ({ query }) => {
      await query('SELECT 1 FROM wallet_store.idempotency_key FOR UPDATE');
      const erasing = erase().then(
        () => 'erased',
        () => 'died',
      );
      await until(async () => (await stage.outside(END_WAITING)).length === 1);
      return erasing;
    });
    expect([outcome, (await dump()).includes(owner.walletDid)]).toEqual(['died', true]);
    expect((await erase()).slice(1)).toEqual(['credentials\t1', 'presentations\t0', 'answers\t1']);
    expect(await dump()).not.toContain(owner.walletDid);
  });

  it('forgets the answers to all calls that create something in a wallet, in both versions', async () => {
    const { apiKeyDigest, id, owner } = await stage.newTenant();
    const of = { apiKeyDigest, ...owner };
    await stage.schemas.createDraft({ ...of, version: CURRENT, body: EMPTY, ...KEY });
    await stage.schemas.createDraft({ ...of, version: OLD, body: EMPTY, idempotencyKey: 'o'.repeat(32) });
    const { CredentialDid } = await stage.store.importCredential({ ...of, document: await issued(), ...KEY });
    await stage.store.createPresentation({ ...of, credentialDids: [CredentialDid], ...KEY });
    const lines = await run('--tenant', await nameOf(id), '--wallet', owner.walletDid);
    expect(lines.slice(1)).toEqual(['credentials\t3', 'presentations\t1', 'answers\t4']);
  });

  it('erases although there are answers that no key opens, and counts them', async () => {
    const { apiKeyDigest, id, owner } = await stage.newTenant();
    await stage.outside(
      `INSERT INTO wallet_store.idempotency_key VALUES ('broken', 'input', 'answer', now() + interval '1 day')`,
    );
    await stage.schemas.createDraft({ apiKeyDigest, version: CURRENT, ...owner, body: EMPTY, ...KEY });
    const lines = await run('--tenant', await nameOf(id), '--wallet', owner.walletDid);
    expect(lines.slice(1)).toEqual(['credentials\t1', 'presentations\t0', 'answers\t1', 'unreadable answers\t1']);
    await stage.outside(`DELETE FROM wallet_store.idempotency_key WHERE key_digest = 'broken'`);
  });

  it.each([[], ['--tenant', 'a'], ['--wallet', 'did:x:1'], ['--tenant', 'a', '--wallet']])(
    'refuses %j %j %j with its usage',
    async (...argv) => {
      const refused = expect.objectContaining({ code: 'command_invalid', detail: expect.stringContaining('usage:') });
      await expect(run(...argv)).rejects.toThrow(refused);
    },
  );
});
