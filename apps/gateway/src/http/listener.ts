import { constants } from 'node:crypto';
import { METHODS, type IncomingMessage } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  acceptRequestId,
  acceptTraceparent,
  createRequestId,
  isTracing,
  startSpan,
  withRequestContext,
  type Logger,
  type OpenSpan,
} from '@vestibule/process';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorResponder } from './error-answer';
import { noSuchRoute } from './errors';
import { endUninvited, takeExpectations } from './expectations';
import { readRefusedBodies } from './refused-bodies';
import { refuseUnclearRequests } from './unclear-requests';
import { answerUnread, noteAnswers } from './unread-request';

/** What is known of an answer without looking at its content. */
export interface ObservedAnswer {
  readonly listener: string;
  readonly method: string;
  /** The pattern of the route; `none` if there is none. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
}

export interface ListenerOptions {
  /** The listener's name in access log lines. */
  readonly name: string;
  readonly logger: Logger;
  readonly maxBodyBytes: number;
  /** Addresses or subnets of proxies whose X-Forwarded-For is trusted, for rate limits only; never for URLs. */
  readonly trustedProxies: readonly string[];
  /** Are its callers trusted to say which trace a request belongs to, and whether it is exported? Default: no. */
  readonly continuesTraces?: boolean;
  /** Is told of each answer, beside the log. */
  readonly observe?: (answer: ObservedAnswer) => void;
  readonly rewriteUrl?: (request: IncomingMessage) => string;
  /** If set, the listener speaks TLS and requests a client certificate; a hook refuses clients without one. */
  readonly tls?: SecureContextOptions | undefined;
  /** Answers a request whose address is not a URL, which never reaches a route or filter. */
  readonly errors: ErrorResponder;
  /**
   * Rejects such a request earlier, with the error for its sender: who may use the listener does not depend on the
   * address.
   */
  readonly admit?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

const MAX_HEADER_BYTES = 32_768;
const REQUEST_TIMEOUT_MILLISECONDS = 30_000;
/**
 * For a connection without a request, and for one on which nothing moves: an answer that its client does not read would wait for
 * good. Longer than balancers keep an unused connection (60 s), and than the slowest answer takes to begin.
 */
const IDLE_MILLISECONDS = 65_000;
/** The length of a DID of 512 characters, all of them percent-encoded. */
const MAX_SEGMENT_LENGTH = 1_536;

const METHOD_NAMES = new Set(METHODS);
const knownMethod = (method: string): string => (METHOD_NAMES.has(method) ? method : '_OTHER');

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

interface Received {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Runs `next` in the context of a request: with the caller's request id if it is harmless, which the answer repeats.
 */
function withContext(
  { continuesTraces = false }: Pick<ListenerOptions, 'continuesTraces'>,
  { request, reply }: Received,
  next: () => void,
): void {
  const requestId = acceptRequestId(header(request, 'x-request-id')) ?? createRequestId();
  const traceparent = acceptTraceparent(header(request, 'traceparent'));
  void reply.header('x-request-id', requestId);
  const span = beginSpan(request, continuesTraces ? traceparent : undefined);
  withRequestContext({ requestId, traceparent: span?.traceparent ?? traceparent }, next);
}

const spans = new WeakMap<IncomingMessage, OpenSpan>();

/** The span of a request. It gets its name, the pattern of the route, when it ends: the router has not looked yet. */
function beginSpan({ raw, method }: FastifyRequest, traceparent: string | undefined): OpenSpan | undefined {
  if (!isTracing()) return undefined;
  const span = startSpan({ name: `HTTP ${knownMethod(method)}`, kind: 'server' }, traceparent);
  if (span) spans.set(raw, span);
  return span;
}

function endSpan({ raw }: FastifyRequest, { listener, method, route, status }: ObservedAnswer): void {
  spans.get(raw)?.end({
    attributes: {
      'vestibule.listener': listener,
      'http.request.method': knownMethod(method),
      'http.route': route,
      'http.response.status_code': status,
    },
    failed: status >= 500,
  });
}

/** One line for each answer: the route's pattern, never the address, which contains session secrets. */
function noteAnswer(request: FastifyRequest, reply: FastifyReply, { name, logger, observe }: ListenerOptions): void {
  const answer: ObservedAnswer = {
    listener: name,
    method: request.method,
    route: request.routeOptions.url ?? 'none',
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 10) / 10,
  };
  logger.info('answered', { ...answer });
  observe?.(answer);
  endSpan(request, answer);
}

/** Forbids caches to store any answer, unless its route allows it. */
function forbidCaching(instance: FastifyInstance): void {
  instance.addHook('onSend', (_request: FastifyRequest, reply: FastifyReply, payload: unknown, done) => {
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
    void reply.header('x-content-type-options', 'nosniff');
    done(null, payload);
  });
}

/** Otherwise the body of a request without a route would be read and parsed before the answer 404. */
function refuseUnknownAddresses(instance: FastifyInstance): void {
  instance.addHook('preParsing', (request, _reply, payload, done) => {
    done(request.is404 ? noSuchRoute() : null, payload);
  });
}

/**
 * The framework's own refusals (of a malformed address) bypass all hooks: this repeats what the hooks add to other
 * answers.
 */
function answerUnroutable(options: ListenerOptions) {
  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    void reply.header('x-content-type-options', 'nosniff');
    endUninvited(request, reply);
    options.errors.respond(error, request, reply);
    noteAnswer(request, reply, options);
  };
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refused = (refusal: unknown): void => answer(refusal, request, reply);
    withContext(options, { request, reply }, () => {
      void Promise.resolve(options.admit?.(request, reply)).then(() => answer(error, request, reply), refused);
    });
  };
}

/**
 * Every connection presents its certificate and has it verified, once, at its beginning: no session is resumed (RFC
 * 8446 §2.2: a resumed one sends no certificate, and Node calls it authorized) and none is renegotiated.
 */
const MUTUAL_TLS = {
  minVersion: 'TLSv1.2',
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/** A Fastify adapter with request ids, access log lines, limits and no caching. The caller adds body parsers. */
export function createListener(options: ListenerOptions): FastifyAdapter {
  const { rewriteUrl, tls } = options;
  const adapter = new FastifyAdapter({
    bodyLimit: options.maxBodyBytes,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    keepAliveTimeout: IDLE_MILLISECONDS,
    connectionTimeout: IDLE_MILLISECONDS,
    // Fastify's own refusal during shutdown has neither Retry-After nor our format; late requests can still be
    // answered.
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
  // The very first hook, so that early answers, such as those to CORS preflights, are within the context too.
  const hook = (request: FastifyRequest, reply: FastifyReply, next: () => void): void =>
    withContext(options, { request, reply }, next);
  adapter.setOnRequestHook(hook as never);
  instance.addHook('onResponse', (request, reply, done) => {
    noteAnswer(request, reply, options);
    done();
  });
  refuseUnknownAddresses(instance);
  readRefusedBodies(instance, options.maxBodyBytes);
  refuseUnclearRequests(instance);
  noteAnswers(instance);
  forbidCaching(instance);
  return adapter;
}
