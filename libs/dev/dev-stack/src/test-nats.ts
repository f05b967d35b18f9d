import { Client } from 'pg';
import { findProgram } from './find-program';
import { startBroker } from './nats-broker';
import { startNatsServer } from './nats-server';
import { StackFailure } from './stack-failure';
import { readTestEnvironment } from './test-environment';

/** NATS for one stack of a test: no other stack answers the same subjects on it at the same time. */
export interface TestNats {
  readonly url: string;
  stop(): Promise<void>;
}

/** One server for several stacks: they take turns, with a lock in the tests' Postgres. */
async function takeTurn(url: string, databaseUrl: string): Promise<TestNats> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`SELECT pg_advisory_lock(hashtextextended('vestibule stack on a shared NATS', 0))`);
  return { url, stop: () => client.end() };
}

/**
 * A separate server if one can be started (a nats-server binary, or the embedded broker); else the shared one, of which
 * this stack is the only user until it stops.
 * @throws StackFailure `no_test_nats` outside of `npm test`
 */
export async function createTestNats(): Promise<TestNats> {
  const { natsUrl, natsSource, databaseUrl, searchPath } = readTestEnvironment();
  if (natsUrl === undefined || databaseUrl === undefined) {
    throw new StackFailure('no_test_nats', 'TEST_NATS_URL is not set: run the tests with npm test');
  }
  if (natsSource === 'embedded') return startBroker();
  const binary = natsSource === 'binary' ? findProgram('nats-server', searchPath) : undefined;
  return binary === undefined ? takeTurn(natsUrl, databaseUrl) : startNatsServer(binary);
}
