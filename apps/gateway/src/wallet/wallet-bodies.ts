import { decodeUtf8, parseJsonBytes, type JsonValue } from '@vestibule/foundation';
import type { BodyParser } from '../http/body-parsing';

/**
 * A wallet's body by its media type; JSON that cannot be parsed has no value, and the service refuses it in its own
 * format.
 */
export type WalletBody =
  | { readonly kind: 'form'; readonly entries: [string, string][] }
  | { readonly kind: 'json'; readonly value: JsonValue | undefined }
  | { readonly kind: 'jwt'; readonly text: string }
  | { readonly kind: 'other' };

/**
 * As many as the contracts of the bus allow; a body of nothing but separators must not be split into half a million
 * fields first.
 */
const MAX_FORM_FIELDS = 100;

/**
 * The fields of a form in order (WHATWG URL, application/x-www-form-urlencoded); `other` if it is not UTF-8 or exceeds
 * a bound.
 */
export function parseWalletForm(bytes: Uint8Array): WalletBody {
  const text = decodeUtf8(bytes);
  const isBounded = text !== undefined && text.split('&', MAX_FORM_FIELDS + 1).length <= MAX_FORM_FIELDS;
  // The constructor drops one question mark, which of a body would be one of its first name.
  return isBounded ? { kind: 'form', entries: [...new URLSearchParams(`?${text}`)] } : { kind: 'other' };
}

const parseJson = (bytes: Buffer): WalletBody => ({ kind: 'json', value: parseJsonBytes(bytes) });

/** Bodies of wallets: a form, JSON, a compact JWE, or a type that no endpoint accepts. */
export const WALLET_BODIES: BodyParser = {
  types: {
    'application/x-www-form-urlencoded': parseWalletForm,
    'application/json': parseJson,
    'application/merge-patch+json': parseJson,
    'application/jwt': (bytes) => ({ kind: 'jwt', text: bytes.toString('latin1') }) satisfies WalletBody,
  },
  others: () => ({ kind: 'other' }) satisfies WalletBody,
};
