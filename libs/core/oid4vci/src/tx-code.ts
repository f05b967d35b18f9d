import { hmacSha256 } from '@vestibule/crypto';
import type { RandomBytes } from '@vestibule/foundation';

/** The characters of a transaction code (OpenID4VCI 1.0 §4.1.1). */
export type TxCodeInputMode = 'numeric' | 'text';

/** What a backend asked for: how the code that reaches the user on another channel looks. */
export interface TxCodeRequest {
  readonly inputMode: TxCodeInputMode;
  readonly length: number;
  readonly description?: string;
}

/** No 0, O, 1 and I: the code is read from one screen and typed into another. */
const ALPHABETS: Readonly<Record<TxCodeInputMode, string>> = {
  numeric: '0123456789',
  text: '23456789ABCDEFGHJKLMNPQRSTUVWXYZ',
};

/** Draws a transaction code; every character is equally likely, because bytes beyond the last full cycle are dropped. */
export function createTxCode(request: Pick<TxCodeRequest, 'inputMode' | 'length'>, random: RandomBytes): string {
  const alphabet = ALPHABETS[request.inputMode];
  const limit = 256 - (256 % alphabet.length);
  let code = '';
  while (code.length < request.length) {
    for (const byte of random(request.length)) {
      if (byte < limit && code.length < request.length) code += alphabet[byte % alphabet.length];
    }
  }
  return code;
}

/**
 * What is stored of a transaction code, and what an entered one is compared by: HMAC-SHA-256 under a server key, bound to
 * its offer. Codes hold no small letters, so small ones are taken for capitals.
 */
export function txCodeDigest(key: Uint8Array, offerId: string, code: string): Uint8Array {
  return hmacSha256(key, `vestibule tx_code\0${offerId}\0${code.toUpperCase()}`);
}
