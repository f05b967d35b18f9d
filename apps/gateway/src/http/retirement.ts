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
 * After its retirement, a listener closes each connection with its next answer, so that none is idle when it closes.
 */
export function endConnectionsOf(instance: FastifyInstance, retirement: Retirement): void {
  instance.addHook('onRequest', (_request, reply, done) => {
    if (retirement.isRetired) void reply.header('connection', 'close');
    done();
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
