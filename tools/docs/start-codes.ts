import type { Codes } from './error-codes';

/** What stops a process at its start, besides the table of certificate faults. */
export const START_CODES: Codes = {
  context_file_invalid: {
    meaning: 'the file that `JSON_LD_CONTEXTS_FILE` names cannot be used: address and reason',
    remedy: 'correct the file; see "JSON-LD contexts" in [wallet-operations.md](wallet-operations.md#json-ld-contexts)',
  },
  command_invalid: {
    meaning: 'the command `api-keys` was given something that it does not take; nothing was done',
    remedy: 'see "API keys" in [wallet-operations.md](wallet-operations.md#api-keys)',
  },
  api_key_not_found: {
    meaning: 'no valid API key has the id that `api-keys revoke` was given',
    remedy: 'take the id from `api-keys list`',
  },
  management_tls_unusable: {
    meaning: 'certificate, key or client authority of the management listener is missing, unreadable or does not fit',
    remedy:
      'set `MANAGEMENT_TLS_CERTIFICATE_FILE`, `MANAGEMENT_TLS_KEY` and `MANAGEMENT_CLIENT_CA_FILE`, or none of them',
  },
  security_text_incomplete: {
    meaning: 'only a part of what `/.well-known/security.txt` needs is configured',
    remedy: 'set `SECURITY_CONTACT` and `SECURITY_EXPIRES`, or neither of them; `SECURITY_POLICY` only with both',
  },
  configuration_invalid: {
    meaning: 'variables are missing or wrong; each has a line of its own in the log',
    remedy: 'see [configuration.md](configuration.md)',
  },
  trust_file_invalid: {
    meaning: 'the file that `TRUST_FILE` names cannot be used',
    remedy: 'see [trust.md](trust.md)',
  },
  type_metadata_invalid: {
    meaning: 'documents in `TYPE_METADATA_FOLDER` are missing or wrong: file, place in it and reason',
    remedy: 'correct the documents; see "Credential types" in [operations.md](operations.md#credential-types)',
  },
  attestation_trust_invalid: {
    meaning: 'the file that `ATTESTATION_TRUST_FILE` names cannot be used',
    remedy: 'see "Wallets and their attestations" in [operations.md](operations.md)',
  },
  attestation_trust_missing: {
    meaning: 'an attestation is demanded, of wallets or for the keys of a type, that nobody is trusted to make',
    remedy: 'name the attesters in `ATTESTATION_TRUST_FILE`, or do not demand it',
  },
  issuer_url_invalid: {
    meaning: '`ISSUER_URL` cannot be a Credential Issuer Identifier',
    remedy: 'use https, normal form, no query, no fragment, no slash at the end',
  },
  issuer_display_invalid: {
    meaning: '`display` in `issuance.json` is wrong',
    remedy: 'see OpenID4VCI 1.0 §12.2.4',
  },
};
