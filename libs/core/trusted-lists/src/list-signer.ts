import { DomainError, ownMember, type JsonObject } from '@vestibule/foundation';
import { ECDSA_ALGORITHMS, curveOf } from '@vestibule/crypto';
import {
  createChainVerifier,
  parseX5c,
  requireValidAt,
  subjectValues,
  type Certificate,
  type TrustAnchor,
} from '@vestibule/x509-trust';
import { trustedListFailure } from './failures';

/** Who may sign a list, and at what time that is judged. */
export interface SignerRules {
  /** The certificates of the scheme operator, or of the authority that issues them. */
  readonly signers: readonly Certificate[];
  /**
   * The name of the scheme operator: the organisation in the subject of a signer below an authority. Absent: only the
   * `signers` themselves sign. A list names its scheme operator too, but so does that of anybody else whom the
   * authority certifies.
   */
  readonly operator?: string | undefined;
  readonly now: Date;
  readonly skewSeconds: number;
  /**
   * True for the copy of a version that was used before: if it or its signer has ended since, it trusts nobody, but shows
   * what is older. Default false.
   */
  readonly mayHaveEnded?: boolean | undefined;
}

const ORGANIZATION = '2.5.4.10';
const ANY_USAGE = '2.5.29.37.0';
/** id-tsl-kp-tslSigning of ETSI TS 119 612 §5.7.1. */
const LIST_SIGNING = '0.4.0.2231.3.0';
const CURVES = ECDSA_ALGORITHMS.map(curveOf);

const unknownSigner = (cause?: unknown) => trustedListFailure('trusted_list_signer_unknown', undefined, cause);

function readChain(header: JsonObject): readonly [Certificate, ...Certificate[]] {
  try {
    const [leaf, ...above] = parseX5c(ownMember(header, 'x5c'));
    if (leaf) return [leaf, ...above];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw unknownSigner(error);
  }
  throw unknownSigner();
}

/** A certificate that an authority issued may sign lists unless it is restricted to something else. */
const maySignLists = ({ extendedKeyUsage }: Certificate): boolean =>
  extendedKeyUsage === undefined ||
  extendedKeyUsage.purposes.some((purpose) => purpose === ANY_USAGE || purpose === LIST_SIGNING);

/** True if the chain leads to a configured authority, whose own certificate may come last. */
function isBelow(chain: readonly Certificate[], { signers, now, skewSeconds }: SignerRules): boolean {
  const authorities = signers.filter(({ isCa }) => isCa);
  if (authorities.length === 0) return false;
  const anchors = authorities.map((certificate): TrustAnchor => ({ certificate, purposes: ['metadata'] }));
  const isSent = authorities.some(({ fingerprint }) => fingerprint === chain.at(-1)?.fingerprint);
  const rules = { maxEntries: 1, skewSeconds, leafCurves: CURVES, extendedKeyUsage: 'report' as const };
  const sent = (isSent ? chain.slice(0, -1) : chain).map(({ der }) => der.toString('base64'));
  const scope = { now, purpose: 'metadata' as const, needsAnchor: true };
  return createChainVerifier(anchors, rules).verify(sent, scope).anchor !== undefined;
}

/** The time at which the signer is judged: that of a version that may have ended is judged before its own end. */
function timeOf(chain: readonly Certificate[], { now, mayHaveEnded = false }: SignerRules): Date {
  const ends = mayHaveEnded ? chain.map(({ notAfter }) => notAfter.getTime()) : [];
  return new Date(Math.min(now.getTime(), ...ends));
}

function mayBeSigner(chain: readonly [Certificate, ...Certificate[]], given: SignerRules): boolean {
  const rules = { ...given, now: timeOf(chain, given) };
  const [leaf] = chain;
  requireValidAt([leaf], rules);
  if (rules.signers.some(({ fingerprint }) => fingerprint === leaf.fingerprint)) return true;
  const { operator } = rules;
  if (operator === undefined || !isBelow(chain, rules) || !maySignLists(leaf)) return false;
  return subjectValues(leaf, ORGANIZATION).includes(operator);
}

/**
 * The certificate that signed a list, from `x5c` of its header: it is one of the `signers`, or below one of them that is
 * an authority, not restricted to another use, and in the configured name of the scheme operator (TS 119 602 §6.8).
 * Throws `trusted_list_signer_unknown`.
 */
export function listSignerOf(header: JsonObject, rules: SignerRules): Certificate {
  const chain = readChain(header);
  try {
    if (mayBeSigner(chain, rules)) return chain[0];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw unknownSigner(error);
  }
  throw unknownSigner();
}
