import type { QueryRunner } from 'typeorm';
import { createHash, randomBytes } from 'node:crypto';
import { createTimedId } from '@vestibule/crypto';
import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { createDatabase, type Database } from '@vestibule/persistence';
import { NOW } from '../../testing/issuer.fixture-spec';
import { at, QUIET } from '../../testing/store.fixture-spec';
import { AddListCertificates1772582400001 } from './add-list-certificates.migration';
import { MIGRATIONS, SCHEMA } from './migrations';
import { createStatusListStore, type StatusListStore } from './status-list.store';

jest.setTimeout(180_000);

const FORMER = MIGRATIONS.slice(0, MIGRATIONS.indexOf(AddListCertificates1772582400001));
const CURRENT = [Buffer.from('the current certificate').toString('base64')];

let testDatabase: TestDatabase;
let database: Database;
beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = await open(FORMER);
});
afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

const open = (migrations: typeof MIGRATIONS) =>
  createDatabase({
    url: testDatabase.urls.issuer,
    schema: SCHEMA,
    applicationName: 'issuer test',
    migrations,
    logger: QUIET,
  });

async function upgrade(): Promise<StatusListStore> {
  await database.close();
  database = await open(MIGRATIONS);
  return createStatusListStore(database);
}

const tokenOf = (header: object) =>
  `${Buffer.from(JSON.stringify(header)).toString('base64url')}.payload.${randomBytes(64).toString('base64url')}`;

/** A list as the version before left it, with a credential that lives another year. */
async function formerList(header?: object, closedAt: Date | null = NOW): Promise<string> {
  const listId = randomBytes(16);
  const token = header && tokenOf(header);
  const [row] = await database.query<{ list_number: number }>(
    `INSERT INTO issuer.status_list (list_id, size, token, etag, published_version, published_at, closed_at)
     VALUES ($1, 1024, $2, $3, $4, $5, $6) RETURNING list_number`,
    [listId, token ?? null, token ? 'etag' : null, token ? 0 : null, token ? NOW : null, closedAt],
  );
  await database.query(
    'INSERT INTO issuer.status_entry (list_number, idx, offer_id, expires_at) VALUES ($1, 7, $2, $3)',
    [row?.list_number, Buffer.from(createTimedId(NOW, randomBytes), 'base64url'), at(31_536_000)],
  );
  return listId.toString('base64url');
}

const fingerprint = (x5c: readonly string[]) =>
  createHash('sha256')
    .update(Buffer.from(x5c[0] ?? '', 'base64'))
    .digest('hex');

async function ownerOf(listId: string) {
  const [row] = await database.query<{ x5c: string[] | null; certificate: Buffer | null; signed_with: Buffer | null }>(
    'SELECT x5c, certificate, signed_with FROM issuer.status_list WHERE list_id = $1',
    [Buffer.from(listId, 'base64url')],
  );
  return { x5c: row?.x5c, certificate: row?.certificate?.toString('hex'), isSignedWith: row?.signed_with !== null };
}

