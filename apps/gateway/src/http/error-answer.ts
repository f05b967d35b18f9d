import type { DomainError } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Injection token of the logger of a listener. */
export const LOGGER = Symbol('logger');

/** An error as it goes out. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** How a listener answers an error, inside a route or before there is one. */
export interface ErrorResponder {
  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
  /** The answer where there is not even a request: what came cannot be read as HTTP. */
  answerUnread(error: DomainError, requestId: string): ErrorAnswer;
}

/** Sends an error. What the route has set for its success, its media type and how long a cache may keep it, is undone. */
export function sendError(reply: FastifyReply, { status, headers, body }: ErrorAnswer): void {
  const plain = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  void reply
    .status(status)
    .headers({ ...plain, ...headers })
    .send(body);
}
