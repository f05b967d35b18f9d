import { ApiError, decodeUtf8, parseJsonBytes, type JsonValue } from '@vestibule/foundation';
import type { FastifyInstance } from 'fastify';

/** A wallet's body by its media type; JSON that cannot be parsed has no value, for the service to refuse in its way. */
export type WalletBody =
  | { readonly kind: 'form'; readonly entries: [string, string][] }
  | { readonly kind: 'json'; readonly value: JsonValue | undefined }
  | { readonly kind: 'jwt'; readonly text: string }
  | { readonly kind: 'other' };

const ANY_TYPE = '*';
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const JWT_TYPE = 'application/jwt';

/** What a body means. Its bytes are there, at least one; what it throws goes to the caller. */
type Parse = (bytes: Buffer) => unknown;

function parseBodies(instance: FastifyInstance, mediaType: string, parse: Parse): void {
  instance.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    try {
      // Clients announce a media type for bodies that are not there.
      done(null, bytes.byteLength === 0 ? undefined : parse(bytes));
    } catch (error) {
      done(error as Error);
    }
  });
}

function refusal(code: string, detail: string): ApiError {
  return new ApiError({ kind: 'invalid', code, detail });
}

/** Management bodies are JSON: bounded, strict UTF-8, and no member name twice. */
export function parseManagementBodies(instance: FastifyInstance): void {
  parseBodies(instance, JSON_TYPE, (bytes) => {
    const body = parseJsonBytes(bytes);
    if (body !== undefined) return body;
    throw refusal('invalid_json', 'the body is not JSON, nests deeper than 32 levels or has a member name twice');
  });
  parseBodies(instance, ANY_TYPE, () => {
    throw refusal('unsupported_media_type', 'send the body with content-type application/json');
  });
}

/** As many as the contracts of the bus take; a body of separators alone must not become half a million of them first. */
const MAX_FORM_FIELDS = 100;

/** The fields of a form in their order (WHATWG URL, application/x-www-form-urlencoded); `other` unless it is UTF-8 and bounded. */
export function parseWalletForm(bytes: Uint8Array): WalletBody {
  const text = decodeUtf8(bytes);
  const isBounded = text !== undefined && text.split('&', MAX_FORM_FIELDS + 1).length <= MAX_FORM_FIELDS;
  return isBounded ? { kind: 'form', entries: [...new URLSearchParams(text)] } : { kind: 'other' };
}

/** Wallet bodies: a form, JSON, a compact JWE, or something that no endpoint takes. */
export function parseWalletBodies(instance: FastifyInstance): void {
  parseBodies(instance, FORM, parseWalletForm);
  parseBodies(instance, JSON_TYPE, (bytes): WalletBody => ({ kind: 'json', value: parseJsonBytes(bytes) }));
  parseBodies(instance, JWT_TYPE, (bytes): WalletBody => ({ kind: 'jwt', text: bytes.toString('latin1') }));
  parseBodies(instance, ANY_TYPE, (): WalletBody => ({ kind: 'other' }));
}
