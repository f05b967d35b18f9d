import { execFileSync } from 'node:child_process';
import { Client } from 'pg';
import type { Installation } from './world';

/** Figures that must not grow without bound. */
export interface Footprint {
  /** Resident memory of each process in MiB. */
  readonly memory: Readonly<Record<string, number>>;
  /** Connections of each service to Postgres. */
  readonly connections: Readonly<Record<string, number>>;
  /** Undelivered events in the outboxes, and dead letters. */
  readonly waiting: number;
  readonly dead: number;
}

const KIB_PER_MIB = 1024;
/** A fresh Node process with everything loaded, plus room for its heap. */
const MOST_MEMORY_MIB = 400;
const POOL_SIZE = 10;
const REPLICAS = 2;

function residentMemory(pid: number): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / KIB_PER_MIB);
}

/** Measures a world in which every process is running. */
export async function measureFootprint(world: Installation): Promise<Footprint> {
  const client = new Client({ connectionString: world.databaseUrl() });
  await client.connect();
  try {
    const connections = await client.query<{ name: string; count: number }>(
      `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
       WHERE application_name IN ('verifier', 'issuer', 'wallet-store') GROUP BY 1 ORDER BY 1`,
    );
    const outbox = await client.query<{ waiting: number; dead: number }>(
      `SELECT count(*) FILTER (WHERE dead_at IS NULL)::int AS waiting, count(dead_at)::int AS dead
       FROM (SELECT dead_at FROM verifier.callback UNION ALL SELECT dead_at FROM issuer.callback) AS callback`,
    );
    return {
      memory: Object.fromEntries(world.stack.processes.map(({ label, pid = 0 }) => [label, residentMemory(pid)])),
      connections: Object.fromEntries(connections.rows.map(({ name, count }) => [name, count])),
      waiting: outbox.rows[0]?.waiting ?? 0,
      dead: outbox.rows[0]?.dead ?? 0,
    };
  } finally {
    await client.end();
  }
}

/** The leaks that a footprint reveals. */
export function findLeaks({ memory, connections, waiting, dead }: Footprint): string[] {
  const large = Object.entries(memory).filter(([, mebibytes]) => mebibytes > MOST_MEMORY_MIB);
  const many = Object.entries(connections).filter(([, count]) => count > POOL_SIZE * REPLICAS);
  return [
    ...large.map(([label, mebibytes]) => `${label} holds ${mebibytes} MiB, more than ${MOST_MEMORY_MIB}`),
    ...many.map(([name, count]) => `${name} holds ${count} connections to Postgres, more than its pools`),
    ...(waiting > 0 ? [`${waiting} events are still in the outbox`] : []),
    ...(dead > 0 ? [`${dead} events became dead letters`] : []),
  ];
}
