import {
  encodeBase64url,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type RandomBytes,
} from '@vestibule/foundation';
import { sha256Base64url } from '@vestibule/crypto';

const SALT_BYTES = 16;

/** `sd` of a claim in Type Metadata (SD-JWT VC §5.6.4): `allowed` is taken as always, only `never` leaves a claim plain. */
export type Disclosability = 'always' | 'allowed' | 'never';

/** Says for the claim or array element at `path` whether the holder may keep it back. An index stands for an element. */
export type DisclosurePlan = (path: readonly (string | number)[]) => Disclosability;

export interface ConcealedClaims {
  /** The claims with digests where something is disclosable; no `_sd_alg`, which stands at the top of the payload. */
  readonly payload: JsonObject;
  readonly disclosures: readonly string[];
}

interface Concealing {
  readonly plan: DisclosurePlan;
  readonly random: RandomBytes;
  readonly disclosures: string[];
}

type Path = readonly (string | number)[];

/** Adds a disclosure with a salt of its own and returns its digest. */
function addDisclosure(concealing: Concealing, elements: readonly JsonValue[]): string {
  const salt = encodeBase64url(concealing.random(SALT_BYTES));
  const encoded = encodeBase64url(Buffer.from(JSON.stringify([salt, ...elements]), 'utf8'));
  concealing.disclosures.push(encoded);
  return sha256Base64url(encoded);
}

function concealObject(concealing: Concealing, source: JsonObject, path: Path): JsonObject {
  const target: JsonObject = {};
  const digests: string[] = [];
  for (const name of Object.keys(source)) {
    const here = [...path, name];
    const value = concealValue(concealing, source[name] as JsonValue, here);
    if (concealing.plan(here) === 'never') setOwnMember(target, name, value);
    else digests.push(addDisclosure(concealing, [name, value]));
  }
  // Sorted, so that the order says nothing about the order of the claims (RFC 9901 §4.2.4.1).
  if (digests.length > 0) target['_sd'] = digests.sort();
  return target;
}

function concealValue(concealing: Concealing, value: JsonValue, path: Path): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (!Array.isArray(value)) return concealObject(concealing, value, path);
  return value.map((item, index) => {
    const here = [...path, index];
    const element = concealValue(concealing, item, here);
    if (concealing.plan(here) === 'never') return element;
    return { '...': addDisclosure(concealing, [element]) };
  });
}

/**
 * Replaces what is disclosable by SHA-256 digests and makes the disclosures, children before their parents
 * (RFC 9901 §4.2). Every salt has 128 fresh bits; claims without anything disclosable come back as they are.
 */
export function concealClaims(claims: JsonObject, plan: DisclosurePlan, random: RandomBytes): ConcealedClaims {
  const concealing: Concealing = { plan, random, disclosures: [] };
  return { payload: concealObject(concealing, claims, []), disclosures: concealing.disclosures };
}
