import { decodeUtf8, parseJsonBytes, type JsonValue } from '@vestibule/foundation';
import type { BodyParser } from '../http/body-parsing';

/** A wallet's body by its media type; JSON that cannot be parsed has no value, for the service to refuse in its way. */
export type WalletBody =
  | { readonly kind: 'form'; readonly entries: [string, string][] }
  | { readonly kind: 'json'; readonly value: JsonValue | undefined }
  | { readonly kind: 'jwt'; readonly text: string }
  | { readonly kind: 'other' };

/** As many as the contracts of the bus take; a body of separators alone must not become half a million of them first. */
const MAX_FORM_FIELDS = 100;

/** The fields of a form in their order (WHATWG URL, application/x-www-form-urlencoded); `other` unless it is UTF-8 and bounded. */
export function parseWalletForm(bytes: Uint8Array): WalletBody {
  const text = decodeUtf8(bytes);
  const isBounded = text !== undefined && text.split('&', MAX_FORM_FIELDS + 1).length <= MAX_FORM_FIELDS;
  return isBounded ? { kind: 'form', entries: [...new URLSearchParams(text)] } : { kind: 'other' };
}

const parseJson = (bytes: Buffer): WalletBody => ({ kind: 'json', value: parseJsonBytes(bytes) });

/** Bodies of wallets: a form, JSON, a compact JWE, or something that no endpoint takes. */
export const WALLET_BODIES: BodyParser = {
  types: {
    'application/x-www-form-urlencoded': parseWalletForm,
    'application/json': parseJson,
    'application/merge-patch+json': parseJson,
    'application/jwt': (bytes) => ({ kind: 'jwt', text: bytes.toString('latin1') }) satisfies WalletBody,
  },
  others: () => ({ kind: 'other' }) satisfies WalletBody,
};
