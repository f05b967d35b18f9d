import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createRequestId } from '@vestibule/process';
import type { FastifyInstance } from 'fastify';
import type { ErrorAnswer, ErrorResponder } from './error-answer';
import { asDomainError } from './errors';

/** Node's error for bytes that are not a request, or not a complete one in time. */
type ConnectionError = Error & { readonly code?: string };

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** An answer with another status, which problem details repeat in their body. */
function withStatus({ headers, body }: ErrorAnswer, status: number): ErrorAnswer {
  return { status, headers, body: 'status' in body ? { ...body, status } : body };
}

function messageOf({ status, headers, body }: ErrorAnswer, requestId: string): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`;
}

/** The request of a connection that was answered last. */
const answered = new WeakMap<Socket, IncomingMessage>();

/** Notes each answer, for {@link answerUnread}. */
export function noteAnswers(instance: FastifyInstance): void {
  instance.addHook('onSend', ({ raw }, _reply, payload, done) => {
    answered.set(raw.socket, raw);
    done(null, payload);
  });
}

/** Is it the body of an answered request that cannot be read? A second answer would be taken for that of the next one. */
const isAnswered = (socket: Socket): boolean => answered.get(socket)?.complete === false;

/**
 * Answers what Node cannot read as an HTTP request (two lengths, folded or too many headers, not complete in time) in
 * the listener's format, and closes the connection: no route, hook or filter ever sees it.
 */
export function answerUnread(errors: ErrorResponder): (error: ConnectionError, socket: Socket) => void {
  return (error, socket) => {
    if (socket.writable && error.code !== 'ECONNRESET' && !isAnswered(socket)) {
      const [requestId, status] = [createRequestId(), STATUSES[error.code ?? ''] ?? 400];
      const answer = errors.answerUnread(asDomainError({ statusCode: status }), requestId);
      socket.write(messageOf(withStatus(answer, status), requestId));
    }
    socket.destroy(error);
  };
}
