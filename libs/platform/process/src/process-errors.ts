import type { ErrorEntry } from '@vestibule/foundation';

/** Errors that end a process or a command at startup. */
export const STARTUP_ERRORS = {
  context_file_invalid: {
    meaning: 'the file in `JSON_LD_CONTEXTS_FILE` is invalid; the message has the URL and the reason',
    remedy: 'correct the file; see "JSON-LD contexts" in [wallet-operations.md](wallet-operations.md#json-ld-contexts)',
  },
  json_schema_file_invalid: {
    meaning: 'the file in `JSON_SCHEMAS_FILE` is invalid; the message has the URL, the place and the reason',
    remedy: 'correct the file; see "JSON Schemas" in [wallet-operations.md](wallet-operations.md#json-schemas)',
  },
  command_invalid: {
    meaning: 'a command of a service has invalid arguments; it did nothing',
    remedy: 'see what the message says, and [operator-command.md](operator-command.md)',
  },
  api_key_not_found: {
    meaning: 'there is no valid API key with the id passed to `api-keys revoke`',
    remedy: 'use an id from `api-keys list`',
  },
  management_tls_unusable: {
    meaning:
      'the certificate, key or client authority of the management listener is missing, unreadable or does not match',
    remedy:
      'set `MANAGEMENT_TLS_CERTIFICATE_FILE`, `MANAGEMENT_TLS_KEY` and `MANAGEMENT_CLIENT_CA_FILE`, or none of them',
  },
  management_callers_invalid: {
    meaning:
      'the file in `MANAGEMENT_CALLERS_FILE` is invalid, names nobody, or names clients without mutual TLS; the message has the place',
    remedy: 'see [management.md](management.md)',
  },
  management_token_incomplete: {
    meaning: 'only some of the settings for access tokens are there',
    remedy:
      'set `MANAGEMENT_TOKEN_ISSUER`, `MANAGEMENT_TOKEN_AUDIENCE` and `MANAGEMENT_TOKEN_JWKS_URL`, or none of them',
  },
  security_text_incomplete: {
    meaning: 'the configuration of `/.well-known/security.txt` is incomplete',
    remedy: 'set `SECURITY_CONTACT` and `SECURITY_EXPIRES`, or neither of them; `SECURITY_POLICY` only with both',
  },
  configuration_invalid: {
    meaning: 'variables are missing or invalid; the log has one line for each',
    remedy: 'see [configuration.md](configuration.md)',
  },
  nats_without_tls: {
    meaning: '`NATS_URL` requires TLS (`tls://`), but no server offers it',
    remedy: 'configure TLS on the server; see [bus.md](bus.md#encryption)',
  },
  nats_certificate_refused: {
    meaning: 'the certificate of the NATS server is from another authority, for another name or not valid now',
    remedy: 'compare `NATS_CA_FILE` and the host name in `NATS_URL` with the certificate of the server',
  },
  nats_client_certificate_refused: {
    meaning: 'the NATS server demands a client certificate, and none is configured or it does not accept it',
    remedy: 'compare `NATS_CERTIFICATE_FILE` with the authorities that the server accepts (`ca_file` with `verify`)',
  },
  nats_payload_too_small: {
    meaning: '`max_payload` of the NATS server is smaller than the messages of this process may be',
    remedy: 'set `max_payload` to at least 2 MB, as in `deploy/nats.conf`, and restart NATS',
  },
  nats_login_refused: {
    meaning: 'NATS does not accept the user, token or key; the message says which variable it is from',
    remedy: 'compare the variable with the configuration of the server; see [bus.md](bus.md#users-and-permissions)',
  },
  traces_not_installed: {
    meaning: '`OTEL_TRACES_EXPORTER` is `otlp`, but the optional packages of OpenTelemetry are not installed',
    remedy: 'install with optional dependencies (`npm ci` without `--omit=optional`); see [traces.md](traces.md)',
  },
  trust_file_invalid: {
    meaning: 'the file in `TRUST_FILE` is invalid',
    remedy: 'see [trust.md](trust.md)',
  },
  relying_parties_file_invalid: {
    meaning: 'the file of relying parties, or a file that it names, cannot be used',
    remedy: 'correct the places that the message names',
  },
  registration_file_invalid: {
    meaning: 'the file in `REGISTRATION_FILE` is invalid',
    remedy: 'see [registration.md](registration.md)',
  },
  attestation_trust_invalid: {
    meaning: 'the file in `ATTESTATION_TRUST_FILE` is invalid',
    remedy:
      'see "Wallets and their attestations" in [issuer-operations.md](issuer-operations.md#wallets-and-their-attestations)',
  },
  issuer_access_key_invalid: {
    meaning: 'the access certificate of the issuer or its key is missing, or the key is that of an issuer certificate',
    remedy: 'see "The access certificate" in [issuer-operations.md](issuer-operations.md#the-access-certificate)',
  },
  attestation_trust_missing: {
    meaning: 'an attestation is required, of wallets or for the keys of a type, but no attester is trusted for it',
    remedy: 'list the attesters in `ATTESTATION_TRUST_FILE`, or do not require the attestation',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

/** Errors of a service's health listener. */
export const HEALTH_ERRORS = {
  not_found: {
    status: 404,
    meaning: 'the health listener of a service serves only `/health/live`, `/health/ready` and `/metrics`',
    remedy: 'request one of these paths',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly startup: typeof STARTUP_ERRORS;
    readonly health: typeof HEALTH_ERRORS;
  }
}
