import {
  DomainError,
  OAUTH_ERRORS,
  toErrorDescription,
  VerificationFailure,
  type OAuthErrorCode,
  type OAuthErrorEntry,
  type RefusalCode,
} from '@vestibule/foundation';
import { REFUSAL_REASONS, type RefusalReason, type RefusalReasonEntry } from './refusal-reasons';

/**
 * An error that a wallet receives. `detail` is the meaning of the code, so that an answer does not tell which check
 * failed, except where the user can mend it; `reason` does tell, for the operator's log: a code of
 * {@link RefusalReason}, or that of the failure which is given in its place. `freshNonce` goes with `use_dpop_nonce`
 * and `use_attestation_challenge`: what the wallet shall repeat its request with.
 */
export class OAuthError extends DomainError {
  declare readonly code: OAuthErrorCode;
  declare readonly reason: RefusalCode;

  constructor(code: OAuthErrorCode, reason: RefusalReason | VerificationFailure, cause?: unknown, freshNonce?: string) {
    const { kind, meaning }: OAuthErrorEntry = OAUTH_ERRORS[code];
    const entry: RefusalReasonEntry | undefined = typeof reason === 'string' ? REFUSAL_REASONS[reason] : undefined;
    const detail = toErrorDescription(entry?.told ?? meaning);
    if (reason instanceof VerificationFailure)
      super({ kind, code, detail, reason: reason.code, cause: reason, freshNonce });
    else super({ kind, code, detail, reason, cause, freshNonce });
  }
}
