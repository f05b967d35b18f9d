import { DER_TAG, readBoolean, readInside, readOnly, type DerElement } from './der';
import { readFullName } from './distribution-points';
import { readExtensions } from './extensions';
import { x509Failure } from './failures';

/** Which certificates of its issuer a revocation list speaks about (RFC 5280 §5.2.5). */
export interface CrlScope {
  readonly onlyUserCertificates: boolean;
  readonly onlyCaCertificates: boolean;
  /** URIs of the only distribution point that it belongs to; undefined when it belongs to all of them. */
  readonly distributionPoint: readonly string[] | undefined;
}

const OID = { deltaCrlIndicator: '2.5.29.27', issuingDistributionPoint: '2.5.29.28' } as const;

const TAG = {
  distributionPoint: 0xa0,
  onlyUserCertificates: 0x81,
  onlyCaCertificates: 0x82,
  onlySomeReasons: 0x83,
  indirect: 0x84,
  onlyAttributeCertificates: 0x85,
} as const;
const MAX_MEMBERS = 6;

function readScope(value: Buffer): CrlScope {
  const members = readInside(readOnly(value), DER_TAG.sequence, MAX_MEMBERS);
  const byTag = new Map<number, DerElement>(members.map((member) => [member.tag, member]));
  const known: readonly number[] = Object.values(TAG);
  if (byTag.size !== members.length || members.some(({ tag }) => !known.includes(tag))) {
    throw x509Failure('crl_malformed');
  }
  const isSet = (tag: number): boolean => {
    const member = byTag.get(tag);
    return member !== undefined && readBoolean(member, tag);
  };
  const isPartial = byTag.has(TAG.onlySomeReasons) || isSet(TAG.onlyAttributeCertificates);
  if (isPartial || isSet(TAG.indirect))
    throw x509Failure('crl_unsupported', 'a revocation list is partial or indirect');
  const name = byTag.get(TAG.distributionPoint);
  return {
    onlyUserCertificates: isSet(TAG.onlyUserCertificates),
    onlyCaCertificates: isSet(TAG.onlyCaCertificates),
    distributionPoint: name && readFullName(name),
  };
}

/**
 * Reads the content of a revocation list's extensions field; `undefined` when it has none. Throws `crl_unsupported` for a
 * delta, for a list of other authorities, some reasons or attribute certificates, and for an unknown critical extension
 * (RFC 5280 §5.2); `certificate_malformed` or `crl_malformed` for bad DER.
 */
export function parseCrlExtensions(field: Buffer | undefined): CrlScope {
  const all = readExtensions(field);
  if (all.has(OID.deltaCrlIndicator)) throw x509Failure('crl_unsupported', 'a revocation list is a delta');
  const scope = all.get(OID.issuingDistributionPoint);
  if ([...all.values()].some(({ oid, critical }) => critical && oid !== OID.issuingDistributionPoint)) {
    throw x509Failure('crl_unsupported', 'a revocation list has a critical extension that is not understood');
  }
  if (scope) return readScope(scope.value);
  return { onlyUserCertificates: false, onlyCaCertificates: false, distributionPoint: undefined };
}
