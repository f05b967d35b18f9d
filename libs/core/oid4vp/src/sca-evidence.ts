import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { presentationFailure } from './failures';

/** What a wallet says about the strong customer authentication of its user (TS12 1.0.1 §3.6). */
export interface ScaEvidence {
  /** The authentication code of the transaction. */
  readonly jti?: string;
  /** The authentication factors that the wallet used: `{category: method}` each. */
  readonly amr?: readonly Readonly<Record<string, string>>[];
  /** The `response_mode` of the request that the wallet answered. */
  readonly responseMode?: string;
}

/** Whether a wallet that confirms a payment must send all of its evidence; what it sends must be right in any case. */
export const SCA_EVIDENCE_POLICIES = ['required', 'when-present'] as const;
export type ScaEvidencePolicy = (typeof SCA_EVIDENCE_POLICIES)[number];

const MAX_TEXT_LENGTH = 255;
const MAX_FACTORS = 8;
/** The categories of authentication factors (PSD2, Article 4(30)). */
const CATEGORIES: readonly string[] = ['knowledge', 'possession', 'inherence'];

const isShortText = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH;

/** One factor: an object of one category and its method. */
function isFactor(value: JsonValue): value is Record<string, string> {
  if (!isJsonObject(value)) return false;
  const [entry, ...others] = Object.entries(value);
  return entry !== undefined && others.length === 0 && isShortText(entry[0]) && isShortText(entry[1]);
}

/** Two factors of the same category are one (PSD2, Article 4(30): independent). */
function isStrong(value: JsonValue): value is Record<string, string>[] {
  if (!Array.isArray(value) || value.length > MAX_FACTORS || !value.every(isFactor)) return false;
  const categories = value.flatMap((factor) => Object.keys(factor)).filter((name) => CATEGORIES.includes(name));
  return new Set(categories).size >= 2;
}

/**
 * The evidence in a key binding JWT that confirms a transaction of TS12 1.0.1 (§3.6): `jti`, `amr` with factors of at
 * least two categories, and the `response_mode` of the request. Throws `sca_evidence_missing` if one is absent and the
 * policy requires it, `sca_code_invalid`, `sca_factors_insufficient` or `sca_response_mode_mismatch` if one is wrong.
 */
export function readScaEvidence(
  claims: JsonObject,
  expected: { readonly responseMode: string; readonly policy: ScaEvidencePolicy },
): ScaEvidence {
  const [jti, amr, mode] = ['jti', 'amr', 'response_mode'].map((name) => ownMember(claims, name));
  if (expected.policy === 'required' && [jti, amr, mode].includes(undefined)) {
    throw presentationFailure('sca_evidence_missing');
  }
  if (jti !== undefined && !isShortText(jti)) throw presentationFailure('sca_code_invalid');
  if (amr !== undefined && !isStrong(amr)) throw presentationFailure('sca_factors_insufficient');
  if (mode !== undefined && mode !== expected.responseMode) throw presentationFailure('sca_response_mode_mismatch');
  return {
    ...(jti === undefined ? {} : { jti }),
    ...(amr === undefined ? {} : { amr }),
    ...(mode === undefined ? {} : { responseMode: expected.responseMode }),
  };
}
