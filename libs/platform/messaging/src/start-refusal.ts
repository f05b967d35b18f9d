import { errors } from '@nats-io/transport-node';
import { DomainError, type ErrorCode } from '@vestibule/foundation';
import type { NatsAccess } from './nats-access';

/**
 * Why Node refused a server's certificate (Node.js, "X509 certificate error codes"), grouped by what an operator has to
 * check.
 */
const AUTHORITY = [
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'INVALID_CA', 'CERT_UNTRUSTED', 'CERT_REJECTED'],
  'CERT_SIGNATURE_FAILURE',
];
const TIME = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'];
const NAME = ['ERR_TLS_CERT_ALTNAME_INVALID'];

const MAX_CAUSES = 5;

/** The codes of an error and of its causes. */
function codesOf(error: unknown): readonly string[] {
  const codes: string[] = [];
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof current === 'object' && current !== null; depth += 1) {
    const { code, cause } = current as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === 'string') codes.push(code);
    current = cause;
  }
  return codes;
}

function refused(code: ErrorCode, detail: string): DomainError {
  return new DomainError({ kind: 'internal', code, detail });
}

function certificateSentence(codes: readonly string[]): string | undefined {
  const among = (list: readonly string[]) => codes.some((code) => list.includes(code));
  if (among(AUTHORITY)) return 'is not from an authority in NATS_CA_FILE (if not set: from a public one)';
  if (among(NAME)) return 'is for another host name than the one in NATS_URL';
  if (among(TIME)) return 'is not valid at this time: renew it, or correct the clock';
  return undefined;
}

/** The error for servers that do not offer TLS although `tls://` requires it. */
export function withoutTls(): DomainError {
  return refused(
    'nats_without_tls',
    'NATS_URL requires TLS (tls://), but the server does not offer it: configure TLS on the server, or write nats:// if the network is trusted',
  );
}

/** The error for a server that would refuse questions or answers of ours for their size. */
export function payloadTooSmall(announced = 0, needed = 0): DomainError {
  return refused(
    'nats_payload_too_small',
    `max_payload of the NATS server in NATS_URL is ${announced}: set it to at least ${needed} (for instance 2MB), as in deploy/nats.conf`,
  );
}

/**
 * The alerts of TLS (RFC 8446 §6.2) that a server ends a handshake with because of our certificate, as OpenSSL names them: the
 * oldest begin with SSLV3 in Node.js 20, and with SSL/TLS in later versions.
 */
const CLIENT_ALERT =
  /^ERR_SSL_(?:TLSV1|TLSV13|SSLV3|SSL\/TLS)_ALERT_(?:CERTIFICATE_(?:REQUIRED|REVOKED|EXPIRED|UNKNOWN)|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/;

/** Does a server say that it does not accept the login? */
export const isLoginRefusal = (error: unknown): boolean =>
  error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError;

/** The error for a failed connection if a retry cannot help; undefined if it can. */
export function startRefusal(error: unknown, { login }: Pick<NatsAccess, 'login'>): DomainError | undefined {
  if (isLoginRefusal(error)) {
    const who = login ? `does not accept ${login.origin}` : 'requires a login: set NATS_USER and NATS_PASSWORD';
    return refused('nats_login_refused', `the server of NATS_URL ${who}`);
  }
  const codes = codesOf(error);
  if (codes.some((code) => CLIENT_ALERT.test(code)))
    return refused(
      'nats_client_certificate_refused',
      'the server of NATS_URL demands a client certificate and does not accept NATS_CERTIFICATE_FILE, or it is not set',
    );
  const sentence = certificateSentence(codes);
  if (sentence !== undefined)
    return refused('nats_certificate_refused', `the certificate of the server of NATS_URL ${sentence}`);
  return undefined;
}
