import 'reflect-metadata';
import { randomInt } from 'node:crypto';
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net';
import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLogger, createNestLogger } from '@vestibule/service';
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

/** Waits until a condition holds; throws after five seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error('the condition did not come true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A way to the broker that can be cut and mended. */
export async function openWire() {
  const target = new URL(natsUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
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
  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `nats://127.0.0.1:${port}`,
    cut: (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
    mend: () => listen(port),
  };
}
