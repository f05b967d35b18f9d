import 'reflect-metadata';
import { randomInt } from 'node:crypto';
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net';
import { Controller, type INestMicroservice, Module, type Type } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { type Contract } from '@vestibule/contracts';
import { createLogger, createNestLogger } from '@vestibule/process';
import { Answers } from './answers';
import { NatsServer, type NatsServerOptions } from './nats-server';
import { WireErrorFilter } from './wire-error.filter';

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

/** A controller whose methods are added one by one. */
export class Answering {
  readonly controller: Type;
  #count = 0;

  constructor() {
    @Controller()
    class Answers {}
    this.controller = Answers;
  }

  answer<Question, Answer>(
    contract: Contract<Question, Answer>,
    handler: (question: Question) => Promise<Answer> | Answer,
  ): this {
    const name = `answer${(this.#count += 1)}`;
    const method = { value: handler, configurable: true };
    const prototype = this.controller.prototype as object;
    Answers(contract)(prototype, name, method);
    Object.defineProperty(prototype, name, method);
    return this;
  }
}

/** A Nest microservice, as an app starts one. */
export async function startService(
  register: (answering: Answering) => void,
  options: Partial<NatsServerOptions> = {},
): Promise<{ app: INestMicroservice; server: NatsServer }> {
  const answering = new Answering();
  register(answering);
  const filter = { provide: APP_FILTER, useClass: WireErrorFilter };
  @Module({ controllers: [answering.controller], providers: [filter] })
  class ServiceModule {}
  const server = new NatsServer({ servers: [natsUrl], queue: 'verifier', name: 'service', logger, ...options });
  const app = await NestFactory.createMicroservice(ServiceModule, {
    strategy: server,
    logger: createNestLogger(logger),
    abortOnError: false,
  });
  await app.listen();
  return { app, server };
}

/** Waits until a condition holds; throws after a minute. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('the condition did not come true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A connection to the broker that can be cut and restored. */
export async function openWire() {
  const target = new URL(natsUrl);
  const sockets = new Set<Socket>();
  let isWhole = true;
  let refused = 0;
  const sent: Buffer[] = [];
  // The listener stays open while the connection is cut, so that no other process gets its port.
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
    near.on('data', (bytes: Buffer) => void sent.push(bytes));
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
    /** How many clients tried to connect while it was cut. */
    refused: () => refused,
    /** What its clients have sent, in the NATS protocol. */
    sent: () => Buffer.concat(sent).toString('latin1'),
    cut,
    mend: () => void (isWhole = true),
    close: (): Promise<void> => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Publishes bytes that no client library would send. */
export function publishRaw(command: string): Promise<void> {
  const { hostname, port } = new URL(natsUrl);
  return new Promise((resolve, reject) => {
    const socket = connectSocket(Number(port || 4222), hostname, () => {
      socket.write(`CONNECT {"verbose":false,"pedantic":false,"headers":true}\r\n${command}PING\r\n`);
    });
    socket.on('data', (bytes) => bytes.toString('latin1').includes('PONG') && socket.end());
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

/** Header lines, each with another name. */
export function namesOf(bytes: number): string {
  const lines: string[] = [];
  for (let length = 0; length < bytes; length += lines.at(-1)?.length ?? 0)
    lines.push(`${lines.length.toString(36)}:\r\n`);
  return lines.join('');
}
