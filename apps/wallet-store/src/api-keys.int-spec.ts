import { createHash, randomBytes } from 'node:crypto';
import { openWalletStore, type WalletStoreStage } from './testing/wallet-store.fixture-spec';
import { manageApiKeys } from './use-cases/manage-api-keys';

const code = (expected: string) => expect.objectContaining({ code: expected });
let stage: WalletStoreStage;
let run: (...argv: string[]) => Promise<readonly string[]>;

beforeAll(async () => {
  stage = await openWalletStore();
  const { tenants } = stage;
  const manage = manageApiKeys({
    random: randomBytes,
    install: (tenant, digest) => tenants.install(tenant, digest),
    list: (tenant) => tenants.list(tenant),
    revoke: (id) => tenants.revoke(id),
  });
  run = (...argv) => manage(argv);
});
afterAll(() => stage.close());

const valueOf = (lines: readonly string[], name: string) =>
  lines.find((line) => line.startsWith(`${name}\t`))?.split('\t')[1] ?? '';
const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url');
const makeEntity = (key: string) => stage.store.createEntity({ apiKeyDigest: digestOf(key) });

describe('the operator command api-keys', () => {
  it('makes a key of a tenant, shows it once and stores its digest only', async () => {
    const made = await run('create', '--tenant', 'acme');
    const key = valueOf(made, 'key');
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    await expect(makeEntity(key)).resolves.toBeDefined();
    expect((await run('list')).join()).not.toContain(key);
    const [{ dump } = { dump: '' }] = await stage.outside<{ dump: string }>(
      `SELECT string_agg(k::text, '') AS dump FROM wallet_store.api_key k`,
    );
    expect(dump).toContain(Buffer.from(digestOf(key), 'base64url').toString('hex'));
    expect(dump).not.toContain(key);
    expect(dump).not.toContain(Buffer.from(key).toString('hex'));
  });

  it('gives two keys of one tenant the same entities, and those of another tenant others', async () => {
    const [first, second, other] = [
      valueOf(await run('create', '--tenant', 'twice'), 'key'),
      valueOf(await run('create', '--tenant', 'twice'), 'key'),
      valueOf(await run('create', '--tenant', 'other'), 'key'),
    ];
    const { EntityDid: entityDid } = await makeEntity(first);
    const makeWallet = (key: string) => stage.store.createWallet({ apiKeyDigest: digestOf(key), entityDid });
    await expect(makeWallet(second)).resolves.toBeDefined();
    await expect(makeWallet(other)).rejects.toThrow(code('entity_not_found'));
  });

  it('lists the keys of all tenants or of one, and revokes one for ever', async () => {
    const made = await run('create', '--tenant', 'listed');
    const id = valueOf(made, 'id');
    expect(await run('list', '--tenant', 'listed')).toEqual([
      expect.stringMatching(new RegExp(`^${id}\tlisted\t\\d{4}-.*Z\tvalid$`)),
    ]);
    expect((await run('list')).length).toBeGreaterThan(1);
    expect(await run('revoke', '--id', id)).toEqual([`revoked\t${id}`]);
    await expect(makeEntity(valueOf(made, 'key'))).rejects.toThrow(code('api_key_invalid'));
    expect(await run('list', '--tenant', 'listed')).toEqual([expect.stringMatching(/\trevoked \d{4}-.*Z$/)]);
    await expect(run('revoke', '--id', id)).rejects.toThrow(code('api_key_not_found'));
  });

  it('knows the keys that hold among any others, in one statement', async () => {
    const made = [await run('create', '--tenant', 'known'), await run('create', '--tenant', 'gone')];
    const [held, revoked] = made.map((lines) => digestOf(valueOf(lines, 'key'))) as [string, string];
    await run('revoke', '--id', valueOf(made[1] ?? [], 'id'));
    const others = Array.from({ length: 254 }, () => digestOf(randomBytes(16).toString('hex')));
    expect(await stage.tenants.findKnown([...others, revoked, held])).toEqual([held]);
    expect(await stage.tenants.findKnown(others)).toEqual([]);
  });

  it.each([
    [],
    ['make'],
    ['create'],
    ['create', '--tenant'],
    ['create', '--tenant', 'Acme'],
    ['create', '--tenant', '-a'],
    ['create', '--tenant', 'a', '--tenant', 'b'],
    ['create', '--name', 'a'],
    ['list', 'acme'],
    ['revoke', '--id', 'xyz'],
    ['revoke'],
  ])('refuses %j %j %j %j %j with its usage', async (...argv) => {
    const refused = expect.objectContaining({ code: 'command_invalid', detail: expect.stringContaining('usage:') });
    await expect(run(...argv)).rejects.toThrow(refused);
  });
});
