import { DomainError, ProcessingFailure, VerificationFailure, type ErrorCode } from '@vestibule/foundation';
import type { FlowType, VerifiedPresentation, WalletError } from '@vestibule/oid4vp';

/** How an answered request ended. */
export type PresentationOutcome =
  | {
      readonly status: 'FULFILLED';
      readonly flowType: FlowType;
      /** Only for the same-device flow. */
      readonly responseCode?: string;
      readonly presentations: readonly VerifiedPresentation[];
    }
  | { readonly status: 'REJECTED'; readonly errorDetails: string; readonly errorDescription?: string }
  | { readonly status: 'VERIFICATION_FAILED'; readonly errorDetails: string; readonly reason: ErrorCode }
  | {
      readonly status: 'PROCESSING_ERROR';
      readonly errorDetails: string;
      readonly reason: ErrorCode;
      readonly causedByWallet: boolean;
    };

/** `errorDetails` of a rejection is only the wallet's code; the wallet's description has a separate member. */
export function rejected({ code, description }: WalletError): PresentationOutcome {
  const described = description === undefined ? {} : { errorDescription: description };
  return { status: 'REJECTED', errorDetails: code, ...described };
}

/** The reason why a response cannot be decrypted is for the log; the backend only learns that it cannot. */
function reasonBehind(error: unknown): ErrorCode | undefined {
  const cause = error instanceof ProcessingFailure ? error.hiddenCause() : undefined;
  return cause instanceof VerificationFailure ? cause.code : undefined;
}

/**
 * The outcome for an error. `errorDetails` is its stable code, then the credential query that was being checked, then
 * the sentence. Neither contains a value from the wallet.
 */
export function failed(error: unknown, causedByWallet: boolean, credential?: string): PresentationOutcome {
  const place = credential === undefined ? '' : `credential "${credential}": `;
  const known = error instanceof DomainError ? error : undefined;
  const code = known?.code ?? 'internal_error';
  const reason = reasonBehind(error) ?? code;
  const errorDetails = `${code}: ${place}${known?.detail ?? 'an internal error occurred'}`;
  if (error instanceof VerificationFailure) return { status: 'VERIFICATION_FAILED', errorDetails, reason };
  return {
    status: 'PROCESSING_ERROR',
    errorDetails,
    reason,
    causedByWallet: causedByWallet && error instanceof ProcessingFailure,
  };
}
