import {
  DomainError,
  encodeBase64url,
  isJsonObject,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type RandomBytes,
} from '@vestibule/foundation';
import { sha256Base64url } from '@vestibule/crypto';
import { DEFAULT_SD_JWT_LIMITS } from './parse-sd-jwt';

const SALT_BYTES = 16;

/** Disclosures of one credential: more than verifiers take would only cost, about 10 µs of computing for each. */
export const MAX_DISCLOSURES = DEFAULT_SD_JWT_LIMITS.maxDisclosures;

/** `sd` of a claim in Type Metadata (SD-JWT VC §5.6.4): `allowed` is taken as always, only `never` leaves a claim plain. */
export type Disclosability = 'always' | 'allowed' | 'never';

/**
 * Returns for the claim or array element at `path` whether the holder may withhold it. An index is an array element.
 */
export type DisclosurePlan = (path: readonly (string | number)[]) => Disclosability;

export interface ConcealedClaims {
  /** The claims with digests for disclosable ones; without `_sd_alg`, which belongs at the top of the payload. */
  readonly payload: JsonObject;
  readonly disclosures: readonly string[];
}

type Path = readonly (string | number)[];

interface Concealing {
  readonly plan: DisclosurePlan;
  readonly random: RandomBytes;
  readonly disclosures: string[];
  /** Leads to the value that is being concealed; changed on the way. */
  readonly path: (string | number)[];
}

function isDisclosable({ plan, path }: { readonly plan: DisclosurePlan; readonly path: Path }): boolean {
  return plan(path) !== 'never';
}

function notIssuable(): DomainError {
  const detail = `the claims need more than ${MAX_DISCLOSURES} disclosures`;
  return new DomainError({ kind: 'invalid', code: 'claims_not_issuable', detail });
}

/** Adds a disclosure with a new salt and returns its digest. */
function addDisclosure({ disclosures, random }: Concealing, elements: readonly JsonValue[]): string {
  if (disclosures.length >= MAX_DISCLOSURES) throw notIssuable();
  const salt = encodeBase64url(random(SALT_BYTES));
  const encoded = encodeBase64url(Buffer.from(JSON.stringify([salt, ...elements]), 'utf8'));
  disclosures.push(encoded);
  return sha256Base64url(encoded);
}

function concealObject(concealing: Concealing, source: JsonObject): JsonObject {
  const target: JsonObject = {};
  const digests: string[] = [];
  for (const name of Object.keys(source)) {
    concealing.path.push(name);
    const value = concealValue(concealing, source[name] as JsonValue);
    if (isDisclosable(concealing)) digests.push(addDisclosure(concealing, [name, value]));
    else setOwnMember(target, name, value);
    concealing.path.pop();
  }
  // Sorted, so that the order reveals nothing about the order of the claims (RFC 9901 §4.2.4.1).
  if (digests.length > 0) target['_sd'] = digests.sort();
  return target;
}

function concealValue(concealing: Concealing, value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (!Array.isArray(value)) return concealObject(concealing, value);
  return value.map((item, index) => {
    concealing.path.push(index);
    const element = concealValue(concealing, item);
    const concealed = isDisclosable(concealing) ? { '...': addDisclosure(concealing, [element]) } : element;
    concealing.path.pop();
    return concealed;
  });
}

/** How many disclosures {@link concealClaims} would make; counts no further than one beyond {@link MAX_DISCLOSURES}. */
export function countDisclosures(claims: JsonObject, plan: DisclosurePlan): number {
  const path: (string | number)[] = [];
  let count = 0;
  const visit = (part: string | number, value: JsonValue): void => {
    if (count > MAX_DISCLOSURES) return;
    path.push(part);
    if (isDisclosable({ plan, path })) count += 1;
    if (Array.isArray(value)) value.forEach((item, index) => visit(index, item));
    else if (isJsonObject(value)) for (const name of Object.keys(value)) visit(name, value[name] as JsonValue);
    path.pop();
  };
  for (const name of Object.keys(claims)) visit(name, claims[name] as JsonValue);
  return count;
}

/**
 * Replaces what is disclosable by SHA-256 digests and makes the disclosures, children before their parents
 * (RFC 9901 §4.2). Every salt has 128 fresh bits; claims without anything disclosable come back as they are. Throws
 * `claims_not_issuable` for more than {@link MAX_DISCLOSURES}.
 */
export function concealClaims(claims: JsonObject, plan: DisclosurePlan, random: RandomBytes): ConcealedClaims {
  const concealing: Concealing = { plan, random, disclosures: [], path: [] };
  return { payload: concealObject(concealing, claims), disclosures: concealing.disclosures };
}
