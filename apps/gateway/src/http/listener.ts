import type { IncomingMessage } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  acceptRequestId,
  acceptTraceparent,
  createRequestId,
  withRequestContext,
  type Logger,
} from '@vestibule/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface ListenerOptions {
  /** Printed with each access line. */
  readonly name: string;
  readonly logger: Logger;
  readonly maxBodyBytes: number;
  /** Addresses or subnets of proxies whose X-Forwarded-For is believed, for rate limits only; never for URLs. */
  readonly trustedProxies: readonly string[];
  readonly rewriteUrl?: (url: string) => string;
}

const MAX_HEADER_BYTES = 32_768;
const REQUEST_TIMEOUT_MILLISECONDS = 30_000;
const KEEP_ALIVE_MILLISECONDS = 65_000;

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

function openContexts(instance: FastifyInstance): void {
  instance.addHook('onRequest', (request, reply, done) => {
    const requestId = acceptRequestId(header(request, 'x-request-id')) ?? createRequestId();
    const traceparent = acceptTraceparent(header(request, 'traceparent'));
    void reply.header('x-request-id', requestId);
    withRequestContext({ requestId, traceparent }, done);
  });
}

/** One line for each answer: the route's pattern, never the address, which holds secrets of a session. */
function logAnswers(instance: FastifyInstance, { name, logger }: ListenerOptions): void {
  instance.addHook('onResponse', (request, reply, done) => {
    logger.info('answered', {
      listener: name,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
    });
    done();
  });
}

/** Nothing that this program answers may be kept by a cache, unless a route says so itself. */
function forbidCaching(instance: FastifyInstance): void {
  instance.addHook('onSend', (_request: FastifyRequest, reply: FastifyReply, payload: unknown, done) => {
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    void reply.header('x-content-type-options', 'nosniff');
    done(null, payload);
  });
}

/** A Fastify adapter with request ids, access lines, limits and no caching. Body parsers are for the caller to add. */
export function createListener(options: ListenerOptions): FastifyAdapter {
  const { rewriteUrl } = options;
  const adapter = new FastifyAdapter({
    bodyLimit: options.maxBodyBytes,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    ...(rewriteUrl ? { rewriteUrl: (request: IncomingMessage) => rewriteUrl(request.url ?? '/') } : {}),
  });
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  instance.removeAllContentTypeParsers();
  openContexts(instance);
  logAnswers(instance, options);
  forbidCaching(instance);
  return adapter;
}
