import {
  decodeBase64url,
  decodeUtf8,
  inexactNumberDetail,
  parseJsonBytes,
  type JsonLimits,
  type JsonPath,
  type JsonValue,
} from '@vestibule/foundation';
import { sdJwtFailure } from './failures';

/** A disclosure of an object member (three elements) or of an array element (two elements, no name); RFC 9901 §4.2. */
export interface Disclosure {
  /** As received: digests are computed over this and never over anything re-encoded. */
  readonly encoded: string;
  readonly name: string | undefined;
  readonly value: JsonValue;
}

const RESERVED_NAMES: readonly string[] = ['_sd', '...', '_sd_alg'];

function memberDisclosure(encoded: string, name: JsonValue | undefined, value: JsonValue): Disclosure {
  if (typeof name !== 'string') throw sdJwtFailure('disclosure_malformed', 'a claim name is not a string');
  if (RESERVED_NAMES.includes(name)) throw sdJwtFailure('claim_name_reserved');
  return { encoded, name, value };
}

/** The place of a number as seen from the claim: the name of the claim, where the disclosure has one, and what is below. */
function placeInClaim(bytes: Uint8Array): (path: JsonPath) => JsonPath {
  return ([index, ...below]) => {
    const [, name] = JSON.parse(decodeUtf8(bytes) ?? '[]') as JsonValue[];
    return index === 2 && typeof name === 'string' ? [name, ...below] : below;
  };
}

function requireExactNumbers(bytes: Uint8Array, limits: JsonLimits): void {
  const inexact = inexactNumberDetail(bytes, limits, placeInClaim(bytes));
  if (inexact !== undefined) throw sdJwtFailure('number_not_exact', `${inexact}, in a disclosure`);
}

/**
 * Decodes one disclosure (RFC 9901 §7.1 step 3.c).
 * Throws `number_not_exact`, `disclosure_malformed` unless it is base64url of a JSON array [salt, value] or [salt, name, value], and
 * `claim_name_reserved` for the names `_sd`, `_sd_alg` and `...`.
 */
export function parseDisclosure(encoded: string, limits: JsonLimits): Disclosure {
  const bytes = decodeBase64url(encoded);
  const elements = bytes && parseJsonBytes(bytes, limits);
  if (bytes && elements === undefined) requireExactNumbers(bytes, limits);
  if (!Array.isArray(elements)) throw sdJwtFailure('disclosure_malformed');
  const [salt, second, third] = elements;
  if (typeof salt !== 'string') throw sdJwtFailure('disclosure_malformed', 'a salt is not a string');
  if (elements.length === 2 && second !== undefined) return { encoded, name: undefined, value: second };
  if (elements.length === 3 && third !== undefined) return memberDisclosure(encoded, second, third);
  throw sdJwtFailure('disclosure_malformed', 'a disclosure has neither two nor three elements');
}
