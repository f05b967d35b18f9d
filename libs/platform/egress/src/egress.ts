import type { Client, Dispatcher } from 'undici';
import { createConnections } from './connections';
import { createTargetParser, type EgressTarget } from './egress-url';
import { behindRedirect, egressFailure, toEgressFailure } from './failures';
import { createGate } from './gate';
import { observed, type EgressPurpose, type Observe } from './observed';
import { discardBody, readBody } from './read-body';
import type { Resolve } from './resolve-host';
import { withTimeLimit } from './time-limit';

export interface EgressOptions {
  /** `host` or `host:port` that may use http and have a private address. Empty in production. */
  readonly allowDevelopmentHosts: readonly string[];
  /** Certification authorities (PEM) that are trusted for TLS in addition to the public ones. */
  readonly authorities?: readonly string[];
  /**
   * HTTP proxies by purpose (`http://proxy:3128`). They resolve names: the rules for addresses then apply to the URL
   * alone. Development hosts are reached without them.
   */
  readonly proxies?: ReadonlyMap<EgressPurpose, string> | undefined;
  /** Is told how each request ended. */
  readonly observe?: Observe;
  /** Resolves a name; by default through DNS, and through the operating system for development hosts. */
  readonly resolve?: Resolve;
  /** Concurrent requests, default 16. */
  readonly maxConcurrent?: number;
  /** Concurrent requests to one host, default 4: a slow host must not occupy the places of all others. */
  readonly maxConcurrentForHost?: number;
  /** How many requests may wait for their turn, default 256. */
  readonly maxWaiting?: number;
  /** How many of these may be for the same host, default 64. */
  readonly maxWaitingForHost?: number;
}

export interface GetOptions {
  /** What the document is for, which decides about the proxy. */
  readonly purpose: EgressPurpose;
  /** Value of the Accept field. */
  readonly accept: string;
  /** The maximum size of the body, on the wire and decoded. */
  readonly maxBytes: number;
  /** For everything together: waiting, name resolution, TLS, redirects and the last byte of the body. */
  readonly timeoutMilliseconds: number;
  readonly maxRedirects: number;
  /**
   * Allows plain http, because the document is signed, as a revocation list is. Addresses are checked as usual.
   * Default: no.
   */
  readonly allowHttp?: boolean;
  /**
   * Who named the address: a party that the operator trusts, or anyone. Requests to addresses from untrusted parties
   * share separate places, half as many, so that their hosts do not delay others. Default `known`.
   */
  readonly namedBy?: 'known' | 'stranger';
  /** The entity tag of a copy that is still there: if it is current, the response has status 304 and no body. */
  readonly ifNoneMatch?: string | undefined;
}

export interface EgressResponse {
  readonly status: number;
  /** The Content-Type field, undefined if it is missing or repeated. */
  readonly contentType: string | undefined;
  readonly body: Buffer;
  /** The address of the answer, after redirects. */
  readonly finalUrl: string;
  /** The entity tag, if the host sent one that is short enough to send back. */
  readonly etag?: string | undefined;
}

/** The only way to fetch from an address in untrusted input. */
export interface Egress {
  /** GET; throws a ProcessingFailure of kind `unavailable` with a code of `EGRESS_FAILURES`. Any status is returned. */
  get(url: string, options: GetOptions): Promise<EgressResponse>;
  /** Ends requests in progress with `egress_closed`. */
  close(): Promise<void>;
}

const DEFAULT_MAX_CONCURRENT = 16;
const DEFAULT_MAX_CONCURRENT_FOR_HOST = 4;
const DEFAULT_MAX_WAITING = 256;
const DEFAULT_MAX_WAITING_FOR_HOST = 64;
const REDIRECT_STATUSES = [301, 302, 303, 307, 308];

