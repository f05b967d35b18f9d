import type { AppProcess, Stack } from '@vestibule/dev-stack';
import type { Checkout } from './checkout';
import { startDriver, type Driver } from './driver-process';
import { BenchFailure } from './failure';
import { measuredApp, measuredServer, type MeasuredProcess } from './measured-process';
import { startBenchServers, type BenchServers } from './servers';

/** A stack with its servers and the driver that uses it. */
export interface RunningStack {
  readonly servers: BenchServers;
  readonly driver: Driver;
  readonly processes: readonly MeasuredProcess[];
  /** The driver: the wallets and the backend of all flows. */
  readonly wallets: MeasuredProcess;
  /** Of the database's superuser, bypassing any proxy. */
  readonly adminUrl: string;
  /** Rejects when a process ends unexpectedly; never resolves. */
  readonly broken: Promise<never>;
  /** Creates the wallets, each with a credential. */
  open(): Promise<void>;
  stop(): Promise<void>;
}

/** The addresses for the services, instead of the servers' own. */
export interface Redirection {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  stop(): Promise<void>;
}

export interface StackWish {
  readonly checkout: Checkout;
  /** The number of verifier and of issuer processes. */
  readonly replicas: number;
  readonly wallets: number;
  /** Whether credential requests and their answers are encrypted. */
  readonly encrypted: boolean;
  /** PATH, in which a nats-server may be found. */
  readonly searchPath: string | undefined;
  /** Inserts proxies between the services and their servers. */
  readonly redirect?: (servers: BenchServers) => Promise<Redirection>;
}

type Stop = () => Promise<void>;

async function stopAll(stops: Stop[]): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}

function processesOf(stack: Stack, servers: BenchServers): MeasuredProcess[] {
  const apps = stack.processes.map((process: AppProcess) =>
    measuredApp(process.app, () => process.pid, new URL('/metrics', process.readyUrl).href),
  );
  return [...apps, measuredServer('postgres', servers.postgres.pid), measuredServer('nats', servers.nats.pid)];
}

/**
 * Starts servers, a driver and the stack of a checkout on them. All of it ends with this process.
 * @throws BenchFailure or the StackFailure of the checkout, which name what failed
 */
export async function startRunningStack(wish: StackWish): Promise<RunningStack> {
  const stops: Stop[] = [];
  try {
    const servers = await startBenchServers(wish.searchPath);
    stops.push(servers.stop);
    const driver = await startDriver();
    stops.push(driver.stop);
    const redirection = await wish.redirect?.(servers);
    if (redirection) stops.push(redirection.stop);
    let reportEnd: (reason: BenchFailure) => void = () => undefined;
    const broken = new Promise<never>((_resolve, reject) => (reportEnd = reject));
    broken.catch(() => undefined);
    const stack = await wish.checkout.startStack({
      databaseUrl: redirection?.databaseUrl ?? servers.postgres.url,
      natsUrl: redirection?.natsUrl ?? servers.nats.url,
      callbackUrl: driver.callbackUrl,
      ports: { management: 0, public: 0 },
      replicas: { verifier: wish.replicas, issuer: wish.replicas },
      environment: { gateway: { RATE_LIMIT_PER_MINUTE: '0' } },
      onUnexpectedExit: (process) => reportEnd(new BenchFailure('process_ended', process.describeEnd())),
    });
    stops.push(() => stack.stop());
    const { managementUrl, issuerUrl } = stack;
    return {
      servers,
      driver,
      processes: processesOf(stack, servers),
      wallets: measuredServer('wallets', driver.pid),
      adminUrl: servers.postgres.url,
      broken,
      open: () => {
        const { wallets, encrypted } = wish;
        return driver.open({ addresses: { managementUrl, issuerUrl }, wallets, encrypted });
      },
      stop: () => stopAll(stops),
    };
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}
