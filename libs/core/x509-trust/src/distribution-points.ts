import { CRLDistributionPoints, type DistributionPoint, type DistributionPointName } from '@peculiar/asn1-x509';
import { urlFault } from '@vestibule/foundation';
import { parseDer } from './asn1';
import { x509Failure } from './failures';

const MAX_NAMES = 64;
const MAX_POINTS = 64;
const MAX_ADDRESSES = 8;

/**
 * The URIs of a distribution point's full name; none for a name relative to the issuer (RFC 5280 §4.2.1.13). Throws
 * `certificate_malformed` beyond 64 names.
 */
export function readFullName({ fullName = [] }: DistributionPointName): readonly string[] {
  if (fullName.length > MAX_NAMES) throw x509Failure('certificate_malformed');
  return fullName.flatMap(({ uniformResourceIdentifier: uri }) => uri ?? []);
}

/** Only a point without `reasons` and `cRLIssuer` leads to the complete list of the issuer itself. */
function readPoint({ distributionPoint, reasons, cRLIssuer }: DistributionPoint): readonly string[] {
  return distributionPoint && !reasons && !cRLIssuer ? readFullName(distributionPoint) : [];
}

const isAddress = (uri: string): boolean => urlFault(uri, { schemes: ['http', 'https'] }) === undefined;

/**
 * The first eight http(s) addresses of the cRLDistributionPoints extension with this value. Other names and partial
 * points are left out; what is not a URL is left out too. Throws `certificate_malformed`.
 */
export function readCrlDistributionPoints(value: Buffer): readonly string[] {
  const points = [...parseDer(value, CRLDistributionPoints)];
  if (points.length > MAX_POINTS) throw x509Failure('certificate_malformed');
  return [...new Set(points.flatMap(readPoint).filter(isAddress))].slice(0, MAX_ADDRESSES);
}
