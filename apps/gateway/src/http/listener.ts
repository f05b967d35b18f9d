import { constants } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  acceptRequestId,
  acceptTraceparent,
  createRequestId,
  withRequestContext,
  type Logger,
} from '@vestibule/process';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorResponder } from './error-answer';
import { noSuchRoute } from './errors';
import { endUninvited, takeExpectations } from './expectations';
import { answerUnread } from './unread-request';

export interface ListenerOptions {
  /** Printed with each access line. */
  readonly name: string;
  readonly logger: Logger;
  readonly maxBodyBytes: number;
  /** Addresses or subnets of proxies whose X-Forwarded-For is believed, for rate limits only; never for URLs. */
  readonly trustedProxies: readonly string[];
  readonly rewriteUrl?: (request: IncomingMessage) => string;
  /** With it the listener speaks TLS and asks for a client certificate; who has none is for a hook to refuse. */
  readonly tls?: SecureContextOptions | undefined;
  /** Answers a request whose address is not a URL, to which no route and no filter ever comes. */
  readonly errors: ErrorResponder;
  /** Rejects with what the sender of such a request hears before that: who may use the listener is the same for every address. */
  readonly admit?: (request: FastifyRequest) => Promise<void>;
}

const MAX_HEADER_BYTES = 32_768;
const REQUEST_TIMEOUT_MILLISECONDS = 30_000;
const KEEP_ALIVE_MILLISECONDS = 65_000;
/** A DID of 512 characters, each of them percent-encoded. */
const MAX_SEGMENT_LENGTH = 1_536;

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Runs `next` in the context of a request: with a caller's id when it is harmless, and that id in the answer. */
function withContext(request: FastifyRequest, reply: FastifyReply, next: () => void): void {
  const requestId = acceptRequestId(header(request, 'x-request-id')) ?? createRequestId();
  const traceparent = acceptTraceparent(header(request, 'traceparent'));
  void reply.header('x-request-id', requestId);
  withRequestContext({ requestId, traceparent }, next);
}

/** One line for each answer: the route's pattern, never the address, which holds secrets of a session. */
function logAnswer(request: FastifyRequest, reply: FastifyReply, { name, logger }: ListenerOptions): void {
  logger.info('answered', {
    listener: name,
    method: request.method,
    route: request.routeOptions.url ?? 'none',
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 10) / 10,
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

/** Without it, the body of a request without a route would be read, and judged, before the answer is 404. */
function refuseUnknownAddresses(instance: FastifyInstance): void {
  instance.addHook('preParsing', (request, _reply, payload, done) => {
    done(request.is404 ? noSuchRoute() : null, payload);
  });
}

/** The framework's own refusals (a malformed address) pass by all hooks: here they get what hooks give the others. */
function answerUnroutable(options: ListenerOptions) {
  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    void reply.header('x-content-type-options', 'nosniff');
    endUninvited(request, reply);
    options.errors.respond(error, request, reply);
    logAnswer(request, reply, options);
  };
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refused = (refusal: unknown): void => answer(refusal, request, reply);
    withContext(request, reply, () => {
      void Promise.resolve(options.admit?.(request)).then(() => answer(error, request, reply), refused);
    });
  };
}

/**
 * Every connection shows its certificate and has it verified, at its beginning and for good: no session is resumed (RFC
 * 8446 §2.2: a resumed one sends no certificate, and Node calls it authorized) and none is renegotiated.
 */
const MUTUAL_TLS = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/** A Fastify adapter with request ids, access lines, limits and no caching. Body parsers are for the caller to add. */
export function createListener(options: ListenerOptions): FastifyAdapter {
  const { rewriteUrl, tls } = options;
  const adapter = new FastifyAdapter({
    bodyLimit: options.maxBodyBytes,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    // Fastify's own refusal while closing has neither Retry-After nor our form; what still arrives can be answered.
    return503OnClosing: false,
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    routerOptions: { maxParamLength: MAX_SEGMENT_LENGTH },
    frameworkErrors: answerUnroutable(options),
    clientErrorHandler: answerUnread(options.errors),
    ...(tls ? { https: { ...tls, ...MUTUAL_TLS } } : {}),
    ...(rewriteUrl ? { rewriteUrl } : {}),
  });
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  instance.removeAllContentTypeParsers();
  takeExpectations(instance);
  // The first hook of all: what answers early, as the one for CORS does, is within the context too.
  adapter.setOnRequestHook(withContext as never);
  instance.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply, options);
    done();
  });
  refuseUnknownAddresses(instance);
  forbidCaching(instance);
  return adapter;
}
