import {
  DomainError,
  OAUTH_ERRORS,
  toErrorDescription,
  type OAuthErrorCode,
  type OAuthErrorEntry,
} from '@vestibule/foundation';

/**
 * An error that a wallet hears. `detail` is always the meaning of the code, so that an answer does not tell which check
 * failed; `reason` does, for the operator's log. Neither ever holds a value from the request. `freshNonce` goes with
 * `use_dpop_nonce` and `use_attestation_challenge`: what the wallet shall repeat its request with.
 */
export class OAuthError extends DomainError {
  declare readonly code: OAuthErrorCode;
  readonly reason: string;

  constructor(code: OAuthErrorCode, reason?: string, cause?: unknown, freshNonce?: string) {
    const { kind, meaning }: OAuthErrorEntry = OAUTH_ERRORS[code];
    super({ kind, code, detail: toErrorDescription(meaning), cause, freshNonce });
    this.reason = toErrorDescription(reason ?? meaning);
  }
}
