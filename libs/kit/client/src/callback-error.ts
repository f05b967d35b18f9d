import { VestibuleError } from './errors';

/**
 * Why a callback is not accepted. `secret_missing`, `secret_invalid` and `body_not_raw` are errors of the program that
 * calls; the others are about the request, which may come from anyone.
 */
export type CallbackErrorCode =
  | 'secret_missing'
  | 'secret_invalid'
  | 'body_not_raw'
  | 'header_missing'
  | 'header_malformed'
  | 'timestamp_out_of_tolerance'
  | 'signature_mismatch'
  | 'body_malformed'
  | 'event_unknown';

/** A callback is not accepted: do not act on it. */
export class CallbackError extends VestibuleError {
  override readonly name = 'CallbackError';

  constructor(
    readonly code: CallbackErrorCode,
    message: string,
  ) {
    super(message);
  }
}
