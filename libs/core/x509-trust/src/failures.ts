import { failureFamily, ProcessingFailure, type VerificationFailure } from '@vestibule/foundation';

/** Why untrusted certificates are not acceptable, or their revocation is not known. */
export const X509_FAILURES = {
  x5c_malformed: {
    section: 'RFC 7515 §4.1.6',
    meaning: 'x5c is not a non-empty array of base64 DER certificates',
    remedy: 'the sender must put padded standard base64 of DER into x5c, leaf first, at most four certificates',
  },
  certificate_malformed: {
    section: 'RFC 5280 §4.1',
    meaning: 'a certificate is not well-formed DER',
    remedy: 'the sender must use X.509 certificates that follow the profile of RFC 5280',
  },
  certificate_algorithm_not_allowed: {
    section: 'HAIP 1.0 §10.2',
    meaning: 'a certificate is signed with a weak or unsupported algorithm, or has a weak or unsupported key',
    remedy:
      'the chain must use ECDSA on P-256, P-384 or P-521, or RSA with at least 2048 bits, with SHA-256 or stronger',
  },
  certificate_critical_extension: {
    section: 'RFC 5280 §4.2',
    meaning: 'a certificate has an unsupported critical extension, or a constraint of names or policies',
    remedy: 'ask the certification authority for a certificate without that extension',
  },
  certificate_expired: {
    section: 'RFC 5280 §6.1.3 (a)(2)',
    meaning: 'a certificate of the path has expired',
    remedy: 'the sender must renew the certificate',
  },
  certificate_not_yet_valid: {
    section: 'RFC 5280 §6.1.3 (a)(2)',
    meaning: 'a certificate of the path is not valid yet',
    remedy: 'check the clocks of both sides',
  },
  trust_anchor_expired: {
    section: 'RFC 5280 §6.1.3 (a)(2)',
    meaning: 'the trust anchor of the path is outside its validity',
    remedy: 'configure the current certificate of this trust anchor',
  },
  leaf_self_signed: {
    section: 'HAIP 1.0 §6.1.1',
    meaning: 'the leaf certificate is self-signed',
    remedy: 'the sender must use a certificate issued by a certification authority',
  },
  leaf_key_not_allowed: {
    section: 'HAIP 1.0 §7',
    meaning: 'the key of the leaf certificate is not on curve P-256, or on another one that is allowed to attesters',
    remedy: 'the sender must sign with a P-256 key',
  },
  leaf_key_usage: {
    section: 'RFC 5280 §4.2.1.3',
    meaning: 'the leaf certificate may not be used for digital signatures',
    remedy: 'the sender needs a certificate with key usage digitalSignature or nonRepudiation',
  },
  extended_key_usage_not_allowed: {
    section: 'RFC 5280 §4.2.1.12, ETSI TS 119 412-6, ETSI TS 119 411-8',
    meaning: 'a certificate of the path is restricted to other purposes, such as TLS servers or wallet providers',
    remedy: 'the sender needs certificates without such restrictions or with one for this purpose: see docs/trust.md',
  },
  trust_anchor_in_x5c: {
    section: 'HAIP 1.0 §6.1.1',
    meaning: 'x5c contains the trust anchor or another self-signed certificate',
    remedy: 'the sender must omit the root from x5c',
  },
  chain_broken: {
    section: 'RFC 5280 §6.1.3 (a)(4)',
    meaning: 'a certificate was not issued by the one that follows it in x5c',
    remedy: 'the sender must order x5c from the leaf to the last intermediate, without gaps',
  },
  chain_signature_invalid: {
    section: 'RFC 5280 §6.1.3 (a)(1)',
    meaning: 'a certificate is not signed by the one that follows it in x5c',
    remedy: 'the chain was forged or contains the wrong certificates',
  },
  issuer_not_ca: {
    section: 'RFC 5280 §6.1.4 (k), (n)',
    meaning: 'a certificate was issued by a certificate that is not a certification authority',
    remedy: 'every certificate above the leaf needs CA true and, with key usage, keyCertSign',
  },
  path_length_exceeded: {
    section: 'RFC 5280 §6.1.4 (m)',
    meaning: 'the chain is longer than one of its authorities allows',
    remedy: 'the sender must use a certificate whose chain respects pathLenConstraint',
  },
  untrusted_issuer: {
    section: 'HAIP 1.0 §6.1.1',
    meaning: 'the certificate chain does not lead to a trust anchor that is configured for this use',
    remedy:
      'configure the trust anchor of this issuer, or ask the sender for missing intermediates; if an authority in the chain has an entry of its own, that must cover the type; under auto, metadataIssuers, lists and subtypes that name the type require an anchor, too (see trust.md)',
  },
  issuer_not_bound: {
    section: 'SD-JWT VC §3.5',
    meaning: 'the issuer identifier does not belong to the leaf certificate or is not allowed',
    remedy: 'check iss against the certificate, or change the binding policy for this trust anchor',
  },
  certificate_revoked: {
    section: 'RFC 5280 §6.3.3',
    meaning: 'a certificate of the path is on the revocation list of its issuer',
    remedy: 'the sender must use a certificate that is neither revoked nor on hold',
  },
  certificate_without_crl: {
    section: 'RFC 5280 §4.2.1.13',
    meaning: 'a certificate of the path does not name a revocation list',
    remedy:
      'accept certificates without a revocation list, or ask the certification authority for certificates with one',
  },
  crl_unavailable: {
    section: 'RFC 5280 §6.3.3',
    meaning: 'the revocation list of a certificate is unavailable; the outcome is PROCESSING_ERROR',
    remedy: 'check whether the distribution point is reachable from this installation',
  },
  crl_malformed: {
    section: 'RFC 5280 §5.1',
    meaning: 'a revocation list is not well-formed DER, has no next update, or is too long',
    remedy: 'the certification authority must publish lists that follow the profile of RFC 5280 and have at most 5 MiB',
  },
  crl_unsupported: {
    section: 'RFC 5280 §5.2',
    meaning: 'a revocation list is a delta, indirect or partial, or has an unsupported critical extension',
    remedy: 'the certification authority must publish complete lists of its own certificates',
  },
  crl_scope_mismatch: {
    section: 'RFC 5280 §6.3.3 (b)(2)',
    meaning: 'a revocation list does not cover the certificate: it is for another kind or another distribution point',
    remedy: 'the certification authority must publish the list that belongs to the distribution point',
  },
  crl_invalid: {
    section: 'RFC 5280 §6.3.3 (f), (g)',
    meaning: 'a revocation list was not issued by the authority that issued the certificate',
    remedy: 'the issuer must sign the list itself, with SHA-256 or stronger, and with key usage cRLSign',
  },
  crl_not_yet_valid: {
    section: 'RFC 5280 §5.1.2.4',
    meaning: 'a revocation list is from the future',
    remedy: 'check the clocks of both sides',
  },
  crl_expired: {
    section: 'RFC 5280 §5.1.2.5',
    meaning: 'a revocation list is out of date: the time of its next update has passed',
    remedy: 'the certification authority must publish a current list',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly x509: typeof X509_FAILURES;
  }
}

export type X509FailureCode = keyof typeof X509_FAILURES;

/** Makes the failure of a code from {@link X509_FAILURES}; an unavailable list is not the sender's fault: see {@link crlUnavailable}. */
export const x509Failure: (
  code: Exclude<X509FailureCode, 'crl_unavailable'>,
  detail?: string,
  cause?: unknown,
) => VerificationFailure = failureFamily(X509_FAILURES);

/** `crl_unavailable`: a ProcessingFailure, so that it becomes PROCESSING_ERROR and not a verdict about the sender. */
export function crlUnavailable(cause?: unknown): ProcessingFailure {
  const { meaning, remedy } = X509_FAILURES.crl_unavailable;
  return new ProcessingFailure('crl_unavailable', meaning, cause, remedy);
}
