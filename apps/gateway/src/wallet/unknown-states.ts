import { Readable } from 'node:stream';
import { ExpectPresentation } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import type { FastifyInstance } from 'fastify';
import type { Ask } from '../ask';
import { isId } from '../http/path-segment';

/**
 * What is larger is taken only for a state that the verifier knows. Nearly every wallet's answer is smaller (one credential
 * makes some 5 KiB), so that it costs no question of its own; and what a stranger may have read, carried and parsed for
 * nothing is a thirtieth of what a body may have.
 */
const SMALL_BYTES = 32_768;

/** Routes with a state whose bodies only wallets send, and how each says that there is no such request. */
const REFUSALS: ReadonlyMap<string, () => ApiError> = new Map([
  [
    '/oidc4vp/:state/response',
    () => new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'a form for an open request is expected' }),
  ],
  [
    '/oidc4vp/:state/request',
    () => new ApiError({ kind: 'not_found', code: 'request_not_found', detail: 'there is nothing at this address' }),
  ],
]);

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
 *
 * @param maxBodyBytes what announces more is refused in any case, without a question
 */
export function refuseUnknownStates(instance: FastifyInstance, ask: Ask, maxBodyBytes: number): void {
  instance.addHook('preParsing', async (request, _reply, payload) => {
    const refusal = request.method === 'POST' ? REFUSALS.get(request.routeOptions.url ?? '') : undefined;
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
