import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { withConnection } from './admin-connection';
import { joinSharedStage } from './join-stage';
import { startStageProcess, type StageProcess } from './stage-process';
import { dropTestDatabases } from './test-database';
import { readTestEnvironment } from './test-environment';
import { startTestStage } from './test-stage';

/** Child processes of this one, whatever they are. */
function findChildren(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${process.pid}\n`);
      } catch {
        return false;
      }
    });
}

const countServers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length;

async function countDatabases(): Promise<number> {
  const { databaseUrl, runId } = readTestEnvironment();
  const { rows } = await withConnection(databaseUrl as string, (client) =>
    client.query('SELECT FROM pg_database WHERE starts_with(datname, $1)', [`vestibule_test_${runId?.slice(0, 8)}`]),
  );
  return rows.length;
}

describe('a stage', () => {
  // A run of its own, for other test files make and drop databases of theirs meanwhile.
  // eslint-disable-next-line no-restricted-properties -- what the global set-up leaves to the test files
  const environment = process.env;
  const before = environment['TEST_RUN_ID'];
  const ownRun = randomBytes(16).toString('hex');
  beforeAll(() => (environment['TEST_RUN_ID'] = ownRun));
  afterAll(async () => {
    environment['TEST_RUN_ID'] = before;
    await dropTestDatabases(readTestEnvironment().databaseUrl as string, ownRun);
  });

  it('of which one part does not start leaves nothing running and nothing behind', async () => {
    const found = [findChildren(), countServers(), await countDatabases()];
    expect(found[2]).toBe(0);
    const starting = startTestStage({
      apps: ['gateway', 'verifier'],
      doors: 2,
      environment: { verifier: { BASE_URL: 'nonsense' } },
    });
    await expect(starting).rejects.toMatchObject({ code: 'app_not_ready' });
    expect([findChildren(), countServers(), await countDatabases()]).toEqual(found);
  });
});

describe('a shared stage', () => {
  let host: StageProcess;
  beforeEach(async () => {
    // eslint-disable-next-line no-restricted-properties -- the host gets the environment of the tests
    host = await startStageProcess(process.env);
  });
  afterEach(() => host?.stop());

  const join = (facts: unknown, options = {}) => joinSharedStage({ name: 'shared', options, facts }, host.url);

  it('is started by the first one that joins, for all, and ends with the host', async () => {
    const [one, other] = await Promise.all([
      join('first', { apps: ['gateway', 'verifier'], doors: 1 }),
      join('second'),
    ]);
    expect([one.facts, other.facts]).toEqual(['first', 'first']);
    expect(other.managementUrl).toBe(one.managementUrl);
    expect((await fetch(`${one.managementUrl}/health/live`)).status).toBe(200);
    expect(await other.callbacksAbout('nobody', 0)).toEqual([]);

    const server = createServer((_request, response) => response.end('from the test'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const door = await one.openDoor((server.address() as AddressInfo).port);
    expect(await (await fetch(`http://127.0.0.1:${door}/`)).text()).toBe('from the test');
    await expect(other.openDoor(1)).rejects.toMatchObject({ code: 'stage_host_failed' });
    await one.leave();
    expect(await other.openDoor((server.address() as AddressInfo).port)).toBe(door);
    await other.leave();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));

    await host.stop();
    await expect(fetch(`${one.managementUrl}/health/live`)).rejects.toThrow();
  });

  it('never closes the connection of one who asks again: none of its answers sets a time', async () => {
    const answer = await fetch(`${host.url}/callbacks`, { method: 'POST', body: '{"name":"nobody"}' });
    await answer.text();
    expect([answer.headers.get('connection'), answer.headers.get('keep-alive')]).toEqual(['keep-alive', null]);
  });

  it('that does not start says why to each that wanted to join', async () => {
    const wrong = { apps: ['gateway', 'verifier'], environment: { verifier: { BASE_URL: 'nonsense' } } };
    const joining = await Promise.allSettled([join('first', wrong), join('second', wrong)]);
    for (const outcome of joining) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'stage_host_failed' } });
      expect(String((outcome as PromiseRejectedResult).reason)).toMatch(/verifier ended .*BASE_URL/s);
    }
  });
});
