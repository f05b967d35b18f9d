import type { DomainError } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Injection token of the logger of a listener. */
export const LOGGER = Symbol('logger');

/** An error as it is sent. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** How a listener answers an error, within a route or before one is found. */
export interface ErrorResponder {
  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
  /** The answer for bytes that cannot be read as an HTTP request. */
  answerUnread(error: DomainError, requestId: string): ErrorAnswer;
}

/** Sends an error. Status, media type and caching that the route has set for its success are reset. */
export function sendError(reply: FastifyReply, { status, headers, body }: ErrorAnswer): void {
  const plain = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  void reply
    .status(status)
    .headers({ ...plain, ...headers })
    .send(body);
}
