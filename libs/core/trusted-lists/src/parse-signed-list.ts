import {
  decodeBase64url,
  decodeUtf8,
  isJsonObject,
  ownMember,
  parseJson,
  parseJsonBytes,
  type JsonLimits,
  type JsonObject,
} from '@vestibule/foundation';
import { trustedListFailure } from './failures';

/** Bytes of a signed list: about two thousand certificates. */
export const MAX_LIST_BYTES = 4_194_304;
const MAX_HEADER_LENGTH = 65_536;
const HEADER_LIMITS: JsonLimits = { maxDepth: 8, maxLength: MAX_HEADER_LENGTH, maxValues: 200 };
/** Of the list itself. */
const LIST_LIMITS: JsonLimits = { maxDepth: 16, maxLength: MAX_LIST_BYTES, maxValues: 200_000 };

/** A signed list in its parts: nothing in it is verified yet. */
export interface SignedList {
  /** The protected header: everything else in a JWS is not signed, and not read. */
  readonly header: JsonObject;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly signingInput: Uint8Array;
}

interface Parts {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

function compactParts(text: string): Parts | undefined {
  const [header, payload, signature, ...rest] = text.split('.', 4);
  return header && payload && signature && rest.length === 0 ? { header, payload, signature } : undefined;
}

/** Of several signatures it would be open which one counts. */
function onlySignature(jws: JsonObject): JsonObject | undefined {
  const signatures = ownMember(jws, 'signatures');
  if (signatures === undefined) return jws;
  const [first, ...others] = Array.isArray(signatures) ? signatures : [];
  const isGeneral = ownMember(jws, 'signature') === undefined && ownMember(jws, 'protected') === undefined;
  return isGeneral && others.length === 0 && isJsonObject(first) ? first : undefined;
}

function jsonParts(text: string): Parts | undefined {
  const jws = parseJson(text, { ...HEADER_LIMITS, maxLength: MAX_LIST_BYTES });
  const signed = isJsonObject(jws) ? onlySignature(jws) : undefined;
  if (!isJsonObject(jws) || !signed) return undefined;
  const [header, payload, signature] = [
    ownMember(signed, 'protected'),
    ownMember(jws, 'payload'),
    ownMember(signed, 'signature'),
  ];
  return typeof header === 'string' && typeof payload === 'string' && typeof signature === 'string'
    ? { header, payload, signature }
    : undefined;
}

/**
 * Takes a signed list apart: a JWS in compact, flattened or general serialization (RFC 7515 §7), the last with one
 * signature. Throws `trusted_list_too_large` and `trusted_list_malformed`.
 */
export function parseSignedList(bytes: Uint8Array): SignedList {
  if (bytes.byteLength > MAX_LIST_BYTES) throw trustedListFailure('trusted_list_too_large');
  const text = decodeUtf8(bytes)?.trim() ?? '';
  const parts = text.startsWith('{') ? jsonParts(text) : compactParts(text);
  if (!parts || parts.header.length > MAX_HEADER_LENGTH) throw trustedListFailure('trusted_list_malformed');
  const headerBytes = decodeBase64url(parts.header);
  const header = headerBytes && parseJsonBytes(headerBytes, HEADER_LIMITS);
  const payload = decodeBase64url(parts.payload);
  const signature = decodeBase64url(parts.signature);
  if (!isJsonObject(header) || !payload || !signature) throw trustedListFailure('trusted_list_malformed');
  return { header, payload, signature, signingInput: Buffer.from(`${parts.header}.${parts.payload}`, 'ascii') };
}

/** The payload as JSON: an object without repeated member names. Throws `trusted_list_malformed`. */
export function parseListPayload(payload: Uint8Array): JsonObject {
  const value = parseJsonBytes(payload, LIST_LIMITS);
  if (isJsonObject(value)) return value;
  throw trustedListFailure('trusted_list_malformed', 'the payload is not JSON, or repeats a member name');
}
