import { createECDH, createHash, randomBytes } from 'node:crypto';
import { encodeBase64url } from '@vestibule/foundation';
import { didKeyOf } from '@vestibule/vcdm';
import { openWalletStore, type Tenant, type WalletStoreStage } from './testing/wallet-store.fixture-spec';

const code = (expected: string) => expect.objectContaining({ code: expected });
let stage: WalletStoreStage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openWalletStore();
  tenant = await stage.newTenant();
});
afterAll(() => stage.close());

const rowsOf = (table: string) => stage.outside<{ count: number }>(`SELECT count(*)::int FROM wallet_store.${table}`);
const countOf = async (table: string) => (await rowsOf(table))[0]?.count ?? -1;

function publicJwkOf(privateKey: Uint8Array) {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  const point = ecdh.getPublicKey();
  const [x, y] = [encodeBase64url(point.subarray(1, 33)), encodeBase64url(point.subarray(33))];
  return { kty: 'EC' as const, crv: 'P-256' as const, x, y };
}

describe('entities and wallets in Postgres', () => {
  it.each(['entity', 'wallet'] as const)(
    'an %s has a did:key, whose private key is sealed in its row',
    async (table) => {
      const [row] = await stage.outside<{ did: string; private_key: Buffer; revision: number }>(
        `SELECT did, private_key, revision FROM wallet_store.${table} WHERE did = ANY ($1)`,
        [Object.values(tenant.owner)],
      );
      const privateKey = stage.sealer.open(row?.private_key as Buffer, `wallet_store.${table}.private_key/${row?.did}`);
      expect(privateKey).toHaveLength(32);
      expect(didKeyOf(publicJwkOf(privateKey))).toBe(row?.did);
      expect(row?.revision).toBe(1);
      const [{ dump } = { dump: '' }] = await stage.outside<{ dump: string }>(
        `SELECT string_agg(t::text, '') AS dump FROM wallet_store.${table} t`,
      );
      expect(dump).toContain(row?.did);
      expect(dump).not.toContain(privateKey.toString('hex'));
      expect(dump).not.toContain(privateKey.toString('base64'));
    },
  );

  it('a private key opens only in its own row', async () => {
    const [row] = await stage.outside<{ private_key: Buffer }>(
      'SELECT private_key FROM wallet_store.entity WHERE did = $1',
      [tenant.owner.entityDid],
    );
    const context = `wallet_store.wallet.private_key/${tenant.owner.walletDid}`;
    expect(() => stage.sealer.open(row?.private_key as Buffer, context)).toThrow(code('seal_broken'));
  });

  it('the entity of another tenant gets no wallet: the same entity_not_found as an unknown one', async () => {
    const foreign = await stage.newTenant();
    const before = await countOf('wallet');
    const failures = await Promise.all(
      [foreign.owner.entityDid, 'did:key:zUnknown', tenant.owner.walletDid, 'did:x:\u0000'].map((entityDid) =>
        stage.store.createWallet({ apiKeyDigest: tenant.apiKeyDigest, entityDid }).catch((error: unknown) => error),
      ),
    );
    const [first] = failures;
    expect(first).toEqual(code('entity_not_found'));
    for (const failure of failures) expect(failure).toEqual(first);
    expect(await countOf('wallet')).toBe(before);
  });

  it('one entity can own several wallets', async () => {
    const input = { apiKeyDigest: tenant.apiKeyDigest, entityDid: tenant.owner.entityDid };
    const made = [await stage.store.createWallet(input), await stage.store.createWallet(input)];
    expect(new Set(made.map(({ WalletDid }) => WalletDid)).size).toBe(2);
    expect(made.map(({ EntityDid }) => EntityDid)).toEqual([input.entityDid, input.entityDid]);
  });
});

