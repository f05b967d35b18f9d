/** An error that the wallet reports instead of credentials (OpenID4VP 1.0 §8.5). */
export interface WalletError {
  readonly code: string;
  readonly description?: string;
}

const MAX_CODE_LENGTH = 128;
const MAX_DESCRIPTION_LENGTH = 256;

/** Keeps the characters that RFC 6749 §4.1.2.1 allows in `error` and `error_description`. */
function allowedCharacters(text: string, maxLength: number): string {
  return text.replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '').slice(0, maxLength);
}

/** The wallet's error as it may be shown; a code without one allowed character becomes `unspecified_error`. */
export function walletError(code: string, description: unknown): WalletError {
  const cleanCode = allowedCharacters(code, MAX_CODE_LENGTH).trim() || 'unspecified_error';
  const clean = typeof description === 'string' ? allowedCharacters(description, MAX_DESCRIPTION_LENGTH).trim() : '';
  return clean === '' ? { code: cleanCode } : { code: cleanCode, description: clean };
}
