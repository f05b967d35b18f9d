import { startBroker } from './nats-broker';
import { resolveServers } from './resolve-servers';
import { readTestEnvironment } from './test-environment';

jest.setTimeout(180_000);

async function resolve(environment: Record<string, string>) {
  const lines: string[] = [];
  const servers = await resolveServers({ environment, report: (line) => lines.push(line) });
  await servers.stop();
  return { lines, sources: [servers.postgres.source, servers.nats.source] };
}

describe('resolveServers', () => {
  const databaseUrl = readTestEnvironment().databaseUrl as string;

  it('takes the given servers and says so without the password', async () => {
    const broker = await startBroker();
    const { lines, sources } = await resolve({ TEST_DATABASE_URL: databaseUrl, TEST_NATS_URL: broker.url });
    expect(sources).toEqual(['given', 'given']);
    expect(lines).toHaveLength(2);
    expect(lines.join()).toContain('TEST_DATABASE_URL');
    expect(lines.join()).not.toContain(new URL(databaseUrl).password || 'no password');
    await broker.stop();
  });

  it('finds something else for the one that is not given', async () => {
    const { lines, sources } = await resolve({ TEST_DATABASE_URL: databaseUrl, NO_TESTCONTAINERS: '1' });
    expect(sources[0]).toBe('given');
    expect(['binary', 'embedded']).toContain(sources[1]);
    expect(lines.join()).toMatch(/NATS: .*(because|no container engine)/);
  });

  it('fails when a given server does not answer, instead of taking another one', async () => {
    const natsUrl = 'nats://127.0.0.1:1';
    const noNats = resolve({ TEST_DATABASE_URL: databaseUrl, TEST_NATS_URL: natsUrl });
    await expect(noNats).rejects.toMatchObject({ code: 'nats_unreachable' });
    const noDatabase = resolve({ TEST_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x', NO_TESTCONTAINERS: '1' });
    await expect(noDatabase).rejects.toMatchObject({ code: 'database_unreachable' });
  });
});
