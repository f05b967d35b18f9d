import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

/** Injection token of the {@link Retirement} of the gateway. */
export const RETIREMENT = Symbol('retirement');

/** Whether the process is about to end: it still answers everything, but is not ready. */
export class Retirement {
  #isRetired = false;

  get isRetired(): boolean {
    return this.#isRetired;
  }

  retire(): void {
    this.#isRetired = true;
  }
}

/**
 * Makes a server close idle connections only when no connection has bytes to send. Node takes one for idle as soon as its
 * answer has been composed, and would cut off an answer that its reader receives slowly.
 */
function sparePendingAnswers(server: Server): void {
  const sockets = new Set<Socket>();
  const follow = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  // Over TLS, the bytes wait in the secure socket.
  server.on('connection', follow).on('secureConnection', follow);
  const closeIdle = Reflect.get(server, 'closeIdleConnections') as () => void;
  server.closeIdleConnections = () => {
    if (![...sockets].some(({ writableLength }) => writableLength > 0)) Reflect.apply(closeIdle, server, []);
  };
}

/**
 * After its retirement, a listener closes each connection with its next answer, so that none is idle when it closes.
 */
export function endConnectionsOf(instance: FastifyInstance, retirement: Retirement): void {
  sparePendingAnswers(instance.server);
  instance.addHook('onSend', (_request, reply, payload, done) => {
    if (retirement.isRetired) void reply.header('connection', 'close');
    done(null, payload);
  });
}

const IDLE_CHECK_MILLISECONDS = 50;

/**
 * Accepts no new connections, finishes running requests and closes their connections. An answer that had already begun
 * keeps its connection open, which Node closes only if it is idle when the close begins.
 */
export async function closeListener(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MILLISECONDS);
  await app.close().finally(() => clearInterval(idle));
}