describe('Idempotency-Key', () => {
  const newKey = () => randomBytes(32).toString('hex');

  it('makes one entity of parallel and of later calls with one key', async () => {
    const input = { apiKeyDigest: tenant.apiKeyDigest, idempotencyKey: newKey() };
    const before = await countOf('entity');
    const answers = await Promise.all(Array.from({ length: 8 }, () => stage.store.createEntity(input)));
    answers.push(await stage.store.createEntity(input));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await countOf('entity')).toBe(before + 1);
  });

  it('is a conflict for another entity, and free for another operation or tenant', async () => {
    const { apiKeyDigest, owner } = tenant;
    const idempotencyKey = newKey();
    const other = await stage.store.createEntity({ apiKeyDigest });
    const first = await stage.store.createWallet({ apiKeyDigest, entityDid: owner.entityDid, idempotencyKey });
    const again = await stage.store.createWallet({ apiKeyDigest, entityDid: owner.entityDid, idempotencyKey });
    expect(again).toEqual(first);
    const conflicting = stage.store.createWallet({ apiKeyDigest, entityDid: other.EntityDid, idempotencyKey });
    await expect(conflicting).rejects.toThrow(code('idempotency_conflict'));
    await expect(stage.store.createEntity({ apiKeyDigest, idempotencyKey })).resolves.toBeDefined();
    const foreign = await stage.newTenant();
    const theirs = { apiKeyDigest: foreign.apiKeyDigest, entityDid: foreign.owner.entityDid, idempotencyKey };
    expect((await stage.store.createWallet(theirs)).WalletDid).not.toBe(first.WalletDid);
  });
});

describe('API keys', () => {
  const digestOf = (key: string) => createHash('sha256').update(key).digest();
  const tenantsOf = async (name: string) => {
    const rows = await stage.outside<{ keys: number }>(
      `SELECT count(k.*)::int AS keys FROM wallet_store.tenant t LEFT JOIN wallet_store.api_key k ON k.tenant_id = t.id
       WHERE t.name = $1 GROUP BY t.id`,
      [name],
    );
    return rows.map(({ keys }) => keys);
  };

  it('an unknown one is api_key_invalid for every call', async () => {
    const apiKeyDigest = digestOf('unknown').toString('base64url');
    const { owner } = tenant;
    const list = { apiKeyDigest, ...owner, queryMode: 'All' as const, getBodies: false, limit: 1 };
    const calls = [
      stage.store.createEntity({ apiKeyDigest }),
      stage.store.createWallet({ apiKeyDigest, entityDid: owner.entityDid }),
      stage.store.listEntities({ apiKeyDigest, limit: 1 }),
      stage.store.listWallets({ apiKeyDigest, limit: 1 }),
      stage.store.getCredential({ apiKeyDigest, ...owner, credentialDid: 'did:x:1' }),
      stage.store.getPresentation({ apiKeyDigest, ...owner, presentationDid: 'did:x:1', queryMode: 'All' }),
      stage.store.listCredentials(list),
      stage.store.listPresentations(list),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toEqual({ status: 'rejected', reason: code('api_key_invalid') });
    }
  });

  it('a revoked one is api_key_invalid, and installing it again does not bring it back', async () => {
    const revoked = await stage.newTenant();
    await stage.outside('UPDATE wallet_store.api_key SET revoked_at = now() WHERE key_digest = $1', [
      revoked.keyDigest,
    ]);
    const { apiKeyDigest } = revoked;
    await expect(stage.store.createEntity({ apiKeyDigest })).rejects.toThrow(code('api_key_invalid'));
    await stage.tenants.install('default', revoked.keyDigest);
    await expect(stage.store.createEntity({ apiKeyDigest })).rejects.toThrow(code('api_key_invalid'));
  });

  it('the first one is installed once, however often and by how many replicas', async () => {
    const digest = digestOf('a first key');
    await Promise.all(Array.from({ length: 8 }, () => stage.tenants.install('first', digest)));
    await stage.tenants.install('first', digest);
    expect(await tenantsOf('first')).toEqual([1]);
    await stage.tenants.install('first', digestOf('a second key'));
    expect(await tenantsOf('first')).toEqual([2]);
    const apiKeyDigest = digest.toString('base64url');
    const entity = await stage.store.createEntity({ apiKeyDigest });
    const second = digestOf('a second key').toString('base64url');
    await expect(
      stage.store.createWallet({ apiKeyDigest: second, entityDid: entity.EntityDid }),
    ).resolves.toBeDefined();
  });

  it('only a digest of 32 bytes is stored', async () => {
    const [row] = await stage.outside<{ sizes: number[] }>(
      'SELECT array_agg(DISTINCT octet_length(key_digest)) AS sizes FROM wallet_store.api_key',
    );
    expect(row?.sizes).toEqual([32]);
    await expect(stage.tenants.install('short', Buffer.from('a key in clear'))).rejects.toThrow(code('database_error'));
  });
});
