import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How many times the listener's limit a refused body may still bring. */
const PATIENCE = 16;

/** Ends the connection of a client that goes on after `bytes` more. What arrives is dropped, never kept. */
function dropRest(message: IncomingMessage, bytes: number): void {
  let rest = bytes;
  message.on('data', (chunk: Buffer) => {
    rest -= chunk.byteLength;
    if (rest < 0) message.destroy();
  });
}

/** Nobody but the framework has asked for the end of the connection by now: it does so for a body that it refuses. */
function isRefused({ raw }: FastifyRequest, reply: FastifyReply): boolean {
  return !raw.complete && !raw.destroyed && reply.getHeader('connection') === 'close';
}

/**
 * Reads to its end the body of a request that is already answered, such as one that is too large. The framework would
 * close the connection immediately: bytes on their way then reset it, and the client, or the proxy before it, loses the
 * answer (RFC 9112 §9.6) and reports a broken gateway. What is read is bounded by sixteen times the limit, and by the
 * time that a request may take. Add this hook before those that close connections for reasons of their own.
 */
export function readRefusedBodies(instance: FastifyInstance, maxBodyBytes: number): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (isRefused(request, reply)) {
      void reply.removeHeader('connection');
      dropRest(request.raw, PATIENCE * maxBodyBytes);
    }
    done(null, payload);
  });
}
