export * from './certificate';
export * from './certificate-request-command';
export { isSelfSigned } from './certificate-algorithms';
export { type CertificateExtensions, type KeyUsage } from './certificate-extensions';
export { crowdedNames } from './certifying-anchors';
export * from './chain-verifier';
export { configurationFault, X509_CONFIGURATION_FAULTS, type X509ConfigurationFaultCode } from './configuration-faults';
export { MAX_CRL_BYTES, parseCrl, verifyCrl, type Crl } from './crl';
export { findRevocation, isRevoked, MAX_CRL_ENTRIES, type Revocation, type RevocationReason } from './crl-entries';
export { type CrlScope } from './crl-extensions';
export {
  EXTENDED_KEY_USAGE_POLICIES,
  EXTENDED_KEY_USAGES,
  isUsableFor,
  type ExtendedKeyUsagePolicy,
} from './extended-key-usage';
export * from './failures';
export * from './issuer-binding';
export * from './read-signing-certificate';
export * from './revocation';
export * from './signing-certificate';
export * from './status-authority';
export { subjectValues } from './subject-values';
export { parseTlsAuthorities } from './tls-authorities';
export * from './trust-anchor';
export * from './trust-policy';
export { verifyChain, type ChainContext, type VerifiedChain } from './verify-chain';
export { requireValidAt, type Instant } from './verify-links';
export { encodePem, encodeX5c, MAX_CHAIN_LENGTH, parseCertificateFile, parsePemCertificates, parseX5c } from './x5c';
