import type { JweFault } from './callbacks';
import type { JsonObject, Patch } from './json';
import type { JwtFault } from './keys';

/** What could be disclosed of one credential, for a caller that wants to choose. */
export interface DisclosureChoice {
  /** Id of the credential query. */
  readonly queryId: string;
  /** Everything that can be disclosed; the parts of a path are joined with dots. */
  readonly available: readonly string[];
  /** What the query requests, including parents. */
  readonly requested: readonly string[];
}

/** A fault of a broken or hostile wallet in a presentation; everything else stays correct. */
export interface PresentationFaults {
  /**
   * Changes the SD-JWT (ends with `~`) before key binding: drops, adds or repeats disclosures. `sd_hash` matches the
   * result.
   */
  readonly sdJwt?: (sdJwt: string, queryId: string) => string;
  /** Changes the KB-JWT: `aud`, `nonce`, `iat`, `sd_hash`, `transaction_data_hashes`, `typ`, the signature, the key. */
  readonly keyBinding?: JwtFault;
  /** Sends the presentation without KB-JWT. */
  readonly withoutKeyBinding?: boolean;
  /** Changes the finished presentation, including the KB-JWT: `sd_hash` no longer matches. */
  readonly presentation?: (presentation: string, queryId: string) => string;
  /** Changes the `vp_token`: other ids, strings instead of arrays, a second presentation. */
  readonly vpToken?: (vpToken: Readonly<Record<string, readonly string[]>>) => unknown;
  /** Changes members of the response before encryption: another `state` or none, `id_token`, `error`. */
  readonly response?: Patch;
  /** Encrypts this string instead of the response's JSON. */
  readonly plaintext?: (json: string) => string;
  /** Changes the encryption: `kid`, `enc`, `alg`, recipient, tag. */
  readonly jwe?: JweFault;
  /** Sends the members of the response as form parameters, unencrypted. */
  readonly withoutEncryption?: boolean;
  /** Changes the form that is posted. */
  readonly form?: (form: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
}

export interface PresentationOptions {
  /** Refuses: sends `error=access_denied`, encrypted, or as plain form parameters with `plain`. */
  readonly deny?: boolean | 'plain';
  /** The error code of the refusal; default `access_denied`. */
  readonly error?: string;
  readonly errorDescription?: string;
  /** Ids of stored credentials to use for a credential query, whether they match it or not. */
  readonly credentials?: Readonly<Record<string, readonly string[]>>;
  /** Called with the query of the verified request before anything is selected; may fill the wallet; returns `credentials`. */
  readonly supply?: (dcqlQuery: JsonObject) => Promise<Readonly<Record<string, readonly string[]>> | undefined>;
  /** Chooses what to disclose; default: exactly what was requested. */
  readonly disclose?: (choice: DisclosureChoice) => readonly string[];
  /** How to fetch the request object; default: as the request URI says. POST sends a fresh `wallet_nonce`. */
  readonly requestUriMethod?: 'get' | 'post';
  /** `wallet_metadata` of a POST; default: this wallet's capabilities. */
  readonly walletMetadata?: JsonObject;
  /**
   * Types of transaction data that the user understands and agrees to, or any; default none, which refuses such requests.
   */
  readonly transactionDataTypes?: readonly string[] | 'any';
  /** How the user authenticated (TS12 §3.6): sent with a fresh `jti` beside the hashes of transaction data. */
  readonly authenticationFactors?: readonly JsonObject[];
  /** What the wallet puts into `apu` of the encrypted response (RFC 7518 §4.6.1.2); default: nothing. */
  readonly partyInfo?: string;
  readonly faults?: PresentationFaults;
}

/** What the verifier answered to the response. */
export interface PresentationResult {
  /** Where the verifier redirects the user's browser. */
  readonly redirectUri?: string;
  readonly status: number;
  readonly body: unknown;
}