function createGates(options: EgressOptions) {
  const limits = {
    maxConcurrent: options.maxConcurrent ?? DEFAULT_MAX_CONCURRENT,
    maxConcurrentForHost: options.maxConcurrentForHost ?? DEFAULT_MAX_CONCURRENT_FOR_HOST,
    maxWaiting: options.maxWaiting ?? DEFAULT_MAX_WAITING,
    maxWaitingForHost: options.maxWaitingForHost ?? DEFAULT_MAX_WAITING_FOR_HOST,
  };
  const half = (count: number) => Math.ceil(count / 2);
  const forStrangers = {
    ...limits,
    maxConcurrent: half(limits.maxConcurrent),
    maxConcurrentForHost: half(limits.maxConcurrentForHost),
  };
  return { known: createGate(limits), stranger: createGate(forStrangers) };
}

function send(client: Client, { url }: EgressTarget, options: GetOptions) {
  return client.request({
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers: {
      accept: options.accept,
      'accept-encoding': 'gzip',
      'user-agent': 'vestibule',
      ...(options.ifNoneMatch === undefined ? {} : { 'if-none-match': options.ifNoneMatch }),
    },
    headersTimeout: options.timeoutMilliseconds,
    bodyTimeout: options.timeoutMilliseconds,
  });
}

function findRedirect({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  const { location } = headers;
  return REDIRECT_STATUSES.includes(statusCode) && typeof location === 'string' ? location : undefined;
}

/** As RFC 9110 §8.8.3 spells it; anything else is of no use. */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,254}"$/;

function entityTagOf({ headers: { etag } }: Dispatcher.ResponseData): string | undefined {
  return typeof etag === 'string' && ENTITY_TAG.test(etag) ? etag : undefined;
}

async function toResponse(response: Dispatcher.ResponseData, url: URL, maxBytes: number): Promise<EgressResponse> {
  const body = await readBody(response, maxBytes);
  const contentType = response.headers['content-type'];
  return {
    status: response.statusCode,
    contentType: typeof contentType === 'string' ? contentType : undefined,
    body,
    finalUrl: url.href,
    etag: entityTagOf(response),
  };
}

/**
 * Creates the egress. Each hop of a request is checked separately: the text of the URL, then every address that its
 * name resolves to; the connection goes to a checked address (TSL §11.4), or to the proxy that the operator has named for
 * the purpose. No cookies, no credentials, no referrer.
 */
export function createEgress(options: EgressOptions): Egress {
  const parseTarget = createTargetParser(options.allowDevelopmentHosts);
  const connections = createConnections(options);
  const gates = createGates(options);

  /** The answer of one hop, or where it redirects to. */
  function hop(target: EgressTarget, get: GetOptions, signal: AbortSignal): Promise<EgressResponse | string> {
    const { purpose, maxBytes } = get;
    return connections.use({ target, purpose, maxBytes, signal }, async (client) => {
      const response = await send(client, target, get);
      const location = findRedirect(response);
      if (location === undefined) return toResponse(response, target.url, maxBytes);
      discardBody(response.body);
      return location;
    });
  }

  async function follow(start: EgressTarget, get: GetOptions, signal: AbortSignal): Promise<EgressResponse> {
    let target = start;
    for (let redirects = 0; ; redirects += 1) {
      try {
        const answer = await hop(target, get, signal);
        if (typeof answer !== 'string') return answer;
        if (redirects >= get.maxRedirects) throw egressFailure('egress_redirects');
        target = parseTo(answer, target, get);
      } catch (error) {
        throw redirects === 0 ? error : behindRedirect(error);
      }
    }
  }

  function parseTo(location: string, from: EgressTarget, { allowHttp }: GetOptions): EgressTarget {
    try {
      return parseTarget(location, { from, allowHttp });
    } catch (error) {
      throw behindRedirect(error);
    }
  }

  async function get(url: string, request: GetOptions): Promise<EgressResponse> {
    const target = parseTarget(url, { allowHttp: request.allowHttp });
    try {
      return await withTimeLimit(request.timeoutMilliseconds, (signal) =>
        gates[request.namedBy ?? 'known'].run(target.url.host, signal, () => follow(target, request, signal)),
      );
    } catch (error) {
      throw toEgressFailure(error);
    }
  }

  return {
    get: observed(get, options.observe),
    close: () => connections.close(egressFailure('egress_closed')),
  };
}
