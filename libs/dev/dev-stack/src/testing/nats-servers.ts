import { findProgram } from '../find-program';
import { startBroker } from '../nats-broker';
import { startNatsServer } from '../nats-server';
import { readTestEnvironment } from '../test-environment';

/** A NATS server to compare with the others. */
export interface NatsUnderTest {
  readonly title: string;
  start(): Promise<{ readonly url: string; stop(): Promise<void> }>;
}

/**
 * The embedded broker, and a real server if there is one: a `nats-server` binary, else the server of TEST_NATS_URL
 * unless that is the embedded broker.
 */
export function natsServersUnderTest(): readonly NatsUnderTest[] {
  const broker: NatsUnderTest = { title: 'the embedded broker', start: () => startBroker() };
  const { natsUrl, natsSource, searchPath } = readTestEnvironment();
  const binary = findProgram('nats-server', searchPath);
  if (binary !== undefined) return [broker, { title: `nats-server (${binary})`, start: () => startNatsServer(binary) }];
  if (natsUrl === undefined || natsSource === 'embedded') return [broker];
  const given = { url: natsUrl, stop: () => Promise.resolve() };
  return [broker, { title: 'the NATS server of TEST_NATS_URL', start: () => Promise.resolve(given) }];
}
