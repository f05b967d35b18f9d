import { hmacSha256 } from '@vestibule/crypto';
import {
  ApiError,
  isJsonObject,
  type Fault,
  type JsonObject,
  type JsonValue,
  type RandomBytes,
} from '@vestibule/foundation';
import { nearName } from './near-name';

/** The characters of a transaction code (OpenID4VCI 1.0 §4.1.1). */
export const TX_CODE_INPUT_MODES = ['numeric', 'text'] as const;
export type TxCodeInputMode = (typeof TX_CODE_INPUT_MODES)[number];

/** What a backend asked for: how the code that reaches the user on another channel looks. */
export interface TxCodeRequest {
  readonly inputMode: TxCodeInputMode;
  readonly length: number;
  readonly description?: string;
}

export const TX_CODE_DEFAULT_LENGTH = 6;
const MIN_LENGTH = 4;
const MAX_LENGTH = 16;
const MAX_DESCRIPTION_LENGTH = 300;
const MEMBERS = ['input_mode', 'length', 'description'];

const isInputMode = (value: JsonValue | undefined): boolean =>
  TX_CODE_INPUT_MODES.some((inputMode) => inputMode === value);
const isLength = (value: JsonValue | undefined): boolean =>
  Number.isInteger(value) && (value as number) >= MIN_LENGTH && (value as number) <= MAX_LENGTH;
const isDescription = (value: JsonValue | undefined): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_DESCRIPTION_LENGTH;

function unknownMember(name: string): Fault {
  const meant = nearName(name, MEMBERS);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return { path: `tx_code.${name.slice(0, 64)}`, message: `is not a known member${hint}` };
}

function txCodeFaults(
  object: JsonObject,
  read: Record<'inputMode' | 'length' | 'description', JsonValue | undefined>,
): Fault[] {
  const faults = Object.keys(object)
    .filter((name) => !MEMBERS.includes(name))
    .map(unknownMember);
  const expect = (holds: boolean, name: string, message: string) => {
    if (!holds) faults.push({ path: `tx_code.${name}`, message });
  };
  expect(isInputMode(read.inputMode), 'input_mode', 'must be numeric or text');
  expect(isLength(read.length), 'length', `must be an integer from ${MIN_LENGTH} to ${MAX_LENGTH}`);
  const described = read.description === undefined || isDescription(read.description);
  expect(described, 'description', `must be text of at most ${MAX_DESCRIPTION_LENGTH} characters`);
  return faults;
}

function invalidTxCode(faults: readonly Fault[]): ApiError {
  return new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'tx_code is not valid', faults });
}

/**
 * Reads the `tx_code` of an offer request: `input_mode` numeric (default) or text, `length` 4 to 16 (default 6),
 * `description` up to 300 characters. Throws an ApiError `invalid_request` with every fault.
 */
export function parseTxCodeRequest(value: unknown): TxCodeRequest {
  if (!isJsonObject(value)) throw invalidTxCode([{ path: 'tx_code', message: 'must be an object' }]);
  const withDefaults: JsonObject = { input_mode: 'numeric', length: TX_CODE_DEFAULT_LENGTH, ...value };
  const { input_mode: inputMode, length, description } = withDefaults;
  const faults = txCodeFaults(value, { inputMode, length, description });
  if (faults.length > 0) throw invalidTxCode(faults);
  return {
    inputMode: inputMode as TxCodeInputMode,
    length: length as number,
    ...(typeof description === 'string' ? { description } : {}),
  };
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
