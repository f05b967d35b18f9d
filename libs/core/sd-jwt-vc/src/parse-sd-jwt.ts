import {
  countJsonValues,
  inexactNumberDetail,
  isBase64url,
  isJsonObject,
  ownMember,
  parseJsonBytes,
  type JsonLimits,
  type JsonObject,
} from '@vestibule/foundation';
import { parseCompactJws, requireEs256, type CompactJws } from '@vestibule/crypto';
import { parseDisclosure, type Disclosure } from './disclosure';
import { sdJwtFailure } from './failures';
import { DEFAULT_HASH_ALGORITHM, isHashAlgorithm, type HashAlgorithm } from './hash-algorithm';
import { ISSUER_JWT, renamingFailures } from './jose-failure';

export interface SdJwtLimits {
  /** Length of the whole text in characters. */
  readonly maxLength: number;
  readonly maxDisclosures: number;
  /** Nesting of arrays and objects, the payload itself being 1; counted across disclosures. */
  readonly maxDepth: number;
  /** JSON values in the payload and its disclosures together: containers, elements, members and digests. */
  readonly maxValues: number;
}

export const DEFAULT_SD_JWT_LIMITS: SdJwtLimits = {
  maxLength: 1_048_576,
  maxDisclosures: 500,
  maxDepth: 32,
  maxValues: 20_000,
};

const MAX_HEADER_LENGTH = 65_536;

/** A parsed SD-JWT in compact form: nothing in it is verified yet. */
export interface SdJwt {
  readonly issuerJws: CompactJws;
  /** The protected header of the issuer's JWT. */
  readonly header: JsonObject;
  /** The payload as signed, with digests. */
  readonly payload: JsonObject;
  readonly hashAlgorithm: HashAlgorithm;
  readonly disclosures: readonly Disclosure[];
  /** The key binding JWT, not parsed; undefined when the SD-JWT ends with a tilde. */
  readonly keyBindingJwt: string | undefined;
  /** JSON values in the payload and its disclosures, as they are written. */
  readonly values: number;
  /** What `sd_hash` covers: everything up to and including the last tilde, as received (RFC 9901 §4.3.1). */
  readonly sdHashInput: string;
  readonly limits: SdJwtLimits;
}

/** A digest placeholder nests one level deeper than the value that it replaces. */
function jsonLimits(limits: SdJwtLimits): JsonLimits {
  return { maxDepth: limits.maxDepth + 1, maxLength: limits.maxLength };
}

function parseIssuerJws(text: string, limits: SdJwtLimits): CompactJws {
  return renamingFailures(ISSUER_JWT, () => {
    const jws = parseCompactJws(text, { maxLength: limits.maxLength, maxHeaderLength: MAX_HEADER_LENGTH });
    requireEs256(jws);
    return jws;
  });
}

/** What a disclosure has around its value: the array, the salt, and mostly a name. */
const VALUES_AROUND = 3;
/** What is left of a payload may have fewer values than the payload, which has `_sd_alg` for example: unpacking is exact. */
const TOLERANCE = 16;

/** Counts before anything is parsed, which costs many times as much; throws `sd_jwt_too_large`. */
function requireFewValues({ payload }: CompactJws, disclosures: readonly string[], { maxValues }: SdJwtLimits): number {
  const atMost = maxValues + TOLERANCE;
  let values = countJsonValues(payload, atMost);
  for (const encoded of disclosures) {
    if (values > atMost) break;
    const bytes = Buffer.from(encoded, 'base64url');
    values += Math.max(0, countJsonValues(bytes, atMost + VALUES_AROUND) - VALUES_AROUND);
  }
  if (values > atMost) throw sdJwtFailure('sd_jwt_too_large', 'the credential contains too many values');
  return values;
}

function parsePayload(jws: CompactJws, limits: SdJwtLimits): JsonObject {
  const payload = parseJsonBytes(jws.payload, jsonLimits(limits));
  const inexact = payload === undefined ? inexactNumberDetail(jws.payload, jsonLimits(limits)) : undefined;
  if (inexact !== undefined) throw sdJwtFailure('number_not_exact', inexact);
  if (!isJsonObject(payload)) throw sdJwtFailure('issuer_jwt_malformed', 'the payload is not acceptable JSON');
  return payload;
}

function parseHashAlgorithm(payload: JsonObject): HashAlgorithm {
  if (!Object.hasOwn(payload, '_sd_alg')) return DEFAULT_HASH_ALGORITHM;
  const name = payload['_sd_alg'];
  if (!isHashAlgorithm(name)) throw sdJwtFailure('sd_alg_unsupported');
  return name;
}

function parseKeyBindingShape(text: string): string | undefined {
  if (text === '') return undefined;
  const parts = text.split('.', 4);
  const isCompactJws = parts.length === 3 && parts.every((part) => part !== '' && isBase64url(part));
  if (!isCompactJws) throw sdJwtFailure('key_binding_malformed');
  return text;
}

/**
 * Splits an SD-JWT in compact form (RFC 9901 §4) and decodes its parts; verifies nothing, and accepts any `typ`.
 * Throws `sd_jwt_malformed`, `sd_jwt_too_large`, `issuer_…`, `number_not_exact`, `sd_alg_unsupported`,
 * `disclosure_malformed`, `claim_name_reserved` and `key_binding_malformed`.
 */
export function parseSdJwt(text: string, limits: SdJwtLimits = DEFAULT_SD_JWT_LIMITS): SdJwt {
  if (text.length > limits.maxLength) throw sdJwtFailure('sd_jwt_too_large');
  const [issuerText = '', ...rest] = text.split('~', limits.maxDisclosures + 3);
  const keyBindingText = rest.pop();
  if (keyBindingText === undefined) throw sdJwtFailure('sd_jwt_malformed', 'there is no tilde');
  if (rest.length > limits.maxDisclosures) throw sdJwtFailure('sd_jwt_too_large', 'there are too many disclosures');
  const issuerJws = parseIssuerJws(issuerText, limits);
  const values = requireFewValues(issuerJws, rest, limits);
  const payload = parsePayload(issuerJws, limits);
  return {
    issuerJws,
    header: issuerJws.header,
    payload,
    hashAlgorithm: parseHashAlgorithm(payload),
    disclosures: rest.map((encoded) => parseDisclosure(encoded, jsonLimits(limits))),
    keyBindingJwt: parseKeyBindingShape(keyBindingText),
    values,
    sdHashInput: text.slice(0, text.lastIndexOf('~') + 1),
    limits,
  };
}

/** The header's `x5c`, undefined when it has none; throws `x5c_malformed` unless it is a non-empty array of strings. */
export function parseX5cHeader(header: JsonObject): readonly string[] | undefined {
  if (!Object.hasOwn(header, 'x5c')) return undefined;
  const x5c = ownMember(header, 'x5c');
  const isChain = Array.isArray(x5c) && x5c.length > 0 && x5c.every((entry) => typeof entry === 'string');
  if (!isChain) throw sdJwtFailure('x5c_malformed');
  return x5c;
}
