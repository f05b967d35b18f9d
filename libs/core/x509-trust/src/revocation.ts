import type { Certificate } from './certificate';
import { parseCrl, verifyCrl, type Crl } from './crl';
import { isRevoked } from './crl-entries';
import { crlUnavailable, x509Failure } from './failures';
import type { VerifiedChain } from './verify-chain';

/** Where the revocation of one certificate of a path is published. */
export interface CrlSource {
  readonly certificate: Certificate;
  /** The authority that issued the certificate and that must have signed the list. */
  readonly issuer: Certificate;
  /** As `crlDistributionPoints`: alternatives; empty when none can be fetched, undefined when the certificate has none. */
  readonly uris: readonly string[] | undefined;
}

export interface RevocationPolicy {
  readonly now: Date;
  /** True: an unavailable list is a failure. False: the certificate passes without one. */
  readonly hardFail: boolean;
  /** What a certificate that names no list at all is worth. Default `accept`. */
  readonly withoutSource?: 'accept' | 'refuse';
}

/** What is known of a certificate that may be used: only `not_revoked` says that a list was seen. */
export type RevocationOutcome = 'not_revoked' | 'no_source' | 'unavailable';

/**
 * The sources of all certificates of an anchored path, from the one below the anchor to the leaf: the authority's own
 * revocation is checked before the lists that it signed. The anchor's is up to the operator. None for a chain without
 * an anchor: its lists are not trusted, and its addresses must not be requested (RFC 5280 §6.1.3).
 */
export function crlSourcesOf({ chain, anchor, certifier = anchor, belowAnchor }: VerifiedChain): readonly CrlSource[] {
  if (!certifier) return [];
  const path = chain.slice(0, belowAnchor);
  const sources = path.map((certificate, index) => ({
    certificate,
    issuer: path[index + 1] ?? certifier.certificate,
    uris: certificate.crlDistributionPoints,
  }));
  return sources.reverse();
}

/**
 * Throws `crl_scope_mismatch` for a list of another subset of the authority's certificates: it does not cover one that is
 * of this kind and names these addresses (RFC 5280 §6.3.3 (b)(2)).
 */
export function requireCovered(
  { isCa, uris = [] }: Pick<Certificate, 'isCa'> & Pick<CrlSource, 'uris'>,
  { scope }: Crl,
): void {
  const isOtherKind = isCa ? scope.onlyUserCertificates : scope.onlyCaCertificates;
  const isOtherPoint = scope.distributionPoint && !scope.distributionPoint.some((uri) => uris.includes(uri));
  if (isOtherKind || isOtherPoint) throw x509Failure('crl_scope_mismatch');
}

/** A certificate whose list was not seen. */
function judgeUnseen({ uris }: CrlSource, { hardFail, withoutSource = 'accept' }: RevocationPolicy): RevocationOutcome {
  if (uris === undefined) {
    if (withoutSource === 'refuse') throw x509Failure('certificate_without_crl');
    return 'no_source';
  }
  if (hardFail) throw crlUnavailable();
  return 'unavailable';
}

/**
 * Judges one certificate with the list that was fetched for it, as DER or parsed, or `undefined` when none could be had
 * (RFC 5280 §6.3.3). Throws `certificate_revoked`; without a list `certificate_without_crl` or, as ProcessingFailure,
 * `crl_unavailable`; for a list that proves nothing, whatever `hardFail` says, the failures of `parseCrl` and `verifyCrl`
 * and `crl_scope_mismatch`.
 */
export function judgeRevocation(
  source: CrlSource,
  crl: Uint8Array | Crl | undefined,
  policy: RevocationPolicy,
): RevocationOutcome {
  if (!crl) return judgeUnseen(source, policy);
  const list = crl instanceof Uint8Array ? parseCrl(crl) : crl;
  verifyCrl(list, source.issuer, policy.now);
  requireCovered({ isCa: source.certificate.isCa, uris: source.uris }, list);
  if (isRevoked(list, source.certificate.serialNumber)) throw x509Failure('certificate_revoked');
  return 'not_revoked';
}
