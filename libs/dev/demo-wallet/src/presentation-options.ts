import type { JweFault } from './callbacks';
import type { JsonObject, Patch } from './json';
import type { JwtFault } from './keys';

/** What could be shown of one credential, for a caller who wants to show something else. */
export interface DisclosureChoice {
  /** Id of the credential query. */
  readonly queryId: string;
  /** Everything that can be disclosed; parts of a path are joined with dots. */
  readonly available: readonly string[];
  /** What the query asks for, with the parents that lead there. */
  readonly requested: readonly string[];
}

/** One thing that a broken or hostile wallet does with a presentation; everything else stays right. */
export interface PresentationFaults {
  /** Changes the SD-JWT (ends with `~`) before it is bound: drops, adds or repeats disclosures. `sd_hash` fits. */
  readonly sdJwt?: (sdJwt: string, queryId: string) => string;
  /** Spoils the KB-JWT: `aud`, `nonce`, `iat`, `sd_hash`, `transaction_data_hashes`, `typ`, the signature, the key. */
  readonly keyBinding?: JwtFault;
  /** Sends the presentation without KB-JWT. */
  readonly withoutKeyBinding?: boolean;
  /** Changes the finished presentation, KB-JWT included: `sd_hash` no longer fits. */
  readonly presentation?: (presentation: string, queryId: string) => string;
  /** Changes the `vp_token`: other ids, strings instead of arrays, a second presentation. */
  readonly vpToken?: (vpToken: Readonly<Record<string, readonly string[]>>) => unknown;
  /** Changes members of the response before encryption: another `state` or none, `id_token`, `error`. */
  readonly response?: Patch;
  /** Encrypts this text instead of the response's JSON. */
  readonly plaintext?: (json: string) => string;
  /** Spoils the encryption: `kid`, `enc`, `alg`, recipient, tag. */
  readonly jwe?: JweFault;
  /** Sends the members of the response as form parameters, unencrypted. */
  readonly withoutEncryption?: boolean;
  /** Changes the form that is posted. */
  readonly form?: (form: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
}

export interface PresentationOptions {
  /** Refuses: sends `error=access_denied`, encrypted, or as plain form parameters with `plain`. */
  readonly deny?: boolean | 'plain';
  /** Error code to deny with; default `access_denied`. */
  readonly error?: string;
  readonly errorDescription?: string;
  /** Ids of stored credentials to use for a credential query, whether they match it or not. */
  readonly credentials?: Readonly<Record<string, readonly string[]>>;
  /** Chooses what to disclose; default: exactly what was requested. */
  readonly disclose?: (choice: DisclosureChoice) => readonly string[];
  /** How to fetch the request object; default: what the request URI says. POST carries a fresh `wallet_nonce`. */
  readonly requestUriMethod?: 'get' | 'post';
  /** `wallet_metadata` of a POST; default: what this wallet can do. */
  readonly walletMetadata?: JsonObject;
  /** Types of transaction data that the user understands and agrees to; default none, which refuses such requests. */
  readonly transactionDataTypes?: readonly string[];
  readonly faults?: PresentationFaults;
}

/** What the verifier answered to the response. */
export interface PresentationResult {
  /** Where the verifier wants the user's browser to go. */
  readonly redirectUri?: string;
  readonly status: number;
  readonly body: unknown;
}
