import { withConnection } from './admin-connection';
import { createTestDatabase, dropTestDatabases, type DatabaseTemplate } from './test-database';
import { readTestEnvironment } from './test-environment';

jest.setTimeout(180_000);

const count = (url: string, sql: string) =>
  withConnection(url, async (client) => Number((await client.query<{ count: string }>(sql)).rows[0]?.count));

describe('createTestDatabase', () => {
  it('gives a database with the schemas of the services, and drops it', async () => {
    const { databaseUrl } = readTestEnvironment();
    const database = await createTestDatabase();
    await withConnection(database.urls.issuer, (client) => client.query('CREATE TABLE offer (n int)'));
    expect(await count(database.adminUrl, 'SELECT count(*) FROM issuer.offer')).toBe(0);
    await database.drop();
    const left = `SELECT count(*) FROM pg_database WHERE datname = '${database.name}'`;
    expect(await count(databaseUrl as string, left)).toBe(0);
  });

  it('copies a template that is prepared once, and the copies do not share what they write', async () => {
    let prepared = 0;
    const template: DatabaseTemplate = {
      name: 'sample',
      async prepare(urls) {
        prepared += 1;
        await withConnection(urls.verifier, (client) => client.query('CREATE TABLE request (n int)'));
      },
    };
    const copies = await Promise.all([1, 2, 3].map(() => createTestDatabase(template)));
    expect(prepared).toBe(1);
    const [first, second] = copies as [(typeof copies)[0], (typeof copies)[0]];
    await withConnection(first.urls.verifier, (client) => client.query('INSERT INTO request VALUES (1)'));
    expect(await count(first.adminUrl, 'SELECT count(*) FROM verifier.request')).toBe(1);
    expect(await count(second.urls.verifier, 'SELECT count(*) FROM request')).toBe(0);
    for (const copy of copies) await copy.drop();
  });

  it('makes no template of what could not be prepared', async () => {
    const broken = { name: 'broken', prepare: () => Promise.reject(new Error('broken')) };
    await expect(createTestDatabase(broken)).rejects.toThrow('broken');
    await expect(createTestDatabase(broken)).rejects.toThrow('broken');
  });

  it('drops nothing of another run', async () => {
    const { databaseUrl } = readTestEnvironment();
    const database = await createTestDatabase();
    await dropTestDatabases(databaseUrl as string, 'ffffffffffffffff');
    expect(await count(database.adminUrl, 'SELECT 1 AS count')).toBe(1);
    await database.drop();
  });
});
