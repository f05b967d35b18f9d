import { ProcessingFailure } from '@vestibule/foundation';

/** Why nothing usable came from an address that a stranger chose: every code that this library throws. */
export const EGRESS_FAILURES = {
  egress_refused_url: {
    meaning: 'the address is not an absolute https URL without user information',
    remedy: 'the owner of the address must publish an https URL of at most 2048 characters',
  },
  egress_refused_address: {
    meaning: 'the host is not a public one: a local name, or an address that is not global unicast',
    remedy: 'publish under a public address, or put a development host on the allow-list',
  },
  egress_unresolved: {
    meaning: 'the name of the host does not resolve',
    remedy: 'check the name and the DNS servers of this installation',
  },
  egress_timeout: {
    meaning: 'the answer was not complete in time',
    remedy: 'try again later; check whether the host is reachable from this installation',
  },
  egress_too_large: {
    meaning: 'the answer, or its header, is larger than the limit',
    remedy: 'the owner of the address must publish less, or the limit must be raised',
  },
  egress_redirects: {
    meaning: 'the host redirects more often than is followed',
    remedy: 'the owner of the address must publish the final URL',
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
    meaning: 'the host did not answer with success',
    remedy: 'check at the address what the host has to say',
  },
  egress_content_type: {
    meaning: 'the answer is of another media type than was asked for',
    remedy: 'the host must serve the document with the media type of its standard',
  },
  egress_overloaded: {
    meaning: 'too many requests wait already',
    remedy: 'try again later, or raise the number of concurrent requests',
  },
  egress_closed: {
    meaning: 'this program is shutting down',
    remedy: 'try again once it has started',
  },
  egress_failed: {
    meaning: 'the connection failed or the answer is not HTTP',
    remedy: 'try again later; check whether the host is reachable from this installation',
  },
} as const;

export type EgressFailureCode = keyof typeof EGRESS_FAILURES;

/** The error for a code: of kind `unavailable`, with the table's fixed text and nothing of the address. */
export function egressFailure(code: EgressFailureCode, cause?: unknown): ProcessingFailure {
  const { meaning, remedy } = EGRESS_FAILURES[code];
  return new ProcessingFailure(code, meaning, cause, remedy);
}

/** The same failure, but of an address that the host redirected to: whoever named the first address is not to blame. */
export class RedirectedFailure extends ProcessingFailure {}

/** Marks a failure as one behind a redirect. */
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
/** How Node names what OpenSSL finds wrong with a chain. */
const TLS_CODE =
  /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH)/;

/** Turns whatever a request ends with into a failure of this library's table. */
export function toEgressFailure(error: unknown): ProcessingFailure {
  if (error instanceof ProcessingFailure) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (TLS_CODE.test(code)) return egressFailure('egress_tls', error);
  return egressFailure(CODES[code] ?? 'egress_failed', error);
}
