import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Requests whose clients wait for 100 before they send a body (RFC 9110 §10.1.1), and have not got it. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Lets expectations wait for the hooks of the listener. Node would answer them itself, before any key is looked at: with 100,
 * which asks a stranger for his body, or with 417 in no form and without a line in the log. Unknown ones may be ignored.
 */
export function takeExpectations({ server }: Pick<FastifyInstance, 'server'>): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/** An answer to who was not asked for the body: nobody knows whether it still comes, so nothing may follow on the connection. */
export function endUninvited({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (waiting.has(raw)) void reply.header('connection', 'close');
}

/**
 * Asks for the body whoever waits for that: only now, after every hook that was added before has let the request pass. A
 * body that is announced to be too large is not asked for.
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
