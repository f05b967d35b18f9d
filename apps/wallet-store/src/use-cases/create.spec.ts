import { randomBytes } from 'node:crypto';
import type { NewEntity, NewWallet } from '../domain/wallets';
import { createEntity } from './create-entity';
import { createWallet } from './create-wallet';

const now = new Date('2026-03-01T12:00:00.000Z');
const findTenant = (digest: string) => Promise.resolve(digest === 'known' ? 'tenant-1' : undefined);
const record = {
  Created: '2026-03-01T12:00:00.000Z',
  Updated: '2026-03-01T12:00:00.000Z',
  Revision: 1,
  MetaData: { Labels: {}, Annotations: {} },
};
const code = (expected: string) => expect.objectContaining({ code: expected });

function entities() {
  const inserted: { entity: NewEntity; idempotencyKey: string | undefined }[] = [];
  const create = createEntity({
    clock: () => now,
    random: randomBytes,
    findTenant,
    insertEntity: (entity, answer, idempotencyKey) => {
      inserted.push({ entity, idempotencyKey });
      return Promise.resolve(answer);
    },
  });
  return { create, inserted };
}

function wallets(owned = ['did:x:own']) {
  const inserted: { wallet: NewWallet; idempotencyKey: string | undefined }[] = [];
  const asked: string[] = [];
  const create = createWallet({
    clock: () => now,
    random: randomBytes,
    findTenant,
    ownsEntity: (tenant, did) => {
      asked.push(did);
      return Promise.resolve(tenant === 'tenant-1' && owned.includes(did));
    },
    insertWallet: (wallet, answer, idempotencyKey) => {
      inserted.push({ wallet, idempotencyKey });
      return Promise.resolve(answer);
    },
  });
  return { create, inserted, asked };
}

describe('createEntity', () => {
  it('answers a fresh did:key, whose private half goes to the store only', async () => {
    const { create, inserted } = entities();
    const answer = await create({ apiKeyDigest: 'known', idempotencyKey: 'key' });
    const [made] = inserted;
    expect(answer).toEqual({ EntityDid: made?.entity.key.did, ...record });
    expect(made).toMatchObject({ idempotencyKey: 'key', entity: { tenant: 'tenant-1' } });
    expect(made?.entity.key.privateKey).toHaveLength(32);
    expect((await create({ apiKeyDigest: 'known' })).EntityDid).not.toBe(answer.EntityDid);
  });

  it('makes nothing for an unknown API key', async () => {
    const { create, inserted } = entities();
    await expect(create({ apiKeyDigest: 'unknown' })).rejects.toThrow(code('api_key_invalid'));
    expect(inserted).toEqual([]);
  });
});

describe('createWallet', () => {
  it('answers a did:key of its own and the entity that owns it', async () => {
    const { create, inserted } = wallets();
    const answer = await create({ apiKeyDigest: 'known', entityDid: 'did:x:own', idempotencyKey: 'key' });
    expect(answer).toEqual({ WalletDid: inserted[0]?.wallet.key.did, EntityDid: 'did:x:own', ...record });
    expect(inserted[0]).toMatchObject({
      idempotencyKey: 'key',
      wallet: { tenant: 'tenant-1', entityDid: 'did:x:own' },
    });
  });

  it.each(['did:x:foreign', 'did:x:own\u0000'])(
    'makes nothing for the entity %j of nobody we know',
    async (entityDid) => {
      const { create, inserted } = wallets();
      const creating = create({ apiKeyDigest: 'known', entityDid });
      await expect(creating).rejects.toThrow(code('entity_not_found'));
      expect(inserted).toEqual([]);
    },
  );

  it('never asks the store for a text that it cannot hold', async () => {
    const { create, asked } = wallets();
    await create({ apiKeyDigest: 'known', entityDid: 'did:x:\u0000' }).catch(() => undefined);
    expect(asked).toEqual([]);
  });

  it('judges the API key before the entity', async () => {
    const { create, asked } = wallets();
    const creating = create({ apiKeyDigest: 'unknown', entityDid: 'did:x:own' });
    await expect(creating).rejects.toThrow(code('api_key_invalid'));
    expect(asked).toEqual([]);
  });
});
