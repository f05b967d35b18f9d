import { IssuingDistributionPoint, type Extension } from '@peculiar/asn1-x509';
import { parseDer } from './asn1';
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

function readScope(value: Buffer): CrlScope {
  const point = parseDer(value, IssuingDistributionPoint);
  if (point.onlySomeReasons || point.onlyContainsAttributeCerts || point.indirectCRL) {
    throw x509Failure('crl_unsupported', 'a revocation list is partial or indirect');
  }
  return {
    onlyUserCertificates: point.onlyContainsUserCerts,
    onlyCaCertificates: point.onlyContainsCACerts,
    distributionPoint: point.distributionPoint && readFullName(point.distributionPoint),
  };
}

/**
 * Reads the extensions of a revocation list; `undefined` when it has none. Throws `crl_unsupported` for a
 * delta, for a list of other authorities, some reasons or attribute certificates, and for an unknown critical extension
 * (RFC 5280 §5.2); `certificate_malformed` or `crl_malformed` for bad DER.
 */
export function parseCrlExtensions(extensions: readonly Extension[] | undefined): CrlScope {
  const all = readExtensions(extensions);
  if (all.has(OID.deltaCrlIndicator)) throw x509Failure('crl_unsupported', 'a revocation list is a delta');
  const scope = all.get(OID.issuingDistributionPoint);
  if ([...all.values()].some(({ oid, critical }) => critical && oid !== OID.issuingDistributionPoint)) {
    throw x509Failure('crl_unsupported', 'a revocation list has an unsupported critical extension');
  }
  if (scope) return readScope(scope.value);
  return { onlyUserCertificates: false, onlyCaCertificates: false, distributionPoint: undefined };
}
