import { randomBytes, randomInt } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { type ClientOperation, DEFAULT_MAX_PAYLOAD_BYTES, NatsParser, NatsProtocolError } from './nats-parser';
import { type Delivery, NatsSession } from './nats-session';
import { isSubscribable } from './nats-subject';
import { type Subscription, splitByQueue, SubscriptionTable } from './nats-subscriptions';
import { StackFailure } from './stack-failure';

export interface BrokerOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Only addresses of the loopback interface are accepted: the broker has neither authentication nor TLS. */
  readonly host?: '127.0.0.1' | '::1';
  /** The maximum backlog of a client that does not read, before it is disconnected; 64 MiB as in nats-server. */
  readonly maxPendingBytes?: number;
  /** The maximum message size; 1 MiB as in nats-server. */
  readonly maxPayloadBytes?: number;
}

export interface Broker {
  readonly url: string;
  stop(): Promise<void>;
}

/** The broker's name in INFO, by which tests can identify the server. */
const BROKER_NAME = 'vestibule-development-broker';
const MAX_CONNECTIONS = 1024;
const MAX_SUBSCRIPTIONS_PER_CLIENT = 100_000;

type Operation<Name extends ClientOperation['name']> = Extract<ClientOperation, { name: Name }>;

/** Routes messages between sessions; independent of sockets. */
class Router {
  readonly #table = new SubscriptionTable<NatsSession>();

  handle(session: NatsSession, operation: ClientOperation): void {
    switch (operation.name) {
      case 'connect':
        if (!session.connect(operation.options)) return session.refuse('no responders requires headers support');
        return session.confirm();
      case 'ping':
        return session.send('PONG\r\n');
      case 'pong':
        return;
      case 'subscribe':
        return this.#subscribe(session, operation);
      case 'unsubscribe':
        return this.#unsubscribe(session, operation);
      case 'publish':
        return this.#publish(session, operation);
    }
  }

  leave(session: NatsSession): void {
    for (const subscription of session.subscriptions.values()) this.#table.remove(subscription);
    session.subscriptions.clear();
  }

  #subscribe(session: NatsSession, { subject, queue, sid }: Operation<'subscribe'>): void {
    if (!isSubscribable(subject)) return session.complain('Invalid Subject');
    if (session.subscriptions.size >= MAX_SUBSCRIPTIONS_PER_CLIENT) {
      return session.complain('maximum subscriptions exceeded');
    }
    // A subscription id in use keeps its first meaning.
    if (!session.subscriptions.has(sid)) {
      const subscription = { owner: session, subject, sid, max: 0, delivered: 0, ...(queue ? { queue } : {}) };
      session.subscriptions.set(sid, subscription);
      this.#table.add(subscription);
    }
    session.confirm();
  }

  #unsubscribe(session: NatsSession, { sid, max }: Operation<'unsubscribe'>): void {
    const subscription = session.subscriptions.get(sid);
    if (subscription) {
      if (max > subscription.delivered) subscription.max = max;
      else this.#remove(subscription);
    }
    session.confirm();
  }

  #remove(subscription: Subscription<NatsSession>): void {
    subscription.owner.subscriptions.delete(subscription.sid);
    this.#table.remove(subscription);
  }

  #publish(session: NatsSession, message: Operation<'publish'>): void {
    if (message.headerBytes > 0 && !session.headers) return session.refuse('message headers not supported');
    session.confirm();
    const wanted = this.#table.find(message.subject).filter(({ owner }) => owner !== session || session.echo);
    const { everyone, groups } = splitByQueue(wanted);
    for (const subscription of everyone) this.#deliver(subscription, message);
    for (const members of groups.values()) {
      this.#deliver(members[randomInt(members.length)] as Subscription<NatsSession>, message);
    }
    if (wanted.length === 0 && session.noResponders) this.#answerForNobody(session, message.replyTo);
  }

  #deliver(subscription: Subscription<NatsSession>, message: Delivery): void {
    subscription.delivered += 1;
    if (subscription.max > 0 && subscription.delivered >= subscription.max) this.#remove(subscription);
    subscription.owner.deliver(subscription, message);
  }

  #answerForNobody(session: NatsSession, replyTo: string | undefined): void {
    if (replyTo === undefined) return;
    const own = this.#table.find(replyTo).find(({ owner, queue }) => owner === session && queue === undefined);
    if (own) session.deliverNoResponders(own, replyTo);
  }
}

/** Passes what a client sends to the router; bytes that are not NATS end only this connection. */
function serve(session: NatsSession, parser: NatsParser, router: Router): void {
  const { socket } = session;
  socket.setNoDelay(true);
  socket.on('data', (chunk) => {
    try {
      for (const operation of parser.feed(chunk)) {
        if (!socket.writable) return;
        router.handle(session, operation);
      }
    } catch (error) {
      if (!(error instanceof NatsProtocolError)) throw error;
      socket.removeAllListeners('data');
      session.refuse(error.reason);
    }
  });
  socket.on('close', () => router.leave(session));
  // A vanished client is not a fault of the broker; `close` follows.
  socket.on('error', () => socket.destroy());
}

function listen(server: Server, options: BrokerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StackFailure('broker_start_failed', `the NATS broker cannot listen (${error.message})`, error)),
    );
    server.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

function stopServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

/**
 * Starts a broker that speaks the NATS client protocol: subjects with wildcards, queue groups, request-reply with
 * no-responders, headers, auto-unsubscribe. Without JetStream, authentication, TLS or clusters; only for development
 * and tests on one machine.
 * @throws StackFailure `broker_not_loopback`, `broker_start_failed`
 */
export async function startBroker(options: BrokerOptions = {}): Promise<Broker> {
  const host = options.host ?? '127.0.0.1';
  if (host !== '127.0.0.1' && host !== '::1') {
    throw new StackFailure('broker_not_loopback', 'the broker has no authentication: it listens on loopback only');
  }
  const router = new Router();
  const sockets = new Set<Socket>();
  const serverId = randomBytes(16).toString('hex').toUpperCase();
  const maxPayload = options.maxPayloadBytes ?? DEFAULT_MAX_PAYLOAD_BYTES;
  let clients = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    clients += 1;
    const session = new NatsSession(socket, options.maxPendingBytes ?? 64 * 1024 * 1024);
    serve(session, new NatsParser(maxPayload), router);
    session.send(
      `INFO ${JSON.stringify({ ...describeServer(server, serverId), max_payload: maxPayload, client_id: clients })}\r\n`,
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, options);
  return { url: `nats://${host === '::1' ? '[::1]' : host}:${port}`, stop: () => stopServer(server, sockets) };
}

function describeServer(server: Server, serverId: string) {
  const address = server.address();
  const { address: host, port } = typeof address === 'object' && address ? address : { address: '', port: 0 };
  return {
    server_id: serverId,
    server_name: BROKER_NAME,
    version: '2.9.0',
    proto: 1,
    host,
    port,
    headers: true,
  };
}
