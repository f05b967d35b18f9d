export {
  concealClaims,
  countDisclosures,
  MAX_DISCLOSURES,
  type ConcealedClaims,
  type Disclosability,
  type DisclosurePlan,
} from './conceal-claims';
export * from './confirmation-key';
export * from './delivered-claims';
export type { Disclosure } from './disclosure';
export { SD_JWT_FAILURES, type SdJwtFailureCode } from './failures';
export * from './hash-algorithm';
export * from './issuance-errors';
export * from './issue-sd-jwt-vc';
export * from './issuer-metadata';
export type { ConfirmedTransactionData, RequestedTransactionData } from './match-transaction-data';
export { DEFAULT_SD_JWT_LIMITS, type SdJwt, type SdJwtLimits } from './parse-sd-jwt';
export * from './parse-sd-jwt-vc';
export * from './reserved-claims';
export * from './round-validity';
export * from './unpack-claims';
export { compactClaims, type DisclosedPlaces } from './unpack-payload';
export * from './verify-issuer-signature';
export * from './verify-key-binding';
export {
  verifyAdministrativeValidity,
  verifyAudience,
  verifyValidity,
  type ValidityPeriod,
  type ValidityPolicy,
} from './verify-validity';
export * from './integrity';
export { readTypeExtensions, type TypeDocument } from './type-extensions';
