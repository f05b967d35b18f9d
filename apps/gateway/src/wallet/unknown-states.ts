import { Readable } from 'node:stream';
import { Reflector } from '@nestjs/core';
import { ExpectPresentation } from '@vestibule/contracts';
import type { ApiError } from '@vestibule/foundation';
import type { FastifyInstance } from 'fastify';
import type { Ask } from '../ask';
import { isId } from '../http/path-segment';
import { declared, type RouteTable } from '../http/routes';

/**
 * A larger body is accepted only for a state that the verifier knows. Nearly every wallet's answer is smaller (one
 * credential takes about 5 KiB), so that it costs no extra request; and what anyone may have read, forwarded and parsed
 * for an unknown state is a thirtieth of the largest body.
 */
const SMALL_BYTES = 32_768;

/**
 * Marks a route with a parameter `state` whose bodies only wallets send, and says how it reports an unknown request.
 */
export const ForStates = Reflector.createDecorator<() => ApiError>();

export interface UnknownStatesOptions {
  readonly ask: Ask;
  readonly table: RouteTable;
  /** A larger Content-Length is refused without asking the verifier. */
  readonly maxBodyBytes: number;
}

/**
 * The body as it arrives. Once it is larger than a small one, reading pauses while `check` decides; it throws to
 * refuse.
 */
async function* whileSmall(body: Readable, check: () => Promise<void>): AsyncGenerator<Buffer> {
  let received = 0;
  // The connection is still needed for the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (received <= SMALL_BYTES && received + chunk.byteLength > SMALL_BYTES) await check();
    received += chunk.byteLength;
    yield chunk;
  }
}

/** A chunked body, whose size is not known in advance. */
function counted(body: Readable, check: () => Promise<void>): Readable {
  const stream = Readable.from(whileSmall(body, check), { objectMode: false });
  // The reader receives an error, and may stop listening for further ones, which must not end the process.
  stream.on('error', () => undefined);
  return stream;
}

/**
 * Refuses, before it is read, any body for a string that cannot be a state, and a large body for a state whose answer
 * the verifier does not expect: it is not sent over the bus, parsed or hashed.
 */
export function refuseUnknownStates(instance: FastifyInstance, options: UnknownStatesOptions): void {
  const { ask, table, maxBodyBytes } = options;
  const refusalOf = table.about((route) => declared(ForStates, route));
  instance.addHook('preParsing', (request, _reply, payload, done) => {
    const refusal = refusalOf(request);
    if (refusal === undefined) return done(null, payload);
    const { state = '' } = request.params as { readonly state?: string };
    if (!isId(state)) return done(refusal());
    const check = async (): Promise<void> => {
      const { expected } = await ask(ExpectPresentation, { state });
      if (!expected) throw refusal();
    };
    if (request.headers['transfer-encoding'] !== undefined) return done(null, counted(payload as Readable, check));
    const announced = Number(request.headers['content-length'] ?? 0);
    const isLarge = announced > SMALL_BYTES && announced <= maxBodyBytes;
    if (isLarge) void check().then(() => done(null, payload), done);
    else done(null, payload);
  });
}
