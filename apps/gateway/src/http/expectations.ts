import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Requests whose clients wait for 100 before they send a body (RFC 9110 §10.1.1), and have not received it yet. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Defers expectations to the hooks of the listener. Node would answer them itself, before any key is checked: with 100,
 * which asks an unauthenticated client for its body, or with 417 in no format and without a log line. Unknown
 * expectations may be ignored.
 */
export function takeExpectations({ server }: Pick<FastifyInstance, 'server'>): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/** Answers a client whose body was not requested. The body may still arrive, so the connection cannot be reused. */
export function endUninvited({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (waiting.has(raw)) void reply.header('connection', 'close');
}

/**
 * Requests the body from clients that wait for it: only after every hook that was added before has admitted the
 * request. A body announced as too large is not requested.
 */
export function inviteBodies(instance: FastifyInstance, maxBodyBytes: number): void {
  instance.addHook('preParsing', (request, reply, payload, done) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced <= maxBodyBytes && waiting.delete(request.raw)) reply.raw.writeContinue();
    done(null, payload);
  });
  instance.addHook('onSend', (request, reply, payload, done) => {
    endUninvited(request, reply);
    done(null, payload);
  });
}
