/** Namespaces and terms of VCDM 2.0 and VC Data Integrity 1.0, as in an expanded document. */
export const XSD = 'http://www.w3.org/2001/XMLSchema#';
const VC = 'https://www.w3.org/2018/credentials#';
const SECURITY = 'https://w3id.org/security#';

export const CREDENTIAL = `${VC}VerifiableCredential`;
export const PRESENTATION = `${VC}VerifiablePresentation`;
export const ISSUER = `${VC}issuer`;
export const HOLDER = `${VC}holder`;
export const CREDENTIAL_SUBJECT = `${VC}credentialSubject`;
export const CREDENTIAL_STATUS = `${VC}credentialStatus`;
export const VALID_FROM = `${VC}validFrom`;
export const VALID_UNTIL = `${VC}validUntil`;
export const VERIFIABLE_CREDENTIAL = `${VC}verifiableCredential`;

export const DATA_INTEGRITY_PROOF = `${SECURITY}DataIntegrityProof`;
export const CRYPTOSUITE = `${SECURITY}cryptosuite`;
export const PROOF_PURPOSE = `${SECURITY}proofPurpose`;
export const VERIFICATION_METHOD = `${SECURITY}verificationMethod`;
export const CHALLENGE = `${SECURITY}challenge`;
export const DOMAIN = `${SECURITY}domain`;
export const CREATED = 'http://purl.org/dc/terms/created';
export const EXPIRATION = `${SECURITY}expiration`;
export const PURPOSES = {
  assertionMethod: `${SECURITY}assertionMethod`,
  authentication: `${SECURITY}authenticationMethod`,
} as const;
