export { type BuiltPresentation } from './build-presentation';
export { type JweFault } from './callbacks';
export { type StoredCredential } from './credential-store';
export { issueForeignCredential, type ForeignCredential } from './foreign-issuer';
export { type DpopFault, type IssuanceFaults, type KeyAttestation, type RedeemOptions } from './issuance-options';
export { type WalletStep } from './journey';
export { type JsonObject, type Patch } from './json';
export { type EcPublicJwk, type JwtFault } from './keys';
export {
  type DisclosureChoice,
  type PresentationFaults,
  type PresentationOptions,
  type PresentationResult,
} from './presentation-options';
export { type DeferredIssuance, type Issuance } from './redeem-offer';
export { ServerRefusal, WalletRefusal, type RefusalCode } from './refusal';
export { type VerifiedRequest } from './resolve-request';
export { selectCredentials, type ClaimPath, type Selection } from './select-credentials';
export { createWallet, type SavedWallet, type Wallet, type WalletOptions } from './wallet';
