import 'reflect-metadata';
import { randomInt } from 'node:crypto';
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net';
import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLogger, createNestLogger } from '@vestibule/process';
import { createNatsServer, type NatsServer, type NatsServerOptions } from './nats-server';

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test broker is
export const natsUrl = process.env['TEST_NATS_URL'] ?? '';

/** A subject that no other test uses. */
export function uniqueSubject(): string {
  const letters = Array.from({ length: 12 }, () => String.fromCharCode(97 + randomInt(26))).join('');
  return `verifier.${letters}.test`;
}

export const lines: string[] = [];
export const logger = createLogger({
  name: 'test',
  level: 'debug',
  destination: { write: (line) => lines.push(line) },
});

@Module({})
class EmptyModule {}

/** A Nest microservice, as an app starts one. */
export async function startService(
  register: (server: NatsServer) => void,
  options: Partial<NatsServerOptions> = {},
): Promise<{ app: INestMicroservice; server: NatsServer }> {
  const server = createNatsServer({ servers: [natsUrl], queue: 'verifier', name: 'service', logger, ...options });
  register(server);
  const app = await NestFactory.createMicroservice(EmptyModule, { strategy: server, logger: createNestLogger(logger) });
  await app.listen();
  return { app, server };
}

/** Waits until a condition holds; throws after a minute. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error('the condition did not come true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A way to the broker that can be cut and mended. */
export async function openWire() {
  const target = new URL(natsUrl);
  const sockets = new Set<Socket>();
  let isWhole = true;
  let refused = 0;
  // The listener stays while the wire is cut, so that nobody else gets its port.
  const server = createServer((near) => {
    if (!isWhole) {
      refused += 1;
      return void near.destroy();
    }
    const far = connectSocket(Number(target.port || 4222), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const cut = (): void => {
    isWhole = false;
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `nats://127.0.0.1:${port}`,
    /** How many tried to connect while it was cut. */
    refused: () => refused,
    cut,
    mend: () => void (isWhole = true),
    close: (): Promise<void> => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
