import type { AppProcess, ProxyFault, TcpProxy } from '@vestibule/dev-stack';
import { diskFullStandIn, failover, outOfConnections, readOnly, type PostgresFault } from './postgres-faults';
import type { World } from './world';

/** A temporary fault, one at a time. */
export interface Fault {
  readonly name: string;
  /** Part of the short form as well. */
  readonly isShort?: boolean;
  /**
   * When the clock starts. `begin`: the product has to work around the fault while it lasts; `end`: nothing can be
   * answered before it is over.
   */
  readonly from: 'begin' | 'end';
  /** How long it lasts; with `begin` it may end earlier, once everything is well. */
  readonly holdSeconds: number;
  /** The bound on the time until the first good answer of each kind, and until no request fails any more. */
  readonly boundSeconds: number;
  /** Whether `/health/ready` has to report it. */
  readonly endsReadiness?: boolean;
  /** Whether it may end a presentation. */
  readonly isOfStatusHost?: boolean;
  /** Whether only a server that notices vanished connections can meet the bound ({@link CURRENT_NATS}). */
  readonly needsCurrentNats?: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** The oldest nats-server that stops sending questions to a connection whose other end hangs (nats-server issue 4014). */
export const CURRENT_NATS = '2.9.16';

const POSTGRES_BOUND_SECONDS = 15;
const BOUND_SECONDS = 10;
const HOLD_SECONDS = 20;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

type Rest = Omit<Fault, 'begin' | 'end'>;

function ofProxy(proxy: TcpProxy, fault: ProxyFault, rest: Rest): Fault {
  return {
    ...rest,
    begin: async () => proxy.apply(fault),
    end: async () => proxy.heal(),
  };
}

const silent = { from: 'end', holdSeconds: HOLD_SECONDS, boundSeconds: BOUND_SECONDS } as const;
const around = { from: 'begin', holdSeconds: 60, boundSeconds: BOUND_SECONDS } as const;
const existing = { connections: 'existing' } as const;

/** The network faults of a server behind a proxy. */
function ofNetwork(server: 'Postgres' | 'NATS', proxy: TcpProxy, boundSeconds: number): Fault[] {
  const needsCurrentNats = server === 'NATS';
  const name = (what: string) => `${server}: ${what}`;
  const isAround = { ...around, boundSeconds, needsCurrentNats };
  const isSilent = { ...silent, boundSeconds, endsReadiness: true, needsCurrentNats };
  return [
    ofProxy(
      proxy,
      { mode: 'swallow', ...existing },
      { ...isAround, name: name('black hole on the connections that exist'), isShort: true },
    ),
    ofProxy(
      proxy,
      { mode: 'swallow', ...existing, direction: 'to-client' },
      { ...isAround, name: name('answers lost on the connections that exist') },
    ),
    ofProxy(proxy, { mode: 'swallow' }, { ...isSilent, name: name('black hole on all connections') }),
    ofProxy(proxy, { mode: 'hang' }, { ...isSilent, name: name('hangs') }),
  ];
}

function ofPostgres({ postgres, smallDisk }: World): Fault[] {
  const of = (fault: PostgresFault, rest: Rest): Fault => ({
    ...rest,
    begin: () => fault.begin(postgres.url()),
    end: () => fault.end(postgres.url()),
  });
  const refusing = { ...silent, boundSeconds: POSTGRES_BOUND_SECONDS, endsReadiness: true };
  return [
    of(readOnly, { ...refusing, name: 'Postgres: read-only' }),
    of(failover, {
      ...around,
      boundSeconds: POSTGRES_BOUND_SECONDS,
      name: 'Postgres: failover, old sessions read-only',
    }),
    of(diskFullStandIn, { ...refusing, name: 'Postgres: disk full (every write answered with 53100)' }),
    ...(smallDisk
      ? [
          {
            ...silent,
            boundSeconds: POSTGRES_BOUND_SECONDS,
            name: 'Postgres: disk full (tables on a full file system)',
            begin: async () => smallDisk.fill(),
            end: async () => smallDisk.empty(),
          },
        ]
      : []),
    of(outOfConnections, { ...refusing, name: 'Postgres: out of connections' }),
    {
      ...silent,
      holdSeconds: 0,
      name: 'Postgres: kill -9 and restart',
      begin: () => postgres.killAndStart(5_000),
      end: () => Promise.resolve(),
    },
  ];
}

const RESTARTS = 3;

function ofNatsServer({ nats }: World): Fault {
  return {
    ...silent,
    holdSeconds: 0,
    name: `NATS: ${RESTARTS} restarts`,
    async begin() {
      for (let restart = 1; restart <= RESTARTS; restart += 1) {
        await nats.killAndStart(1_000);
        if (restart < RESTARTS) await pause(2_000);
      }
    },
    end: () => Promise.resolve(),
  };
}

function ofStatusHost({ statusHost }: World): Fault[] {
  const rest = { ...silent, isOfStatusHost: true };
  return [
    ofProxy(statusHost, { mode: 'swallow' }, { ...rest, name: 'status host: black hole' }),
    ofProxy(statusHost, { mode: 'hang' }, { ...rest, name: 'status host: hangs' }),
    ofProxy(statusHost, { mode: 'reset' }, { ...rest, name: 'status host: resets connections' }),
  ];
}

function ofReplica(process: AppProcess): Fault {
  return {
    ...around,
    name: `${process.app}: one of two replicas stopped (SIGSTOP)`,
    isShort: process.app === 'verifier',
    // Gateways are asked by the balancer alone.
    needsCurrentNats: process.app !== 'gateway',
    begin: () => process.kill('SIGSTOP'),
    end: () => process.kill('SIGCONT'),
  };
}

/** All faults, applied one at a time. */
export function faultsOf(world: World): Fault[] {
  const { stack, postgres, nats } = world;
  const replicas = stack.processes.filter(({ label }) => label.endsWith('-2'));
  return [
    ...ofNetwork('Postgres', postgres.proxy, POSTGRES_BOUND_SECONDS),
    ...ofPostgres(world),
    ...ofNetwork('NATS', nats.proxy, BOUND_SECONDS),
    ofNatsServer(world),
    ...ofStatusHost(world),
    ...replicas.map(ofReplica),
  ];
}
