import type { FastifyInstance, FastifyRequest } from 'fastify';
import { asDomainError } from './errors';
import { headerValues } from './header-values';

/** Many times what clients and the proxies before us send together. */
const MAX_HEADERS = 200;

/**
 * HTTP/1.0 does not know transfer codings: a proxy that speaks it sees no body, and takes what we would read as body for the
 * next request of somebody else (RFC 9112 §6.1). Of other codings before `chunked`, Node hands over what is encoded: a
 * proxy that decodes it reads another body.
 */
function hasTwoReadings({ raw }: FastifyRequest): boolean {
  const coding = raw.headers['transfer-encoding'];
  return coding !== undefined && (raw.httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked');
}

/** Proxies disagree about which one counts (RFC 9112 §3.2). */
const hasTwoHosts = (request: FastifyRequest): boolean => headerValues(request, 'host').length > 1;

/** Node keeps only so many, and drops the rest silently: the last ones, which the proxy before us may have added. */
const hasTooManyHeaders = ({ raw }: FastifyRequest): boolean => raw.rawHeaders.length > 2 * MAX_HEADERS;

const isUnclear = (request: FastifyRequest): boolean =>
  hasTooManyHeaders(request) || hasTwoReadings(request) || hasTwoHosts(request);

/**
 * Refuses requests that somebody on their way may read otherwise than we do, before anything else looks at them, and ends
 * their connection. Node itself refuses all others of this kind (two lengths, bodies in chunks and a length).
 */
export function refuseUnclearRequests(instance: FastifyInstance): void {
  // One more, so that too many are seen.
  instance.server.maxHeadersCount = MAX_HEADERS + 1;
  instance.addHook('onRequest', (request, _reply, done) => {
    done(isUnclear(request) ? asDomainError({ statusCode: 400 }) : undefined);
  });
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (isUnclear(request)) void reply.header('connection', 'close');
    done(null, payload);
  });
}
