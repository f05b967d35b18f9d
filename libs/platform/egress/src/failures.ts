import { ProcessingFailure } from '@vestibule/foundation';

/** Why a request to an untrusted address returned nothing usable: every code that this library throws. */
export const EGRESS_FAILURES = {
  egress_refused_url: {
    meaning: 'the URL is not an absolute https URL without user information',
    remedy: 'the owner of the URL must publish an https URL of at most 2048 characters',
  },
  egress_refused_address: {
    meaning: 'the host is not public: it is a local name, or an address that is not global unicast',
    remedy: 'use a public address, or add a development host to the allow-list',
  },
  egress_unresolved: {
    meaning: 'the host name does not resolve',
    remedy: 'check the name and the DNS servers of this installation',
  },
  egress_timeout: {
    meaning: 'the response was not complete in time',
    remedy: 'try again later; check whether the host is reachable from this installation',
  },
  egress_too_large: {
    meaning: 'the response or its header exceeds the limit',
    remedy: 'the owner of the URL must publish less, or the limit must be raised',
  },
  egress_redirects: {
    meaning: 'the host redirects too often',
    remedy: 'the owner must publish the final URL',
  },
  egress_encoding: {
    meaning: 'the content encoding is neither gzip nor identity, or the gzip stream is broken',
    remedy: 'the host must honour the Accept-Encoding field',
  },
  egress_tls: {
    meaning: 'the host does not speak TLS, or its certificate is not acceptable',
    remedy: 'the host must present a valid chain for its name',
  },
  egress_status: {
    meaning: 'the host did not return a success status',
    remedy: 'request the URL to see what the host returns',
  },
  egress_content_type: {
    meaning: 'the response has a different media type than requested',
    remedy: 'the host must serve the document with the media type of its standard',
  },
  egress_integrity: {
    meaning: 'the document is not the one whose hash is configured',
    remedy: 'compare the document with the one that you have checked; if the new one is right, configure its hash',
  },
  egress_overloaded: {
    meaning: 'too many requests are already waiting',
    remedy: 'try again later, or raise the number of concurrent requests',
  },
  egress_closed: {
    meaning: 'this process is shutting down',
    remedy: 'try again after it has restarted',
  },
  egress_proxy: {
    meaning: 'the outbound proxy cannot be reached, or does not answer as a proxy',
    remedy: 'check the address in `EGRESS_PROXY` and whether the proxy runs',
  },
  egress_proxy_login: {
    meaning: 'the outbound proxy does not accept the user and password (407)',
    remedy: 'correct them in `EGRESS_PROXY`; the proxy must accept Basic authentication',
  },
  egress_proxy_refused: {
    meaning: 'the outbound proxy did not connect to the host',
    remedy:
      'the log of the proxy says why: its rules for hosts and ports (403), or a host that it cannot resolve or reach (502 to 504)',
  },
  egress_failed: {
    meaning: 'the connection failed or the response is not HTTP',
    remedy: 'try again later; check whether the host is reachable from this installation',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly egress: typeof EGRESS_FAILURES;
  }
}

export type EgressFailureCode = keyof typeof EGRESS_FAILURES;

/** The error for a code: of kind `unavailable`, with the table's fixed text and nothing of the address. */
export function egressFailure(code: EgressFailureCode, cause?: unknown): ProcessingFailure {
  const { meaning, remedy } = EGRESS_FAILURES[code];
  return new ProcessingFailure(code, meaning, cause, remedy);
}

/**
 * The same failure, but at an address that the host redirected to: the party that named the first address is not at
 * fault.
 */
export class RedirectedFailure extends ProcessingFailure {}

/** Marks a failure as one after a redirect. */
export function behindRedirect(error: unknown): RedirectedFailure {
  const { code, detail, remedy } = toEgressFailure(error);
  return new RedirectedFailure(code, detail, error, remedy);
}

const CODES: Readonly<Record<string, EgressFailureCode>> = {
  UND_ERR_CONNECT_TIMEOUT: 'egress_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'egress_timeout',
  UND_ERR_BODY_TIMEOUT: 'egress_timeout',
  ETIMEDOUT: 'egress_timeout',
  UND_ERR_HEADERS_OVERFLOW: 'egress_too_large',
  UND_ERR_DESTROYED: 'egress_closed',
  UND_ERR_CLOSED: 'egress_closed',
};
/** Node's error codes for faults of a chain that OpenSSL finds. */
const TLS_CODE =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH)/;

/** Converts any error of a request into a failure of this library's table. */
export function toEgressFailure(error: unknown): ProcessingFailure {
  if (error instanceof ProcessingFailure) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (TLS_CODE.test(code)) return egressFailure('egress_tls', error);
  return egressFailure(CODES[code] ?? 'egress_failed', error);
}
