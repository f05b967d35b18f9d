import type { Persistence } from './journey';
import type { JsonObject } from './json';
import type { EcPublicJwk, JwtFault } from './keys';

/**
 * `none`: no DPoP proof, and the token is sent as Bearer. `other_key`: a valid proof with a key that the token is not
 * bound to.
 */
export type DpopFault = 'none' | 'other_key' | JwtFault;

/** A fault of a broken or hostile wallet; everything else stays correct. */
export interface IssuanceFaults {
  /** Changes the form of the token request: another code, no `tx_code`, another `grant_type`. */
  readonly tokenRequest?: (form: URLSearchParams) => void;
  /** DPoP proof of the token request. */
  readonly tokenDpop?: DpopFault;
  /** DPoP proof of the credential request (and the deferred one). */
  readonly credentialDpop?: DpopFault;
  /** Changes the access token before it is used. */
  readonly accessToken?: (token: string) => string;
  /** Uses this nonce in the key proofs instead of a fresh one. */
  readonly nonce?: string;
  /** Changes every key proof: `aud`, `nonce`, `iat`, `typ`, `jwk`, the signature. */
  readonly proof?: JwtFault;
  /** Changes the list of key proofs: drops, repeats or replaces some. */
  readonly proofs?: (proofs: readonly string[]) => readonly unknown[];
  /** Changes the JSON of the credential request. */
  readonly credentialRequest?: (body: JsonObject) => unknown;
  /** Changes the headers of the credential request, after everything else. */
  readonly credentialHeaders?: (headers: Headers) => void;
  /** Sends exactly the same request twice, including proofs, and continues with the second answer. */
  readonly repeat?: 'token' | 'credential';
}

/** Attests a wallet's keys (OpenID4VCI 1.0 Appendix D); receives the public keys and the nonce. */
export interface KeyAttestation {
  /** In the header of each `jwt` proof, or alone as the `attestation` proof. */
  readonly proofType: 'jwt' | 'attestation';
  readonly attest: (keys: readonly EcPublicJwk[], nonce: string | undefined) => Promise<string>;
}

/**
 * A repeated request has a new DPoP proof and is otherwise unchanged. With `retrySeconds` the wallet proves its keys
 * again if the issuer no longer accepts their nonce.
 */
export interface RedeemOptions extends Persistence {
  /** Transaction code that the user received over another channel. */
  readonly txCode?: string;
  /** Which configurations of the offer to fetch; default: all of them. */
  readonly configurationIds?: readonly string[];
  /**
   * The number of credentials, each with its own key, to fetch per configuration, or as many as the issuer allows up to a
   * number; default 1.
   */
  readonly batch?: number | { readonly atMost: number };
  /** Requests encryption of requests and responses (OpenID4VCI 1.0 §10). */
  readonly encrypt?: boolean;
  /** Wallet attestation for this wallet's instance key (`oauth-client-attestation+jwt`); default: anonymous. */
  readonly clientAttestation?: string;
  readonly keyAttestation?: KeyAttestation;
  /** False skips fetching the Type Metadata at the `vct` URL. */
  readonly typeMetadata?: boolean;
  /** False skips the notification endpoint; default `credential_accepted`. */
  readonly notify?: false | 'credential_accepted' | 'credential_failure' | 'credential_deleted';
  readonly faults?: IssuanceFaults;
}
