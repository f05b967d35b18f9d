import { withConnection } from './admin-connection';
import { startEmbeddedPostgres } from './embedded-postgres';
import { findProgram } from './find-program';
import { startBroker } from './nats-broker';
import { readNatsInfo, startNatsServer } from './nats-server';
import { StackFailure } from './stack-failure';
import { findContainerEngine, startNatsContainer, startPostgresContainer } from './test-containers';

/** The origin of a server for the tests. */
export type ServerSource = 'given' | 'container' | 'binary' | 'embedded';

export interface ResolvedServer {
  readonly url: string;
  readonly source: ServerSource;
  stop(): Promise<void>;
}

export interface ResolvedServers {
  /** Admin URL. */
  readonly postgres: ResolvedServer;
  readonly nats: ResolvedServer;
  stop(): Promise<void>;
}

export interface ResolveOptions {
  /** TEST_DATABASE_URL, TEST_NATS_URL, NO_TESTCONTAINERS and PATH are read from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called with one line for each server: what is used, and why. */
  readonly report: (line: string) => void;
}

const nothingToStop = () => Promise.resolve();

async function useGivenPostgres(url: string): Promise<ResolvedServer> {
  await withConnection(url, (client) => client.query('SELECT 1'));
  return { url, source: 'given', stop: nothingToStop };
}

async function useGivenNats(url: string): Promise<ResolvedServer> {
  if (await readNatsInfo(url)) return { url, source: 'given', stop: nothingToStop };
  throw new StackFailure('nats_unreachable', `no NATS server answers at ${new URL(url).host} (TEST_NATS_URL)`);
}

async function resolvePostgres({ environment, report }: ResolveOptions, hasEngine: boolean): Promise<ResolvedServer> {
  const given = environment['TEST_DATABASE_URL'];
  if (given) {
    report(`Postgres: the server at ${new URL(given).host}, because TEST_DATABASE_URL is set`);
    return useGivenPostgres(given);
  }
  if (hasEngine) {
    report('Postgres: a container, because a container engine answers (NO_TESTCONTAINERS=1 avoids it)');
    return { ...(await startPostgresContainer()), source: 'container' };
  }
  report('Postgres: the embedded one (real server binaries, temporary data), because there is no container engine');
  const { adminUrl, stop } = await startEmbeddedPostgres();
  return { url: adminUrl, source: 'embedded', stop };
}

async function resolveNats({ environment, report }: ResolveOptions, hasEngine: boolean): Promise<ResolvedServer> {
  const given = environment['TEST_NATS_URL'];
  if (given) {
    report(`NATS: the server at ${new URL(given).host}, because TEST_NATS_URL is set`);
    return useGivenNats(given);
  }
  if (hasEngine) {
    report('NATS: a container, because a container engine answers (NO_TESTCONTAINERS=1 avoids it)');
    return { ...(await startNatsContainer()), source: 'container' };
  }
  const binary = findProgram('nats-server', environment['PATH']);
  if (binary !== undefined) {
    report(`NATS: ${binary}, because it is installed and there is no container engine`);
    return { ...(await startNatsServer(binary)), source: 'binary' };
  }
  report('NATS: the embedded broker, because there is neither a container engine nor a nats-server');
  return { ...(await startBroker()), source: 'embedded' };
}

/**
 * Provides the Postgres and the NATS for the tests: TEST_DATABASE_URL and TEST_NATS_URL, else containers, else an
 * installed nats-server, else the embedded ones. Reports in one line for each what is used and why.
 * @throws StackFailure if a requested one does not answer
 */
export async function resolveServers(options: ResolveOptions): Promise<ResolvedServers> {
  const { environment } = options;
  const bothGiven = Boolean(environment['TEST_DATABASE_URL'] && environment['TEST_NATS_URL']);
  const hasEngine = !bothGiven && environment['NO_TESTCONTAINERS'] !== '1' && (await findContainerEngine());
  const started = await Promise.allSettled([resolvePostgres(options, hasEngine), resolveNats(options, hasEngine)]);
  const [postgres, nats] = started;
  const stop = async () => {
    for (const server of started) if (server.status === 'fulfilled') await server.value.stop();
  };
  if (postgres.status === 'fulfilled' && nats.status === 'fulfilled') {
    return { postgres: postgres.value, nats: nats.value, stop };
  }
  await stop();
  throw (postgres.status === 'rejected' ? postgres : (nats as PromiseRejectedResult)).reason;
}
