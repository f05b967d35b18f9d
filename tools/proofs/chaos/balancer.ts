import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * One replica from the balancer's view; its addresses may change with each start, and are undefined while it has none.
 */
export interface Target {
  /** The address for its connections. */
  readonly address: () => string | undefined;
  /** Returns 200 while the replica accepts connections. */
  readonly healthUrl: () => string | undefined;
}

/** Distributes connections among replicas, as a load balancer in front of several gateways does. */
export interface Balancer {
  readonly url: string;
  /** Before the first call there are none. */
  setTargets(targets: readonly Target[]): void;
  /**
   * Until it is told otherwise, each connection is broken when an answer arrives, as if it had been cut on its way:
   * before its first byte (`lost`), or in its middle (`torn`).
   */
  breakAnswers(how: 'lost' | 'torn' | undefined): void;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const CHECK_MILLISECONDS = 1_000;
const PATIENCE_MILLISECONDS = 3_000;

/** 2: ready; 1: answers, but is not ready; 0: silent. */
type Health = 0 | 1 | 2;

async function check(target: Target): Promise<Health> {
  const url = target.healthUrl();
  if (url === undefined) return 0;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) });
    await response.arrayBuffer();
    return response.status === 200 ? 2 : 1;
  } catch {
    return 0;
  }
}

/** A target, its health, and its connections. */
interface Member {
  readonly target: Target;
  readonly sockets: Set<Socket>;
  health: Health;
  isChecking: boolean;
}

class RoundRobin {
  #members: readonly Member[] = [];
  #next = 0;
  broken: 'lost' | 'torn' | undefined;

  setTargets(targets: readonly Target[]): void {
    this.#members = targets.map((target) => ({ target, sockets: new Set(), health: 2, isChecking: false }));
  }

  /** Connections to a silent target are broken, so that callers have to try again. */
  check(): void {
    for (const member of this.#members) {
      if (member.isChecking) continue;
      member.isChecking = true;
      void check(member.target).then((health) => {
        member.isChecking = false;
        member.health = health;
        if (health === 0) for (const socket of member.sockets) socket.destroy();
      });
    }
  }

  /** The next of the healthiest targets; if none is ready, any. */
  choose(): Member | undefined {
    const best = Math.max(0, ...this.#members.map(({ health }) => health));
    const able = this.#members.filter(({ health, target }) => health === best && target.address() !== undefined);
    this.#next += 1;
    return able[this.#next % Math.max(1, able.length)];
  }

  join(near: Socket): void {
    const member = this.choose();
    const address = member?.target.address();
    if (!member || address === undefined) return void near.destroy();
    const far = connect({ port: Number(new URL(address).port), host: LOOPBACK });
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      member.sockets.add(end);
      end.setNoDelay(true).on('error', () => undefined);
      end.on('close', () => {
        member.sockets.delete(end);
        other.destroySoon();
      });
    }
    near.pipe(far);
    // Before the pipe receives it.
    far.on('data', (chunk: Buffer) => this.#break(near, chunk));
    far.pipe(near);
  }

  #break(near: Socket, chunk: Buffer): void {
    if (this.broken === undefined) return;
    if (this.broken === 'lost') return void near.destroy();
    near.write(chunk.subarray(0, chunk.length / 2));
    near.destroySoon();
  }

  breakAll(): void {
    for (const { sockets } of this.#members) for (const socket of sockets) socket.destroy();
  }
}

/**
 * Starts a balancer on a free loopback port. It asks each replica every second whether it is ready; a replica that is
 * silent for three seconds gets no connections and loses those that it has.
 */
export async function startBalancer(): Promise<Balancer> {
  const members = new RoundRobin();
  const server = createServer((near) => members.join(near));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  const checks = setInterval(() => members.check(), CHECK_MILLISECONDS);
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    setTargets: (targets) => members.setTargets(targets),
    breakAnswers: (how) => void (members.broken = how),
    stop: () =>
      new Promise((resolve) => {
        clearInterval(checks);
        server.close(() => resolve());
        members.breakAll();
      }),
  };
}
