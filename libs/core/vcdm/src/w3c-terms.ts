/** Namespaces and terms of VCDM 2.0, VC Data Integrity 1.0 and Bitstring Status List 1.0, as in an expanded document. */
export const XSD = 'http://www.w3.org/2001/XMLSchema#';
const VC = 'https://www.w3.org/2018/credentials#';
const SECURITY = 'https://w3id.org/security#';
const STATUS = 'https://www.w3.org/ns/credentials/status#';

/** The type of `statusSize`, as the context of VCDM 2.0 spells it. */
export const STATUS_INTEGER = 'https://www.w3.org/2001/XMLSchema#integer';

export const CREDENTIAL = `${VC}VerifiableCredential`;
export const PRESENTATION = `${VC}VerifiablePresentation`;
export const ISSUER = `${VC}issuer`;
export const HOLDER = `${VC}holder`;
export const CREDENTIAL_SUBJECT = `${VC}credentialSubject`;
export const CREDENTIAL_STATUS = `${VC}credentialStatus`;
export const VALID_FROM = `${VC}validFrom`;
export const VALID_UNTIL = `${VC}validUntil`;
export const VERIFIABLE_CREDENTIAL = `${VC}verifiableCredential`;

export const BITSTRING_STATUS_LIST_ENTRY = `${STATUS}BitstringStatusListEntry`;
export const BITSTRING_STATUS_LIST_CREDENTIAL = `${STATUS}BitstringStatusListCredential`;
export const BITSTRING_STATUS_LIST = `${STATUS}BitstringStatusList`;
export const STATUS_PURPOSE = `${STATUS}statusPurpose`;
export const STATUS_LIST_INDEX = `${STATUS}statusListIndex`;
export const STATUS_LIST_CREDENTIAL = `${STATUS}statusListCredential`;
export const STATUS_SIZE = `${STATUS}statusSize`;
export const ENCODED_LIST = `${STATUS}encodedList`;
export const STATUS_TTL = `${STATUS}ttl`;

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
