import {
  ApiError,
  decodeUtf8,
  inexactNumberFaults,
  parseJsonBytes,
  type Fault,
  type JsonValue,
} from '@vestibule/foundation';
import type { FastifyInstance } from 'fastify';
import { isBackendRoute } from './backend-route';

/** A wallet's body by its media type; JSON that cannot be parsed has no value, for the service to refuse in its way. */
export type WalletBody =
  | { readonly kind: 'form'; readonly entries: [string, string][] }
  | { readonly kind: 'json'; readonly value: JsonValue | undefined }
  | { readonly kind: 'jwt'; readonly text: string }
  | { readonly kind: 'other' };

const ANY_TYPE = '*';
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MERGE_PATCH_TYPE = 'application/merge-patch+json';
const JWT_TYPE = 'application/jwt';

/** What a body of a request to this address means. Its bytes are there, at least one; what it throws goes to the caller. */
type Parse = (bytes: Buffer, url: string) => unknown;

function parseBodies(instance: FastifyInstance, mediaType: string, parse: Parse): void {
  instance.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    try {
      // Clients announce a media type for bodies that are not there.
      done(null, bytes.byteLength === 0 ? undefined : parse(bytes, request.url));
    } catch (error) {
      done(error as Error);
    }
  });
}

function refusal(code: string, detail: string, faults: readonly Fault[] = []): ApiError {
  return new ApiError({ kind: 'invalid', code, detail, faults });
}

function parseBackendJson(bytes: Buffer): JsonValue {
  const body = parseJsonBytes(bytes);
  if (body !== undefined) return body;
  const faults = inexactNumberFaults(bytes);
  if (faults.length > 0) throw refusal('invalid_request', 'numbers of the body would become other numbers', faults);
  throw refusal('invalid_json', 'the body is not JSON, is nested more than 32 levels deep, or repeats a member name');
}

function refuseMediaType(): never {
  throw refusal('unsupported_media_type', 'send the body with content-type application/json');
}

/** Management bodies are JSON: bounded, strict UTF-8, no member name twice, and no number that would become another one. */
export function parseManagementBodies(instance: FastifyInstance): void {
  parseBodies(instance, JSON_TYPE, parseBackendJson);
  parseBodies(instance, MERGE_PATCH_TYPE, parseBackendJson);
  parseBodies(instance, ANY_TYPE, refuseMediaType);
}

/** Backends on the public listener get no larger bodies than on the management listener. */
function parsePublicJson(bytes: Buffer, url: string, maxBackendBytes: number): WalletBody | JsonValue {
  if (!isBackendRoute(url)) return { kind: 'json', value: parseJsonBytes(bytes) } satisfies WalletBody;
  if (bytes.byteLength <= maxBackendBytes) return parseBackendJson(bytes);
  throw new ApiError({
    kind: 'too_large',
    code: 'body_too_large',
    detail: 'the body is larger than this address takes',
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

/** Bodies of the public listener: of a wallet, a form, JSON, a compact JWE, or something that no endpoint takes; of a backend, JSON. */
export function parsePublicBodies(
  instance: FastifyInstance,
  { maxBackendBytes }: { readonly maxBackendBytes: number },
): void {
  const ofWallets = (mediaType: string, parse: (bytes: Buffer) => WalletBody) =>
    parseBodies(instance, mediaType, (bytes, url) => (isBackendRoute(url) ? refuseMediaType() : parse(bytes)));
  ofWallets(FORM, parseWalletForm);
  for (const type of [JSON_TYPE, MERGE_PATCH_TYPE]) {
    parseBodies(instance, type, (bytes, url) => parsePublicJson(bytes, url, maxBackendBytes));
  }
  ofWallets(JWT_TYPE, (bytes) => ({ kind: 'jwt', text: bytes.toString('latin1') }));
  ofWallets(ANY_TYPE, () => ({ kind: 'other' }));
}
