import { startRefusal } from './start-refusal';

const withCode = (code: string) => Object.assign(new Error('TLS'), { code });

describe('a TLS alert with which a NATS server ends a connection', () => {
  // OpenSSL 3.0 to 3.1 (Node.js 20), then 3.2 and newer, then both.
  it.each([
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED',
    'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_REVOKED',
    'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_UNKNOWN',
    'ERR_SSL_SSL/TLS_ALERT_UNSUPPORTED_CERTIFICATE',
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'ERR_SSL_TLSV1_ALERT_ACCESS_DENIED',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  ])('is a refusal of our certificate, which ends the start, in each version of Node.js: %s', (code) => {
    const cause = new Error('closed', { cause: withCode(code) });
    expect(startRefusal(cause, {})).toMatchObject({ code: 'nats_client_certificate_refused' });
  });

  it.each(['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'ECONNRESET'])(
    'is none if it says something else: %s',
    (code) => expect(startRefusal(withCode(code), {})).toBeUndefined(),
  );
});