describe('lists of the version that did not know whose they are', () => {
  it('VCI:V3 belong to the certificate that signed their token, whatever stands in its header', async () => {
    // Certificates with every remainder of base64url, and with the characters that base64 writes differently.
    const chains = [0, 1, 2, 3].map((extra) =>
      [200 + extra, 300].map((length) => Buffer.alloc(length, 0xfb).toString('base64')),
    );
    const headers = chains.flatMap((x5c) => [
      { x5c, headers: { alg: 'ES256', typ: 'statuslist+jwt', x5c } },
      { x5c, headers: { x5c, kid: 'ключ-üñ\u2028" \\ ??>>~~' } },
    ]);
    const lists = [];
    for (const { x5c, headers: header } of headers) lists.push({ x5c, listId: await formerList(header) });
    await upgrade();
    for (const { x5c, listId } of lists) {
      expect(await ownerOf(listId)).toEqual({ x5c, certificate: fingerprint(x5c), isSignedWith: false });
    }
  });

  it('VCI:V3 go to the current certificate where no token tells: never published, or without a chain', async () => {
    const lists = [
      await formerList(undefined, null),
      await formerList(undefined),
      await formerList({ alg: 'ES256', kid: 'a key' }),
      await formerList({ alg: 'ES256', x5c: [] }),
    ];
    const store = await upgrade();
    for (const listId of lists) expect((await ownerOf(listId)).x5c).toBeNull();
    expect(await store.findOwners(NOW)).toEqual([]);
    await store.adopt(CURRENT, NOW);
    for (const listId of lists)
      expect(await ownerOf(listId)).toMatchObject({ x5c: CURRENT, certificate: fingerprint(CURRENT) });
    expect(await store.findOwners(NOW)).toEqual([
      { x5c: CURRENT, endsAt: at(31_536_000), lists: lists.length, issuers: [''] },
    ]);
  });

  it('VCI:V3 of a foreign certificate are not adopted, and take no more entries', async () => {
    const foreign = [Buffer.from('a certificate of somebody else').toString('base64')];
    const listId = await formerList({ x5c: foreign }, null);
    const store = await upgrade();
    await store.adopt(CURRENT, NOW);
    expect(await ownerOf(listId)).toMatchObject({ x5c: foreign, certificate: fingerprint(foreign) });
    const draw = { offerId: createTimedId(NOW, randomBytes), expiresAt: at(60), candidates: [1, 2], count: 1 };
    expect(await store.drawIndexes({ ...draw, x5c: CURRENT, issuer: '' })).toBeUndefined();
    await store.openList(
      { listId: randomBytes(16).toString('base64url'), size: 1_024, x5c: CURRENT, issuer: '' },
      undefined,
    );
    const drawn = await store.drawIndexes({ ...draw, x5c: CURRENT, issuer: '' });
    expect([drawn?.indexes.length, drawn?.listId === listId]).toEqual([1, false]);
    expect((await store.findOwners(NOW)).map(({ x5c }) => x5c)).toContainEqual(foreign);
  });

  it('are adopted once, by two replicas that start together, with at most one open', async () => {
    const listId = await formerList(undefined, null);
    const store = await upgrade();
    await store.openList(
      { listId: randomBytes(16).toString('base64url'), size: 1_024, x5c: CURRENT, issuer: '' },
      undefined,
    );
    const other = [Buffer.from('the certificate of another replica').toString('base64')];
    await Promise.all([store.adopt(CURRENT, NOW), store.adopt(other, NOW)]);
    const { x5c } = await ownerOf(listId);
    expect([CURRENT, other]).toContainEqual(x5c);
    const open = await database.query<{ x5c: string[] }>('SELECT x5c FROM issuer.status_list WHERE closed_at IS NULL');
    expect(open.length).toBe(x5c?.join() === CURRENT.join() ? 1 : 2);
  });

  it('VCI:V3 keep the credentials of a version that is run again: one list is open then', async () => {
    const [closed, opened] = [await formerList({ x5c: CURRENT }), await formerList({ x5c: CURRENT }, null)];
    const store = await upgrade();
    await store.openList(
      {
        listId: randomBytes(16).toString('base64url'),
        size: 1_024,
        x5c: [Buffer.from('x').toString('base64')],
        issuer: '',
      },
      undefined,
    );
    await database.transaction(({ manager }) =>
      new AddListCertificates1772582400001().down(manager.queryRunner as QueryRunner),
    );
    const rows = await database.query<{ list_id: Buffer; token: string }>(
      'SELECT list_id, token FROM issuer.status_list WHERE token IS NOT NULL ORDER BY list_number',
    );
    expect(rows.map(({ list_id }) => list_id.toString('base64url'))).toEqual([closed, opened]);
    const insert = 'INSERT INTO issuer.status_list (list_id, size) VALUES ($1, 1024)';
    await database.query(insert, [randomBytes(16)]);
    await expect(database.query(insert, [randomBytes(16)])).rejects.toMatchObject({ sqlState: '23505' });
  });
});
