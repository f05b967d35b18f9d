import type { NatsConnection, NatsConnectionImpl } from '@nats-io/transport-node';

/** Less than this only prolongs a pause. */
const TOLERATED_MILLISECONDS = 1_000;

/** Returns whether the clock was set back since the last call; the first call compares with now. */
export function createClockWatch(
  clock: () => number = () => Date.now(),
  stopwatch: () => number = () => performance.now(),
): () => boolean {
  const sinceStart = (): number => clock() - stopwatch();
  let last = sinceStart();
  return () => {
    const before = last;
    last = sinceStart();
    return last < before - TOLERATED_MILLISECONDS;
  };
}

/**
 * The client library waits between two attempts to reach a server, by the clock. If that is set back, it would make none
 * until the clock shows the time of the last attempt again.
 */
export function forgetAttempts(connection: NatsConnection): void {
  for (const server of (connection as NatsConnectionImpl).protocol.servers.getServers()) server.lastConnect = 0;
}
