import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { createRequestId } from '@vestibule/process';
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

/**
 * Answers what Node cannot read as an HTTP request (two lengths, folded or too many headers, not complete in time) in
 * the listener's format, and closes the connection: no route, hook or filter ever sees it.
 */
export function answerUnread(errors: ErrorResponder): (error: ConnectionError, socket: Socket) => void {
  return (error, socket) => {
    if (socket.writable && error.code !== 'ECONNRESET') {
      const [requestId, status] = [createRequestId(), STATUSES[error.code ?? ''] ?? 400];
      const answer = errors.answerUnread(asDomainError({ statusCode: status }), requestId);
      socket.write(messageOf(withStatus(answer, status), requestId));
    }
    socket.destroy(error);
  };
}
