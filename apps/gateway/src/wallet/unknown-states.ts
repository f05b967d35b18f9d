import { Readable } from 'node:stream';
import { Reflector } from '@nestjs/core';
import { ExpectPresentation } from '@vestibule/contracts';
import type { ApiError } from '@vestibule/foundation';
import type { FastifyInstance } from 'fastify';
import type { Ask } from '../ask';
import { isId } from '../http/path-segment';
import { declared, type RouteTable } from '../http/routes';

/**
 * What is larger is taken only for a state that the verifier knows. Nearly every wallet's answer is smaller (one credential
 * makes some 5 KiB), so that it costs no question of its own; and what a stranger may have read, carried and parsed for
 * nothing is a thirtieth of what a body may have.
 */
const SMALL_BYTES = 32_768;

/** A route with a parameter `state` whose bodies only wallets send, and how it says that there is no such request. */
export const ForStates = Reflector.createDecorator<() => ApiError>();

export interface UnknownStatesOptions {
  readonly ask: Ask;
  readonly table: RouteTable;
  /** What announces more is refused in any case, without a question. */
  readonly maxBodyBytes: number;
}

/** The body as it comes; when more than a small one has come, `check` decides by throwing, and nothing is read meanwhile. */
async function* whileSmall(body: Readable, check: () => Promise<void>): AsyncGenerator<Buffer> {
  let received = 0;
  // The connection is still needed for the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (received <= SMALL_BYTES && received + chunk.byteLength > SMALL_BYTES) await check();
    received += chunk.byteLength;
    yield chunk;
  }
}

/** A body in chunks, whose size nobody knows before. */
function counted(body: Readable, check: () => Promise<void>): Readable {
  const stream = Readable.from(whileSmall(body, check), { objectMode: false });
  // Whoever reads it hears of an error, and stops listening when it has heard enough: one more must not end the process.
  stream.on('error', () => undefined);
  return stream;
}

/**
 * From now on a body for a state that cannot be one, and a large body for one that the verifier does not expect an answer
 * to, are refused before they are read: they cross no bus, and nobody parses or hashes them.
 */
export function refuseUnknownStates(instance: FastifyInstance, options: UnknownStatesOptions): void {
  const { ask, table, maxBodyBytes } = options;
  const refusalOf = table.about((route) => declared(ForStates, route));
  instance.addHook('preParsing', async (request, _reply, payload) => {
    const refusal = refusalOf(request);
    if (refusal === undefined) return payload;
    const { state = '' } = request.params as { readonly state?: string };
    if (!isId(state)) throw refusal();
    const check = async (): Promise<void> => {
      const { expected } = await ask(ExpectPresentation, { state });
      if (!expected) throw refusal();
    };
    if (request.headers['transfer-encoding'] !== undefined) return counted(payload as Readable, check);
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > SMALL_BYTES && announced <= maxBodyBytes) await check();
    return payload;
  });
}
