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

/** `errorDetails` of a rejection is the wallet's code alone; what else the wallet wrote has a member of its own. */
export function rejected({ code, description }: WalletError): PresentationOutcome {
  const described = description === undefined ? {} : { errorDescription: description };
  return { status: 'REJECTED', errorDetails: code, ...described };
}

/**
 * The outcome that an error stands for: its stable code, which is also the `reason`, then the credential query that was
 * being judged, then the sentence. Neither holds a value from the wallet.
 */
export function failed(error: unknown, causedByWallet: boolean, credential?: string): PresentationOutcome {
  const place = credential === undefined ? '' : `credential "${credential}": `;
  const known = error instanceof DomainError ? error : undefined;
  const reason = known?.code ?? 'internal_error';
  const errorDetails = `${reason}: ${place}${known?.detail ?? 'an internal error occurred'}`;
  if (error instanceof VerificationFailure) return { status: 'VERIFICATION_FAILED', errorDetails, reason };
  return {
    status: 'PROCESSING_ERROR',
    errorDetails,
    reason,
    causedByWallet: causedByWallet && error instanceof ProcessingFailure,
  };
}
