import { DomainError, ProcessingFailure, VerificationFailure, type ErrorCode } from '@vestibule/foundation';
import type { CheckEntry, FlowType, VerifiedPresentation, WalletError } from '@vestibule/oid4vp';

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

/** The check that an error ended, as the decision record names it. */
export type FailedCheck = Pick<CheckEntry, 'check' | 'credential'>;

/** What these checks fetch: failures to fetch are the same for any document. */
const FETCHED: Readonly<Record<string, string>> = {
  status: 'the status list',
  issuer_metadata_document: 'the metadata of an issuer',
};

function placeOf(code: ErrorCode, at: FailedCheck | undefined): string {
  const document = code.startsWith('egress_') ? FETCHED[at?.check ?? ''] : undefined;
  const credential = at?.credential === undefined ? '' : `credential "${at.credential}": `;
  return document === undefined ? credential : `${credential}${document}: `;
}

/**
 * The outcome for an error. `errorDetails` is its stable code, then the credential query that was being checked, then
 * the document that was fetched for it, if one could not be, then the sentence. None contains a value from the wallet.
 */
export function failed(error: unknown, causedByWallet: boolean, at?: FailedCheck): PresentationOutcome {
  const known = error instanceof DomainError ? error : undefined;
  const code = known?.code ?? 'internal_error';
  const reason = reasonBehind(error) ?? code;
  const place = placeOf(code, at);
  const errorDetails = `${code}: ${place}${known?.detail ?? 'an internal error occurred'}`;
  if (error instanceof VerificationFailure) return { status: 'VERIFICATION_FAILED', errorDetails, reason };
  return {
    status: 'PROCESSING_ERROR',
    errorDetails,
    reason,
    causedByWallet: causedByWallet && error instanceof ProcessingFailure,
  };
}
