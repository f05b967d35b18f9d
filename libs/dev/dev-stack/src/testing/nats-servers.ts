import { findProgram } from '../find-program';
import { startBroker } from '../nats-broker';
import { startNatsServer } from '../nats-server';
import { readTestEnvironment } from '../test-environment';

/** A NATS server to hold against the others. */
export interface NatsUnderTest {
  readonly title: string;
  start(): Promise<{ readonly url: string; stop(): Promise<void> }>;
}

/**
 * The embedded broker, and the real thing when there is one: a `nats-server` binary, else the server of TEST_NATS_URL
 * if that is none of ours.
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
