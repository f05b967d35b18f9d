import { choosePort, findProgram, startNatsServer, StackFailure, type NatsServerProcess } from '@vestibule/dev-stack';

/** Three NATS servers that route to each other. */
export interface NatsCluster {
  /** The value of NATS_URL: every server. */
  readonly urls: string;
  readonly size: number;
  /** SIGKILL. */
  kill(number: number): Promise<void>;
  /** Starts a killed server again, at its address. */
  start(number: number): Promise<void>;
  stop(): Promise<void>;
}

const SIZE = 3;
const anyPort = () => choosePort(0, 0);

interface Addresses {
  readonly client: number;
  readonly route: number;
}

function argumentsOf({ client, route }: Addresses, all: readonly Addresses[], configuration: string): string[] {
  const routes = all.map((one) => `nats://127.0.0.1:${one.route}`).join(',');
  const cluster = ['--cluster_name', 'vestibule', '--cluster', `nats://127.0.0.1:${route}`, '--routes', routes];
  return ['-c', configuration, '-p', String(client), ...cluster];
}

/**
 * Starts a cluster of `nats-server`.
 * @throws StackFailure `no_nats_server` without the program
 */
export async function startNatsCluster(searchPath: string | undefined, configuration: string): Promise<NatsCluster> {
  const binary = findProgram('nats-server', searchPath);
  if (binary === undefined) throw new StackFailure('no_nats_server', 'a cluster needs the program nats-server');
  const all: Addresses[] = [];
  while (all.length < SIZE) all.push({ client: await anyPort(), route: await anyPort() });
  const servers = new Map<number, NatsServerProcess>();
  const start = async (number: number): Promise<void> => {
    const own = all[number];
    if (own) servers.set(number, await startNatsServer(binary, argumentsOf(own, all, configuration)));
  };
  for (const number of all.keys()) await start(number);
  return {
    urls: all.map(({ client }) => `nats://127.0.0.1:${client}`).join(','),
    size: SIZE,
    start,
    async kill(number) {
      await servers.get(number)?.kill();
      servers.delete(number);
    },
    stop: async () => void (await Promise.all([...servers.values()].map((server) => server.stop()))),
  };
}
